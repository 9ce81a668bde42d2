"""Attacks on the rules: results, events, receipts and settlements."""

from dataclasses import replace

import msgspec

from referee.audit import Code, Documents
from referee.cards import Seat
from referee.games.mau_binh import Arrange
from referee.games.mau_binh.game import GAME
from referee.rulesets import Ruleset, get
from referee.transcript.round import write_transcript
from tests.audit.audit_attack import (
    TABLE,
    WORD,
    Attacked,
    attack,
    begun,
    ended,
    log_attack,
    mutation,
    receipt,
    rewrite,
    written_id,
)
from tests.audit.audit_builder import (
    LogBuilder,
    Parts,
    Table,
    abort,
    change_inputs,
    course_of,
    digest,
    receipt_of,
    settle,
)


@attack(Code.WRONG_RESULT, "money moves that the rules do not move")
def transfer_added(parts: Parts) -> None:
    found = msgspec.json.decode(parts.transcript)["results"]
    found["transfers"].append({"amount": 100, "from": 0, "reason": "BACK", "subject": "PAIR", "to": 1})
    parts.transcript = write_transcript(parts.header, parts.inputs, found)


@mutation(Code.RULESET_UNKNOWN, "the round names a ruleset that the auditor does not have, so its rules go unchecked")
def ruleset_unknown() -> Attacked:
    log = LogBuilder.founded()
    parts = log.prepare(TABLE, ruleset_id="mau_binh.elsewhere", ruleset_digest=digest("another"))
    return ended(log, parts)


class _LaxTable(Table):
    """A table of Ultimate Texas whose house takes bets of any unit, whatever the ruleset says."""

    @property
    def ruleset(self) -> Ruleset:
        """Ruleset with the bet unit 1."""
        return replace(get(self.ruleset_id), bet_unit=1)


@mutation(Code.TERMS_FORBIDDEN, "a round is opened, dealt and settled for bets that its ruleset forbids")
def settled_for_forbidden_bets() -> Attacked:
    log = LogBuilder.of(_LaxTable(name="board", ruleset_id="ultimate_texas.casino", seats=2))
    return ended(log)


@mutation(Code.TERMS_FORBIDDEN, "a round is opened for a stake so high that the ruleset forbids it, and given up")
def opened_for_a_forbidden_stake() -> Attacked:
    return given_up_at(TABLE, stake=2**53 - 1)


@mutation(Code.TERMS_FORBIDDEN, "a round is opened for one seat by a ruleset that takes two, and given up")
def opened_for_too_few_seats() -> Attacked:
    return given_up_at(replace(TABLE, seats=1))


def given_up_at(table: Table, **terms: object) -> Attacked:
    """Make a log whose only round was opened under these terms and given up before any seed."""
    log = LogBuilder.founded()
    parts = log.lay_out(table, **terms)
    abort(parts, stage="OPENED", reason="SEED_MISSING")
    log.append(parts, steps="OER")
    return ended(log)


@mutation(Code.WRONG_RULESET, "the round names a known ruleset with a digest that is not its own")
def ruleset_digest_unknown() -> Attacked:
    log = LogBuilder.founded()
    parts = log.prepare(TABLE, ruleset_digest=digest("another"))
    return ended(log, parts)


@mutation(Code.WRONG_RULESET, "the round is called by one ruleset and played by another's digest")
def ruleset_of_another_name() -> Attacked:
    log = LogBuilder.founded()
    parts = log.prepare(TABLE, ruleset_digest=get("mau_binh.chi_2020").digest)
    return ended(log, parts)


@attack(Code.ILLEGAL_EVENT, "an arrangement after its deadline is accepted", on=WORD)
def event_after_its_deadline(parts: Parts) -> None:
    late = parts.inputs.dealt_time + 600_000
    events = parts.inputs.events
    parts.inputs = msgspec.structs.replace(parts.inputs, closed_time=late)
    rewrite(parts, (*events[:-1], msgspec.structs.replace(events[-1], time=late)))


