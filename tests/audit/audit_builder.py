"""Builder of logs of real rounds: keys named, rounds opened, dealt, played, settled and revealed, every leaf signed.

A round is first prepared as ``Parts`` and only then signed, so that a test can change one thing in it and have the rest
follow, or not follow, as an attacker would.
"""

import hashlib
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import msgspec
from nacl.signing import SigningKey

from referee.audit import Code, Documents, MemoryLog, Report
from referee.audit.bundle import ProvedRound
from referee.cards import Seat
from referee.dealing import leaf as leaves
from referee.dealing.commitment import client_commitment, seed_statement, server_commitment
from referee.dealing.deal import Deal, has_leader
from referee.dealing.header import NO_KEY, NO_LEAF, SUITE_COMMITMENT, Header
from referee.dealing.lead import Winner, lead_of
from referee.dealing.leaf import AbortLeaf, DealLeaf, KeyLeaf, OpenLeaf, RevealLeaf, UnsealLeaf
from referee.dealing.seal import SEALED_SIZE
from referee.evidence.dsse import Envelope
from referee.evidence.merkle import leaf_hash, root
from referee.evidence.vkey import VerifierKey
from referee.games import GAMES, LeaderBy
from referee.log import Checkpoint, CheckpointSigner
from referee.rulesets import Ruleset, get
from referee.suspicion.report import CountedReport
from referee.transcript.chain import Course, sign_receipt
from referee.transcript.inputs import MEDIA_TYPE, InputEvent, InputReceipt, Inputs, Unsealed
from referee.transcript.replay import replay
from referee.transcript.round import write_transcript
from tests.audit.audit_players import PLAYERS, Dealt, Play
from tests.driver.headers import changed_header, header_of

ORIGIN: Final = "log.example/1"
START: Final = 1_700_000_000_000
DEAL_MS: Final = 20_000
ROUND_MS: Final = 900_000
BETWEEN_MS: Final = 1_000
"""Time from the newest leaf to the opening of the next round."""
NOW: Final = START + 2 * 10**8
"""Time after all rounds of a log of some hundred."""
FAR: Final = START + 10**10
"""Time after every deadline."""

Auditor = Callable[..., CountedReport]
"""The tests' way to audit a log."""


def digest(*parts: object) -> bytes:
    """Hash these parts to 32 bytes."""
    return hashlib.sha256("/".join(map(str, parts)).encode()).digest()


class NamedSigner:
    """A key derived from a name, so that every run signs alike."""

    def __init__(self, name: str) -> None:
        self._key = SigningKey(digest("key", name))
        self.name = name
        self.public_key = bytes(self._key.verify_key)

    @property
    def text(self) -> str:
        """Public key as verifier key text."""
        return VerifierKey(self.name, self.public_key).text

    def sign(self, message: bytes) -> bytes:
        """Sign a message."""
        return self._key.sign(message).signature


ROOT: Final = NamedSigner("log.example/1/root")
LOG: Final = NamedSigner("log.example/1")
SHUFFLER: Final = NamedSigner("log.example/1/shuffler")
REFEREE: Final = NamedSigner("log.example/1/referee")
STRANGER: Final = NamedSigner("somebody")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table and how it plays. ``commits`` says whether seats commit to their seeds.

    ``received`` says whether the referee's clock gives the time of every event, or of those alone that open sections.
    """

    name: str
    ruleset_id: str
    seats: int
    commits: bool = True
    received: bool = True
    keyed: bool = False
    sealed: bool = False
    signs_seeds: bool = True
    """Whether seats with keys sign their seeds."""
    players: tuple[str, ...] = ()
    """Names of the seats' keys, for a table whose players sit elsewhere too."""

    @property
    def ruleset(self) -> Ruleset:
        """Ruleset that the table plays by."""
        return get(self.ruleset_id)

    def seat_key(self, seat: int) -> NamedSigner:
        """Return the key of a seat, if the table's seats have keys."""
        return NamedSigner(self.players[seat] if self.players else f"{self.name}/seat/{seat}")

    def seed_signatures(self, opened: OpenLeaf, seeds: Sequence[bytes]) -> tuple[str, ...] | msgspec.UnsetType:
        """Make the seats' signatures of their seeds, if they have keys and sign."""
        if not (self.keyed and self.signs_seeds):
            return msgspec.UNSET
        ids = {"round_id": bytes.fromhex(opened.round_id), "commitment": bytes.fromhex(opened.server_commitment)}
        return tuple(
            [
                self.seat_key(seat)
                .sign(seed_statement(**ids, seat=Seat(seat), token_hash=opened.token_hash(seat), seed=seed))
                .hex()
                for seat, seed in enumerate(seeds)
            ]
        )


