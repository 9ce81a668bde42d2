"""Rows from leaves: a round is kept from its OPEN until the leaf that ends it, which gives all of its rows.

What a leaf says is taken as it is: whether it is true, such as a signature, a deck or a settlement, is for an audit.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final, NamedTuple

import msgspec

from referee.audit.reading import read_envelope, read_header, read_payload
from referee.audit.round_leaves import money_of
from referee.cards import HOUSE
from referee.dealing.header import NO_KEY, Header
from referee.dealing.leaf import AbortLeaf, DealLeaf, OpenLeaf
from referee.evidence.merkle import leaf_hash
from referee.evidence.outside import read_json
from referee.finding import FindingError
from referee.games import GAMES, EventBytesError, LawError
from referee.money import Transfer, checked_amount, house_net, net_amounts
from referee.rounds.row import AbortRow, EventRow, RoundRow, Row, SeatRow, TransferRow
from referee.transcript.inputs import Inputs, Transcript

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_OWN_TABLES: Final = ("seats", "transfers", "events_hash")
"""Members of a transcript's results that are in tables of their own, or no result."""


class UnreadLeafError(ValueError):
    """A leaf that no row can be made of."""


class RunningRound(msgspec.Struct, frozen=True, kw_only=True):
    """A round that has not ended, by the places of its leaves; ``open_hash`` is the leaf hash of its OPEN."""

    open_leaf: int
    open_hash: str
    deal_leaf: int | None = None
    dealt_time: int | None = None


class RoundRows(NamedTuple):
    """All rows of a round by table, and the UTC day on which it ended, such as 2026-11-23."""

    day: str
    rows: Mapping[str, Sequence[Row]]


class _Results(msgspec.Struct):
    transfers: tuple[Transfer, ...]
    seats: tuple[msgspec.Raw, ...] = ()


class _EventHead(msgspec.Struct):
    seat: Annotated[int, msgspec.Meta(ge=0, le=255)]
    kind: str


class _Open(NamedTuple):
    mark: RunningRound
    leaf: OpenLeaf
    header: Header


class RowReader:
    """Reader of rows from leaves, which come in their order; it keeps the rounds that have not ended."""

    def __init__(self) -> None:
        self._open: dict[str, _Open] = {}
        self.newest = 0
        """Newest time of the leaves that were read, in ms since 1970 UTC."""

    def late(self, time: int) -> int:
        """Count the rounds that have not ended and should have by a time in ms since 1970 UTC."""
        deadlines = [
            one.header.deal_deadline if one.mark.deal_leaf is None else one.header.round_deadline
            for one in self._open.values()
        ]
        return sum(deadline < time for deadline in deadlines)

    @property
    def running(self) -> tuple[RunningRound, ...]:
        """Rounds that have not ended, in the order in which they were opened."""
        return tuple([one.mark for one in self._open.values()])

    def resume(self, running: Iterable[RunningRound], leaf_at: Callable[[int], bytes]) -> None:
        """Take up rounds of an earlier reading; raise UnreadLeafError if a leaf is not the one that it read."""
        for mark in running:
            data = leaf_at(mark.open_leaf)
            if leaf_hash(data).hex() != mark.open_hash:
                raise UnreadLeafError(f"leaf {mark.open_leaf} is not the one that was read before")
            self.read(mark.open_leaf, data)
            round_id, opened = self._open.popitem()
            self._open[round_id] = opened._replace(mark=mark)

    def read(self, index: int, data: bytes) -> RoundRows | None:
        """Read a leaf and return the rows of the round that it ends, or None.

        Raise UnreadLeafError for a leaf that is malformed, or belongs to no running round.
        """
        try:
            leaf = read_payload(read_envelope(data))
            match leaf:
                case OpenLeaf():
                    self._begin(index, data, leaf)
                case DealLeaf():
                    running = self._running(leaf.round_id)
                    mark = msgspec.structs.replace(running.mark, deal_leaf=index, dealt_time=leaf.dealt_time)
                    self._open[leaf.round_id] = running._replace(mark=mark)
                    self.newest = max(self.newest, leaf.dealt_time)
                case Transcript():
                    self.newest = max(self.newest, leaf.inputs.closed_time)
                    rows = _settled(self._running(leaf.round_id), leaf, index)
                    del self._open[leaf.round_id]
                    return rows
                case AbortLeaf():
                    self.newest = max(self.newest, leaf.aborted_time)
                    rows = _aborted(self._running(leaf.round_id), leaf, index)
                    del self._open[leaf.round_id]
                    return rows
                case _:
                    pass
        except (FindingError, ValueError, LookupError, OverflowError) as error:
            raise UnreadLeafError(str(error)) from error
        return None

    def _begin(self, index: int, data: bytes, leaf: OpenLeaf) -> None:
        header = read_header(leaf)
        if header.round_id.hex() != leaf.round_id:
            raise UnreadLeafError(f"its round id is {leaf.round_id}, and its header's is {header.round_id.hex()}")
        if leaf.round_id in self._open:
            raise UnreadLeafError(f"round {leaf.round_id} is open already")
        self.newest = max(self.newest, leaf.opened_time)
        mark = RunningRound(open_leaf=index, open_hash=leaf_hash(data).hex())
        self._open[leaf.round_id] = _Open(mark, leaf, header)

    def _running(self, round_id: str) -> _Open:
        running = self._open.get(round_id)
        if running is None:
            raise UnreadLeafError(f"no running round has the id {round_id}")
        return running


