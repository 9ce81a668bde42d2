"""The flow that is the same in every game: open, deal, accept, refuse, settle, repeat and abort, over gRPC."""

import hashlib
import json
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any, Final

import pytest

from referee.evidence.dsse import Envelope
from referee.evidence.merkle import leaf_hash
from referee.games import GAMES as REGISTERED
from referee.rulesets import load_builtin
from referee.transcript.inputs import parse
from referee.transcript.replay import replay
from referee.v1 import log_pb2, shuffler_pb2, tien_len_pb2, ultimate_texas_pb2
from tests.service.abridging import history_of
from tests.service.courses import hashes_of, payload_of
from tests.service.house import House
from tests.service.opening import open_round
from tests.service.playing import GAMES, as_dealt, dealt, first_choice, leaving, play_on
from tests.service.table import RULESETS, Table
from tests.service.violations import facts_of
from tests.status_details import reason_and_field

BAD, EARLY, TAKEN = "INVALID_ARGUMENT", "FAILED_PRECONDITION", "ALREADY_EXISTS"
BUILTIN: Final = tuple(load_builtin())
EVERY_TABLE: Final = [
    (ruleset.id, seats)
    for ruleset in BUILTIN
    for seats in range(ruleset.rules.seats.minimum, ruleset.rules.seats.maximum + 1)
]


@pytest.fixture
def house(any_house: House) -> House:
    return any_house


@pytest.fixture(params=GAMES)
def table(request: pytest.FixtureRequest, house: House) -> Table:
    """Deal a round to three seats without keys."""
    return dealt(house, request.param, keyed=False)


@pytest.fixture
def played(table: Table) -> Table:
    """Play the round to its end, every event with a receipt."""
    play_on(table, table.accept)
    return table


def refuse(table: Table, call: Callable[[], object], *expected: str) -> None:
    """Assert that a call is refused with this status, reason and field, and that the log did not grow."""
    size = table.house.size
    assert table.house.refusal_of(call).seen == expected
    assert table.house.size == size


def copied(table: Table) -> Any:  # noqa: ANN401 - a round of the game
    message = type(table.message)()
    message.CopyFrom(table.message)
    return message


@pytest.mark.parametrize(("ruleset_id", "seats"), EVERY_TABLE)
@pytest.mark.parametrize("is_received", [True, False])
def test_round_is_proved_from_its_leaves_alone(
    house: House, second: ModuleType, ruleset_id: str, seats: int, *, is_received: bool
) -> None:
    """The transcript replays byte for byte, a second derivation deals the same cards, the log proves every leaf."""
    game = ruleset_id.partition(".")[0]
    table = dealt(house, game, seats=seats, keyed=False, ruleset_id=ruleset_id)
    play_on(table, table.accept if is_received else table.report)
    preview, settled = table.preview(), table.settle()
    assert preview.outcome == settled.outcome
    ruleset = load_builtin().get(ruleset_id)
    assert settled.outcome.ruleset_digest == hashlib.sha256(ruleset.source).digest()
    net = [seat.net_minor for seat in settled.outcome.seats]
    paid = [
        sum(one.amount_minor * ((one.payee == seat) - (one.payer == seat)) for one in settled.outcome.transfers)
        for seat in range(seats)
    ]
    assert net == paid
    payload = Envelope.parse(settled.log_receipt.leaf).payload
    transcript = json.loads(payload)
    assert json.dumps(transcript, sort_keys=True, separators=(",", ":")).encode() == payload
    assert replay(parse(payload).inputs, ruleset).payload == payload
    receipts = [table.opened.log_receipt, table.dealt.log_receipt, settled.log_receipt, table.reveal().log_receipt]
    leaves = [house.proved(receipt) for receipt in receipts]
    found = table.find()
    assert (found.stage, found.round_id) == (log_pb2.ROUND_STAGE_REVEALED, table.round_id)
    assert [leaf for leaf in map(house.proved, found.leaves) if leaf in leaves] == leaves
    opened, deal, _, revealed = map(payload_of, leaves)
    assert opened["client_commitments"] == [one.seed_commitment(table.round_id).hex() for one in table.players]
    assert transcript["results"]["events_hash"] == hashes_of(table.message)[-1].hex()
    seeds = [bytes.fromhex(seed) for seed in deal["client_seeds"]]
    again = second.derive(opened["header"], bytes.fromhex(revealed["server_seed"]), seeds)
    assert (again["round_id"], again["deck_root"].hex()) == (table.round_id, deal["deck_root"])
    cards = [section["cards"] for section in again["sections"]]
    assert cards[: len(transcript["inputs"]["sections"])] == transcript["inputs"]["sections"]
    assert [list(hand.cards) for hand in table.dealt.hands] == cards[:seats]