@dataclass(slots=True, kw_only=True)
class Parts:
    """Parts of a round. Changing a part changes that part alone.

    ``opens`` are the sections that receipts name, by event number.
    """

    table: Table
    header: Header
    server_seed: bytes
    client_seeds: tuple[bytes, ...]
    deal: Deal
    winner: Winner | None
    opened: OpenLeaf
    dealt: DealLeaf
    revealed: RevealLeaf
    inputs: Inputs = field(default=None)  # type: ignore[assignment] # `settle` sets it before it is read
    opens: dict[int, int] = field(default_factory=dict)
    unseals: tuple[UnsealLeaf, ...] = ()
    transcript: bytes = b""
    aborted: AbortLeaf | None = None
    dealer: NamedSigner = SHUFFLER
    judge: NamedSigner = REFEREE

    @property
    def ended(self) -> bytes:
        """Leaf that ends the round, signed."""
        if self.aborted is not None:
            return sign(leaves.ABORT_TYPE, leaves.encode(self.aborted), SHUFFLER)
        return sign(MEDIA_TYPE, self.transcript, self.judge)

    @property
    def open_leaf(self) -> bytes:
        """The OPEN leaf, signed."""
        return sign(leaves.OPEN_TYPE, plain(self.opened), SHUFFLER)

    @property
    def deal_leaf(self) -> bytes:
        """The DEAL leaf, signed."""
        return sign(leaves.DEAL_TYPE, plain(self.dealt), self.dealer)

    @property
    def unseal_leaves(self) -> list[bytes]:
        """The UNSEAL leaves, signed."""
        return [sign(leaves.UNSEAL_TYPE, plain(leaf), SHUFFLER) for leaf in self.unseals]

    @property
    def reveal_leaf(self) -> bytes:
        """REVEAL leaf, which has no signature."""
        return Envelope(leaves.REVEAL_TYPE, plain(self.revealed)).to_bytes()

    @property
    def leaves(self) -> list[bytes]:
        """Leaves in their order."""
        return [self.open_leaf, self.deal_leaf, *self.unseal_leaves, self.ended, self.reveal_leaf]


def plain(leaf: msgspec.Struct) -> bytes:
    """Encode the canonical payload of a leaf, even of an invalid one."""
    return msgspec.json.Encoder(order="sorted").encode(leaf)


def sign(payload_type: str, payload: bytes, signer: NamedSigner) -> bytes:
    """Make the leaf of a payload with the signer's signature."""
    return Envelope.signed(payload_type, payload, signer).to_bytes()


def key_leaf(signer: NamedSigner, role: str, *, action: str = "ADD", by: NamedSigner = ROOT) -> bytes:
    """Make the leaf that adds or revokes a key."""
    leaf = msgspec.convert({"action": action, "key": signer.text, "role": role}, KeyLeaf)
    return sign(leaves.KEY_TYPE, leaves.encode(leaf), by)