@attack(Code.HISTORY_ALTERED, "the frontend edits an event after the referee issued its receipt")
def event_edited(parts: Parts) -> None:
    hand = parts.deal.sections[0]
    events = list(parts.inputs.events)
    edited = GAME.events.encode(Arrange(Seat(0), hand[:5], hand[5:10], hand[10:], 0))
    events[0] = msgspec.structs.replace(events[0], event=msgspec.Raw(edited))
    change_inputs(parts, events=tuple(events))


@attack(Code.HISTORY_ALTERED, "the frontend moves a seat's event in time")
def event_time_edited(parts: Parts) -> None:
    first, *others = parts.inputs.events
    change_inputs(parts, events=(msgspec.structs.replace(first, time=first.time + 1), *others))


@attack(Code.HISTORY_ALTERED, "the order of two events is changed")
def events_reordered(parts: Parts) -> None:
    one, other = parts.inputs.events
    reordered = (msgspec.structs.replace(other, time=one.time), msgspec.structs.replace(one, time=other.time))
    change_inputs(parts, events=reordered)


@attack(Code.EVENTS_ALTERED, "an event with a receipt is left out, so the seat's cards count as dealt")
def event_dropped(parts: Parts) -> None:
    change_inputs(parts, events=parts.inputs.events[1:], closed_time=parts.inputs.dealt_time + 200_000)


@attack(Code.HISTORY_ALTERED, "an event is reported twice")
def event_doubled(parts: Parts) -> None:
    first, *others = parts.inputs.events
    change_inputs(parts, events=(first, first, *others))


@attack(Code.EVENTS_ALTERED, "events that only the frontend attests are edited under the old result", on=WORD)
def events_edited_without_receipts(parts: Parts) -> None:
    hand = parts.deal.sections[0]
    edited = GAME.events.encode(Arrange(Seat(0), hand[:5], hand[5:10], hand[10:], 0))
    events = list(parts.inputs.events)
    events[0] = msgspec.structs.replace(events[0], event=msgspec.Raw(edited))
    parts.inputs = msgspec.structs.replace(parts.inputs, events=tuple(events))
    found = msgspec.json.decode(parts.transcript)["results"]
    parts.transcript = write_transcript(parts.header, parts.inputs, found)


def repeated_receipts() -> Attacked:
    """Make a sound log and two receipts of its event 1: at the settled time, and a second later."""
    log, parts = begun()
    first, *others = parts.inputs.events
    later = msgspec.structs.replace(first, time=first.time + 1_000)
    other = replace(parts, inputs=msgspec.structs.replace(parts.inputs, events=(later, *others)))
    log.documents = Documents(event_receipts=(receipt(parts, 1), receipt_of(other, 1, course_of(other))))
    return ended(log, parts)


@log_attack(Code.FORKED_RECEIPTS, "the referee was asked about two continuations of one round")
def two_receipts_of_one_event(log: LogBuilder, parts: Parts) -> None:
    hand = parts.deal.sections[0]
    other = GAME.events.encode(Arrange(Seat(0), hand[:5], hand[5:10], hand[10:], 0))
    log.documents = Documents(event_receipts=(receipt(parts, 1), receipt(parts, 1, event=other)))


@log_attack(Code.ENDED_TWICE, "a round is settled again, otherwise", on=WORD, steps="")
def settled_twice(log: LogBuilder, parts: Parts) -> None:
    log.append(parts, steps="ODE")
    settle(parts, seed=1)
    log.entries += [parts.ended, parts.reveal_leaf]


@attack(Code.SETTLED_OTHER_ROUND, "the transcript of one round is logged as that of another")
def settled_for_another_round(parts: Parts) -> None:
    other = msgspec.structs.replace(parts.inputs.header, table_id="elsewhere")
    change_inputs(parts, header=other)
    parts.transcript = parts.transcript.replace(other.round_id.hex().encode(), written_id(parts))


@attack(Code.SETTLED_UNDEALT, "a round is settled that was never dealt", steps="OER")
def settled_undealt(_parts: Parts) -> None:
    """Change nothing but the steps."""