def test_log_of_every_game_passes_its_audit(house: House) -> None:
    """A round of each game that is settled, and one that is aborted."""
    for game in GAMES:
        settled, aborted = dealt(house, game), dealt(house, game, keyed=False)
        play_on(settled, settled.accept)
        settled.settle()
        house.clock.now = aborted.header.round_deadline_time + 1
        aborted.abort()
        for table in (settled, aborted):
            table.reveal()
    report = house.audit()
    assert report.findings == ()


def test_accepted_event_has_the_referees_time_and_its_number(table: Table) -> None:
    def accept(seat: int, **choice: Any) -> None:  # noqa: ANN401 - a choice
        table.house.clock.now += 7
        answer = table.accept(seat, **choice)
        assert (answer.event_number, answer.event.time) == (len(table.message.events), table.house.clock.now)
        assert answer.event.received
        said = payload_of(answer.receipt)
        said.pop("opens_section", None)
        assert said == {
            "event_hash": hashes_of(table.message)[-1].hex(),
            "history": history_of(table.message).hex(),
            "number": answer.event_number,
            "received_time": table.house.clock.now,
            "round_id": table.round_id.hex(),
        }
        if "state" in answer.DESCRIPTOR.fields_by_name:
            assert answer.state == table.preview().state

    play_on(table, accept)


def test_preview_writes_nothing(played: Table) -> None:
    checkpoint = played.house.checkpoint()
    assert played.preview() == played.preview()
    assert played.house.checkpoint() == checkpoint


def test_settlement_again_is_the_same_leaf_whenever_it_is_asked_for(played: Table) -> None:
    """At once, by a server that has seen no question about the round, and after the round's deadline."""
    first = played.settle()
    played.reveal()
    size = played.house.size
    played.house.clock.now += 1
    again = played.settle()
    played.house.restart()
    played.referee = getattr(played.house, played.game)
    fresh = played.settle()
    played.house.clock.now = played.header.round_deadline_time + 1
    for answer in (again, fresh, played.settle()):
        assert (answer.outcome, answer.log_receipt.leaf) == (first.outcome, first.log_receipt.leaf)
        assert answer.log_receipt.leaf_index == first.log_receipt.leaf_index
        assert played.house.proved(answer.log_receipt) == first.log_receipt.leaf
    assert played.house.size == size


def test_another_settlement_of_a_settled_round_is_refused(played: Table) -> None:
    """The same events on the frontend's word are another settlement; so is an abort."""
    played.settle()
    played.reveal()
    if played.game == "ultimate_texas":  # what opens cards cannot be reported
        played.message.events[0].time -= 1
    else:
        played.message.receipt = b""
        for event in played.message.events:
            event.received = False
        refuse(played, played.settle, TAKEN, "ALREADY_SETTLED", "")
    assert played.house.refusal_of(played.abort).reason == "ALREADY_SETTLED"


def test_round_that_is_not_over_is_not_settled(table: Table) -> None:
    size = table.house.size
    answer = table.settle()
    assert {violation.code for violation in answer.violations} == {"ROUND_NOT_OVER"}
    assert (answer.HasField("outcome"), answer.HasField("log_receipt")) == (False, False)
    assert table.house.size == size


def test_round_is_not_settled_before_its_last_reported_event(table: Table) -> None:
    now = table.house.clock.now
    table.house.clock.now += 5_000
    table.report(0, **leaving(table.game))
    table.house.clock.now = now
    facts = [facts_of(violation) for violation in table.settle().violations]
    assert {"code": "CLOSED_TOO_EARLY", "expected": now + 5_000, "received_time": now} in facts