@dataclass(slots=True)
class LogBuilder:
    """A log that grows. ``entries`` are its leaves so far."""

    entries: list[bytes] = field(default_factory=list)
    ends: dict[str, bytes] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    winners: dict[str, Winner] = field(default_factory=dict)
    documents: Documents = field(default_factory=Documents)
    _time: int = START
    _timed: int = 0

    @property
    def time(self) -> int:
        """Newest time of a leaf, START for none."""
        self._time = newest_time(self.entries[self._timed :], least=self._time)
        self._timed = len(self.entries)
        return self._time

    @classmethod
    def founded(cls) -> "LogBuilder":
        """Make a log that has named its keys."""
        return cls([key_leaf(LOG, "log"), key_leaf(SHUFFLER, "shuffler"), key_leaf(REFEREE, "referee")])

    @classmethod
    def of(cls, *tables: Table, rounds: int = 1) -> "LogBuilder":
        """Make a log in which each table in turn has played a round, so many times."""
        log = cls.founded()
        for table in tables * rounds:
            log.play(table)
        return log

    def lay_out(self, table: Table, **terms: object) -> Parts:
        """Prepare the table's next round, opened and dealt; ``terms`` are changed header fields."""
        number = self.numbers.get(table.name, 0) + 1
        given = {"previous_leaf": self.ends.get(table.name, NO_LEAF), **terms}
        winner = self.winners.get(table.name)
        return lay_out(table, number=number, start=self.time + BETWEEN_MS, winner=winner, **given)

    def prepare(self, table: Table, *, play: Play | None = None, seed: int = 0, **terms: object) -> Parts:
        """Prepare the table's next round, settled and not yet in the log."""
        parts = self.lay_out(table, **terms)
        settle(parts, play=play, seed=seed)
        return parts

    def append(self, parts: Parts, *, steps: str = "ODUER") -> None:
        """Append leaves of a round: O pen, D eal, U nseal, E nd, R eveal, as the letters say."""
        made = {"O": [parts.open_leaf], "D": [parts.deal_leaf], "U": parts.unseal_leaves, "R": [parts.reveal_leaf]}
        if "E" in steps:
            made["E"] = [parts.ended]
            self.ends[parts.table.name] = leaf_hash(parts.ended)
        self.numbers[parts.table.name] = parts.header.round_number
        self.entries += [leaf for step in steps for leaf in made[step]]

    def play(self, table: Table, *, seed: int = 0) -> Parts:
        """Play and settle the table's next round and append it."""
        parts = self.prepare(table, seed=seed)
        self.keep_winner(parts)
        self.append(parts)
        return parts

    def keep_winner(self, parts: Parts) -> None:
        """Keep the winner for the next round's leader."""
        if parts.dealt.leader is not msgspec.UNSET:
            results = msgspec.json.encode(msgspec.json.decode(parts.transcript)["results"])
            winner = Winner.of_results(parts.header, results)
            assert winner is not None
            self.winners[parts.table.name] = winner

    def take(self) -> list[bytes]:
        """Return the leaves so far and forget them; the next round is still later than they are."""
        _ = self.time
        taken, self.entries, self._timed = self.entries, [], 0
        return taken

    def checkpoint(self, *, origin: str = ORIGIN, signer: NamedSigner = LOG) -> bytes:
        """Sign the checkpoint of the log as it is now."""
        head = Checkpoint(origin, len(self.entries), root(self.entries))
        return CheckpointSigner(signer, key_name=signer.name).sign(head)

    def bundle(self) -> MemoryLog:
        """Return the log as it is now."""
        return MemoryLog(checkpoint=self.checkpoint(), entries=tuple(self.entries))


def codes(report: Report | ProvedRound) -> list[Code]:
    """Return the codes of the findings in a log or in a round, in their order."""
    return [finding.code for finding in report.findings]


def newest_time(entries: Iterable[bytes], *, least: int = START) -> int:
    """Return the newest time of these leaves, whatever they are; ``least`` where none is later."""
    for entry in entries:
        try:
            said = msgspec.json.decode(Envelope.parse(entry).payload)
            times = [said.get(f"{name}_time") for name in ("opened", "dealt", "aborted")]
            times.append(said.get("inputs", {}).get("closed_time"))
        except (ValueError, AttributeError, RecursionError):
            continue
        least = max([least, *[time for time in times if isinstance(time, int)]])
    return least


def lay_out(table: Table, *, number: int, start: int = START, winner: Winner | None = None, **terms: object) -> Parts:
    """Prepare a round of a table, opened at a time and dealt."""
    ruleset = table.ruleset
    shortest = ruleset.rules.round.bounds.shortest
    bets_alone = ruleset.game == "ultimate_texas"
    stakes = [(10 * ruleset.bet_unit, 5 * (seat % 2)) for seat in range(table.seats)] if bets_alone else []
    header = header_of(
        ruleset,
        table.seats,
        randomness_suite=SUITE_COMMITMENT,
        table_id=table.name,
        round_number=number,
        stake=ruleset.bet_unit if bets_alone else 100 * ruleset.bet_unit,
        seat_stakes=tuple(stakes),
        seat_keys=tuple([table.seat_key(seat).public_key if table.keyed else NO_KEY for seat in range(table.seats)]),
        deal_deadline=start + DEAL_MS,
        round_deadline=start + DEAL_MS + max(ROUND_MS, shortest),
    )
    header = changed_header(header, **terms)
    server_seed = digest("server", table.name, number)
    client_seeds = tuple([digest("client", table.name, number, seat) for seat in range(table.seats)])
    return dealt_from(table, header, server_seed=server_seed, client_seeds=client_seeds, winner=winner)