def _settled(running: _Open, leaf: Transcript, index: int) -> RoundRows:
    """Return the rows of a settled round.

    Raise ValueError, LookupError or OverflowError if its leaves contradict each other.
    """
    inputs, header = leaf.inputs, running.header
    if inputs.header != running.leaf.header:
        raise UnreadLeafError("the transcript has another header than the round's OPEN")
    results: _Results = read_json(bytes(leaf.results), _Results)
    cards = [tuple([card.text for card in section]) for section in inputs.cards()]
    net = net_amounts(results.transfers, header.seat_count)
    shown: list[str | None] = [bytes(result).decode() for result in results.seats]
    shown = shown or [None] * header.seat_count
    seats = [_seat(header, seat, net=net[seat], cards=cards[seat], result=shown[seat]) for seat in range(len(net))]
    members: dict[str, msgspec.Raw] = read_json(bytes(leaf.results), dict[str, msgspec.Raw])
    rest = {name: value for name, value in members.items() if name not in _OWN_TABLES}
    end = RoundRow(
        **_terms(running),
        outcome="SETTLED",
        ended_time=inputs.closed_time,
        transferred=sum(transfer.amount for transfer in results.transfers),
        house_net=house_net(results.transfers),
        event_count=len(inputs.events),
        board=tuple(cards[header.seat_count :]),
        results=msgspec.json.encode(rest).decode(),
        end_leaf=index,
    )
    transfers = [
        TransferRow(
            round_id=leaf.round_id,
            number=number,
            payer=None if one.payer == HOUSE else one.payer,
            payee=None if one.payee == HOUSE else one.payee,
            amount=checked_amount(one.amount),
            reason=one.reason,
            subject=one.subject,
        )
        for number, one in enumerate(results.transfers, 1)
    ]
    _day(inputs.dealt_time)
    events = _events(leaf.round_id, header, inputs)
    return RoundRows(
        _day(inputs.closed_time), {"rounds": [end], "seats": seats, "events": events, "transfers": transfers}
    )