def test_unlawful_event_of_a_round_is_named_by_its_number(table: Table) -> None:
    """By whatever reads the round, in words; events after it are not judged, and nothing is written."""
    seat, choice = next_choice(table, 0)
    table.accept(seat, **choice)
    for _ in range(2):
        table.report(9, **leaving(table.game))
    event, size = table.event(0, **leaving(table.game)), table.house.size
    calls: list[Callable[[], Any]] = [table.preview, table.settle, lambda: table.ask(event)]
    if table.game == "tien_len":
        calls.append(lambda: table.referee.ListPlays(tien_len_pb2.ListPlaysRequest(round=table.message)))
        calls.append(lambda: table.referee.CheckPlay(tien_len_pb2.CheckPlayRequest(round=table.message, event=event)))
    if table.game == "ultimate_texas":
        asked = ultimate_texas_pb2.CheckDecisionRequest(round=table.message, event=event)
        calls.append(lambda: table.referee.CheckDecision(asked))
    for call in calls:
        answer = call()
        assert [facts_of(violation)["code"] for violation in answer.violations] == ["UNKNOWN_SEAT"]
        assert answer.refused_event_number == 2
        for field in {"outcome", "log_receipt", "showdown", "event"} & set(answer.DESCRIPTOR.fields_by_name):
            assert not answer.HasField(field)
    assert table.house.size == size


def test_round_is_aborted_after_its_deadline_and_not_before(played: Table) -> None:
    """An abort is repeated like a settlement, and the next round of the table follows it."""
    refuse(played, played.abort, EARLY, "DEADLINE_NOT_PASSED", "")
    played.house.clock.now = played.header.round_deadline_time + 1
    first, again = played.abort().log_receipt, played.abort().log_receipt
    assert played.house.proved(first) == played.house.proved(again)
    assert played.reveal().server_seed
    played.house.clock.now -= 1  # the deadline itself, as on another machine
    assert played.house.refusal_of(played.settle).reason == "ABORTED"
    following = Table(played.house, played.game, seats=3, keyed=False, name=played.name).open()
    assert following.header.previous_leaf_hash == first.leaf_hash == leaf_hash(first.leaf)


def test_next_round_of_a_table_follows_the_settlement(played: Table) -> None:
    settled = played.settle().log_receipt
    following = Table(played.house, played.game, seats=3, keyed=False, name=played.name).open()
    assert following.header.round.round_number == played.header.round.round_number + 1
    assert following.header.previous_leaf_hash == settled.leaf_hash == leaf_hash(settled.leaf)


def test_round_after_its_deadline_is_neither_played_on_nor_settled(table: Table) -> None:
    table.house.clock.now = table.header.round_deadline_time
    table.preview()
    table.house.clock.now += 1
    for call in (table.preview, table.settle, lambda: table.ask(table.event(0, **leaving(table.game)))):
        refuse(table, call, EARLY, "EXPIRED", "round.certificates")


def next_choice(table: Table, number: int) -> tuple[int, dict[str, Any]]:
    """Return a seat that may act when so many events have happened, and a lawful choice of it."""
    choice = first_choice(table)
    if table.game == "tien_len":
        return table.preview().state.turn, {"pass_turn": True} if choice is None else choice
    return number, {"arrange": as_dealt(table, number)} if table.game == "mau_binh" else choice or {}


@pytest.mark.parametrize("mark", [{"time": 1}, {"received": True}])
def test_event_to_be_accepted_brings_no_time_of_its_own(table: Table, mark: dict[str, Any]) -> None:
    event = table.event(0, **leaving(table.game))
    event.MergeFrom(type(event)(**mark))
    refuse(table, lambda: table.ask(event), BAD, "INVALID_FIELD", f"event.{next(iter(mark))}")


def test_event_that_says_nothing_is_refused_with_its_place(table: Table) -> None:
    field = ".decision" if table.game == "ultimate_texas" else ""
    refuse(table, lambda: table.ask(table.event(0)), BAD, "MISSING_FIELD", f"event{field}")
    table.report(0, **leaving(table.game))
    table.message.events.append(table.event(1))
    for call in (table.preview, table.settle):
        refuse(table, call, BAD, "MISSING_FIELD", f"round.events[1]{field}")


def test_more_events_than_a_round_may_have_are_refused(table: Table) -> None:
    table.message.events.extend([table.event(0, **leaving(table.game))] * (REGISTERED[table.game].max_events + 1))
    for call in (table.preview, table.settle):
        refuse(table, call, BAD, "TOO_MANY_EVENTS", "round.events")