def dealt_from(
    table: Table,
    header: Header,
    *,
    server_seed: bytes,
    client_seeds: tuple[bytes, ...],
    winner: Winner | None = None,
) -> Parts:
    """Prepare a round from a header, seeds and the table's last winner, as the protocol does."""
    round_id = header.round_id
    deal = Deal.derive(header, server_seed=server_seed, client_seeds=client_seeds)
    commitments = [client_commitment(round_id=round_id, seat=Seat(i), seed=seed) for i, seed in enumerate(client_seeds)]
    opened = OpenLeaf(
        client_commitments=tuple([one.hex() if table.commits else "" for one in commitments]),
        header=header,
        opened_time=header.deal_deadline - DEAL_MS,
        round_id=round_id.hex(),
        sealed_seed=(digest("sealed", round_id) * 3)[:SEALED_SIZE].hex(),
        server_commitment=server_commitment(round_id=round_id, seed=server_seed).hex(),
        seat_tokens=tuple([digest("token", round_id, seat).hex() for seat in range(header.seat_count)])
        if table.sealed
        else msgspec.UNSET,
    )
    lead = lead_of(header, deal, winner=winner, first=LeaderBy.DRAW) if has_leader(header) else None
    dealt = DealLeaf(
        client_seeds=tuple([seed.hex() for seed in client_seeds]),
        dealt_time=header.deal_deadline - DEAL_MS // 2,
        deck_root=deal.deck_root.hex(),
        mix=deal.mixed.hex(),
        opened_sections=opened_sections(table, deal),
        round_id=round_id.hex(),
        leader=msgspec.UNSET if lead is None else int(lead[0]),
        leader_by=msgspec.UNSET if lead is None else lead[1],
        seed_signatures=table.seed_signatures(opened, client_seeds),
    )
    return Parts(
        table=table,
        header=header,
        server_seed=server_seed,
        client_seeds=client_seeds,
        deal=deal,
        winner=winner,
        opened=opened,
        dealt=dealt,
        revealed=RevealLeaf(round_id=round_id.hex(), server_seed=server_seed.hex()),
    )


def opened_sections(table: Table, deal: Deal) -> tuple[int, ...]:
    """Return the hands, none on a sealed table unless one of them wins at the deal."""
    ruleset = table.ruleset
    if table.sealed and not GAMES[ruleset.game].later.opens_at_deal(ruleset.rules, deal.sections[: table.seats]):
        return ()
    return tuple(range(table.seats))


def settle(parts: Parts, *, play: Play | None = None, seed: int = 0) -> None:
    """Play the round by chance, or as given, and write its transcript."""
    header, ruleset = parts.header, parts.table.ruleset
    leader = parts.dealt.leader
    if play is None:
        luck = random.Random(f"{parts.table.name}/{header.round_number}/{seed}")  # noqa: S311 - the same in every run
        play = PLAYERS[ruleset.game](dealt_of(parts, leader=leader if isinstance(leader, int) else 0), luck)
    parts.inputs = Inputs(
        header=header,
        deck_root=parts.dealt.deck_root,
        dealt_time=parts.dealt.dealt_time,
        closed_time=play.closed_time,
        sections=tuple([tuple([card.number for card in one]) for one in parts.deal.sections[: play.section_count]]),
        events=tuple(
            [
                InputEvent(
                    event=msgspec.Raw(move.event),
                    received=1 if parts.table.received or move.sections else 0,
                    time=move.time,
                )
                for move in play.moves
            ]
        ),
        signatures=(),
        unsealed=tuple(
            [
                Unsealed(number, tuple(sorted(move.sections)), move.unsealed_time)
                for number, move in enumerate(play.moves, 1)
                if move.unsealed_time is not None
            ]
        ),
        leader=leader,
        leader_by=parts.dealt.leader_by,
        sealed=1 if parts.table.sealed else msgspec.UNSET,
    )
    parts.opens = {number: move.sections[-1] for number, move in enumerate(play.moves, 1) if move.sections}
    attest(parts)
    parts.transcript = replay(parts.inputs, ruleset).payload