def _aborted(running: _Open, leaf: AbortLeaf, index: int) -> RoundRows:
    """Return the rows of an aborted round; raise OverflowError for a time beyond the calendar."""
    header = running.header
    end = RoundRow(
        **_terms(running),
        outcome="ABORTED",
        ended_time=leaf.aborted_time,
        transferred=0,
        house_net=0,
        event_count=0,
        board=(),
        results=None,
        end_leaf=index,
    )
    abort = AbortRow(
        round_id=leaf.round_id,
        reason=leaf.reason,
        stage=leaf.stage,
        seed_count=sum(map(bool, leaf.client_seeds)),
        blamed=leaf.blamed,
    )
    seats = [_seat(header, seat, is_blamed=seat in leaf.blamed) for seat in range(header.seat_count)]
    return RoundRows(_day(leaf.aborted_time), {"rounds": [end], "seats": seats, "aborts": [abort]})


def _terms(running: _Open) -> dict[str, Any]:
    """Return what a round's row has from its OPEN and DEAL."""
    header, mark = running.header, running.mark
    return {
        "round_id": running.leaf.round_id,
        "table_id": header.table_id,
        "round_number": header.round_number,
        "opened_time": running.leaf.opened_time,
        "dealt_time": mark.dealt_time,
        "ruleset_id": header.ruleset_id,
        "ruleset_version": header.ruleset_version,
        "ruleset_digest": header.ruleset_digest.hex(),
        "randomness_suite": header.randomness_suite,
        "is_sealed": running.leaf.is_sealed,
        "seat_count": header.seat_count,
        "currency": header.currency,
        "stake": header.stake,
        "staked": money_of(header, transferred=0).staked,
        "open_leaf": mark.open_leaf,
        "deal_leaf": mark.deal_leaf,
    }


def _seat(  # noqa: PLR0913 - the columns that differ
    header: Header,
    seat: int,
    *,
    net: int | None = None,
    cards: tuple[str, ...] = (),
    result: str | None = None,
    is_blamed: bool = False,
) -> SeatRow:
    bet, side_bet = header.seat_stakes[seat] if header.seat_stakes else (None, None)
    key = header.seat_keys[seat]
    return SeatRow(
        round_id=header.round_id.hex(),
        seat=seat,
        seat_key=None if key == NO_KEY else key.hex(),
        bet=bet,
        side_bet=side_bet,
        net=net,
        cards=cards,
        result=result,
        is_blamed=is_blamed,
    )


def _events(round_id: str, header: Header, inputs: Inputs) -> list[Row]:
    """Return the rows of a round's events, with the time since what came before each."""
    opened = {unsealed.number: unsealed.time for unsealed in inputs.unsealed}
    cards_time = before = inputs.dealt_time
    rows: list[Row] = []
    for number, (entry, is_imposed) in enumerate(zip(inputs.events, _imposed(header, inputs), strict=True), 1):
        text = bytes(entry.event)
        head: _EventHead = read_json(text, _EventHead)
        rows.append(
            EventRow(
                round_id=round_id,
                number=number,
                seat=head.seat,
                kind=head.kind,
                event=text.decode(),
                time=entry.time,
                is_received=entry.received == 1,
                is_imposed=is_imposed,
                since_event=entry.time - before,
                since_cards=entry.time - cards_time,
            )
        )
        before = entry.time
        if number in opened:
            before = cards_time = opened[number]
    return rows


def _imposed(header: Header, inputs: Inputs) -> list[bool | None]:
    """Return of each event whether others reported it, as its game says; None where the game cannot read them."""
    game = GAMES.get(header.ruleset_id.partition(".")[0])
    if game is not None:
        texts, times = [bytes(entry.event) for entry in inputs.events], [entry.time for entry in inputs.events]
        try:
            return [event.is_imposed for event in game.events.decode_all(texts, times, round_id=header.round_id)]
        except (EventBytesError, LawError, ValueError):
            pass
    return [None] * len(inputs.events)


def _day(time: int) -> str:
    """Return the UTC day of a time; raise OverflowError beyond the year 9999."""
    return (_EPOCH + timedelta(milliseconds=time)).date().isoformat()