def test_round_of_another_game_is_refused(house: House, table: Table) -> None:
    """Dealt and true, but not this service's to judge."""
    other = dealt(house, next(game for game in GAMES if game != table.game), keyed=False)
    table.message.header.CopyFrom(other.header)
    table.message.certificates[:] = other.message.certificates
    for call in (table.preview, table.settle, lambda: table.ask(table.event(0, **leaving(table.game)))):
        refuse(table, call, BAD, "INVALID_FIELD", "round.header.ruleset_id")


def test_answers_do_not_depend_on_what_the_server_remembers(played: Table) -> None:
    """The whole round, beginnings and edited ones, asked after one another in both orders, then after a restart."""
    left, unlawful = (reported(played, count) for count in (1, 2))
    left.events[0].CopyFrom(played.event(left.events[0].seat, time=left.events[0].time, **leaving(played.game)))
    unlawful.events.append(unlawful.events[0])
    variants = [copied(played), reported(played, 0), reported(played, 1), left, unlawful]

    def preview(message: Any) -> Any:  # noqa: ANN401 - messages of the game
        return getattr(played.house, played.game).PreviewRound(played.asking("PreviewRound", round=message))

    forth = [preview(message) for message in variants]
    back = [preview(message) for message in reversed(variants)][::-1]
    fresh = []
    for message in variants:
        played.house.restart()
        fresh.append(preview(message))
    assert forth == back == fresh
    shown = 4 if played.game == "mau_binh" else len(variants)  # an unfinished round of Mậu Binh shows no hand
    assert len({answer.SerializeToString() for answer in fresh}) == shown


def reported(table: Table, count: int) -> Any:  # noqa: ANN401 - a round of the game
    """Return the round's beginning as a frontend reports it that asks for no receipt."""
    message = copied(table)
    del message.events[count:]
    message.ClearField("receipt")
    for event in message.events:
        event.received = False
    return message


def test_round_without_a_certificate_is_refused(table: Table) -> None:
    table.message.ClearField("certificates")
    for call in (table.preview, table.settle, lambda: table.ask(table.event(0, **leaving(table.game)))):
        refuse(table, call, BAD, "MISSING_FIELD", "round.certificates")


def test_header_changed_after_the_deal_is_refused(table: Table) -> None:
    """The certificate names the round by the hash of its header."""
    table.message.header.currency = "EUR"
    for call in (table.preview, table.settle):
        refuse(table, call, BAD, "FOREIGN", "round.header")


@pytest.mark.parametrize("game", GAMES)
def test_number_of_seats_that_no_round_has_is_refused(house: House, game: str) -> None:
    seats = load_builtin().get(RULESETS[game]).rules.seats
    size = house.size
    for count in (seats.minimum - 1, seats.maximum + 1):
        terms = house.terms(ruleset_id=RULESETS[game], seat_count=count)
        assert house.refusal_of(partial(house.open_round, terms)).seen == (BAD, "INVALID_FIELD", "terms.seat_count")
    assert house.size == size


def test_one_bad_round_does_not_stop_the_others_of_a_batch(house: House, played: Table) -> None:
    unfinished, last = (dealt(house, played.game, keyed=False) for _ in range(2))
    play_on(last, last.accept)
    unknown = copied(played)
    unknown.header.ruleset_id = "nobody.knows"
    asked = [one.asking("SettleRound") for one in (played, unfinished, played, last)]
    asked[2].round.CopyFrom(unknown)
    answers = played.referee.SettleRounds(played.asking("SettleRounds", requests=asked)).responses
    assert [answer.HasField("refused") for answer in answers] == [False, False, True, False]
    assert {one.code for one in answers[1].violations} == {"ROUND_NOT_OVER"}
    assert reason_and_field(answers[2].refused) == ("UNKNOWN_RULESET", "round.header.ruleset_id")
    for answer, one in ((answers[0], played), (answers[3], last)):
        assert answer.log_receipt.leaf == one.settle().log_receipt.leaf


def test_deal_again_is_the_same_and_from_other_seeds_refused(table: Table) -> None:
    assert table.shuffler.DealRound(table.deal_request()).certificate == table.dealt.certificate
    other = shuffler_pb2.DealRoundRequest(**table.slot, client_seeds=table.house.seeds_of(3, name="better luck"))
    assert table.house.refusal_of(table.shuffler.DealRound, other).reason in {"ALREADY_DEALT", "SEED_MISMATCH"}
    assert open_round(table.shuffler, table.request).log_receipt.leaf == table.opened.log_receipt.leaf