def dealt_of(parts: Parts, *, leader: int = 0) -> Dealt:
    """Return what the players of a round get."""
    return Dealt(
        ruleset=parts.table.ruleset,
        sections=parts.deal.sections,
        seat_count=parts.header.seat_count,
        seat_stakes=parts.header.seat_stakes,
        leader=Seat(leader),
        time=parts.dealt.dealt_time,
        round_id=parts.header.round_id,
        sealed=parts.table.sealed,
        keyed=parts.table.keyed,
    )


def change_inputs(parts: Parts, **changes: object) -> None:
    """Write the transcript again with some of its inputs changed and the results that follow.

    Receipt and signatures stay as they were.
    """
    parts.inputs = msgspec.structs.replace(parts.inputs, **changes)
    honest = replace(parts)
    attest(honest)
    assert honest.inputs is not None
    again = replay(honest.inputs, parts.table.ruleset)
    results = msgspec.json.decode(again.payload)["results"]
    parts.transcript = write_transcript(again.round.header, parts.inputs, results)


def course_of(parts: Parts) -> Course:
    """Return the course of the round's inputs."""
    course = Course.begin(round_id=parts.header.round_id, deck_root=bytes.fromhex(parts.inputs.deck_root))
    for one in parts.inputs.events:
        event = msgspec.json.decode(one.event)
        course = course.append(
            bytes(one.event), time=one.time, received=one.received == 1, seat=event["seat"], seen=event.get("seen")
        )
    return course


def attest(parts: Parts) -> None:
    """Give the inputs the newest receipt and the seats' newest signatures, and make the UNSEALs that they name."""
    course, seats = course_of(parts), range(parts.header.seat_count)
    newest: InputReceipt | msgspec.UnsetType = msgspec.UNSET
    if course.received:
        signature = signature_of(receipt_of(parts, course.received, course))
        newest = InputReceipt(course.received, signature, parts.opens.get(course.received, msgspec.UNSET))
    moves = [course.moves.get(seat) for seat in seats]
    parts.inputs = msgspec.structs.replace(
        parts.inputs,
        receipt=newest,
        signatures=tuple(
            ["" if move is None else parts.table.seat_key(seat).sign(move).hex() for seat, move in enumerate(moves)]
        ),
    )
    parts.unseals = tuple([unseal_of(parts, course, one) for one in parts.inputs.unsealed])


def unseal_of(parts: Parts, course: Course, one: Unsealed) -> UnsealLeaf:
    """Make the UNSEAL of an opening."""
    link = course.links[one.number - 1]
    return UnsealLeaf(
        event_hash=link.event_hash.hex(),
        history=link.history.hex(),
        number=one.number,
        opens_section=parts.opens[one.number],
        receipt_signature=signature_of(receipt_of(parts, one.number, course)),
        received_time=link.time,
        round_id=parts.header.round_id.hex(),
        sections=one.sections,
        unsealed_time=one.time,
    )


def receipt_of(parts: Parts, number: int, course: Course) -> bytes:
    """Make the referee's receipt of an event of a course, as an envelope."""
    return sign_receipt(course.receipt(number, opens_section=parts.opens.get(number)), REFEREE)


def signature_of(envelope: bytes) -> str:
    """Return the signature in an envelope, in hex."""
    return (Envelope.parse(envelope).signature or b"").hex()


def abort(
    parts: Parts, *, stage: str, reason: str, missing: Sequence[int] | None = None, time: int | None = None
) -> None:
    """Abort the round, before its deal without the seeds of the seats that are missing (all by default), or after."""
    if missing is None:
        missing = range(parts.header.seat_count) if stage == "OPENED" else ()
    seeds = ["" if seat in missing else seed for seat, seed in enumerate(parts.dealt.client_seeds)]
    data = {
        "aborted_time": parts.header.round_deadline + 1 if time is None else time,
        "client_seeds": seeds,
        "reason": reason,
        "round_id": parts.header.round_id.hex(),
        "stage": stage,
    }
    parts.aborted = msgspec.convert(data, AbortLeaf)


def healthy_tables(rulesets: Iterable[str], seats: Sequence[int] = (2, 3, 4)) -> list[Table]:
    """Make a table for each ruleset and number of seats."""
    return [Table(name=f"{name}.{count}", ruleset_id=name, seats=count) for name in rulesets for count in seats]
