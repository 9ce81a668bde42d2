"""Rounds as callers who know different things send them: what each may ask at every step of one round."""

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from referee.v1 import mau_binh_pb2, tien_len_pb2, ultimate_texas_pb2
from tests.driver.messages import METHODS
from tests.service.courses import take
from tests.service.house import House
from tests.service.playing import dealt, leaving, play_on
from tests.service.table import Table

_CHECKS: Final = {
    "tien_len": ("CheckPlay", tien_len_pb2.CheckPlayRequest),
    "ultimate_texas": ("CheckDecision", ultimate_texas_pb2.CheckDecisionRequest),
}
_SERVICES: Final = {"mau_binh": "MauBinh", "tien_len": "TienLen", "ultimate_texas": "UltimateTexas"}


class Step(NamedTuple):
    """A round so far, and the event that came next with its seat's signature; None after the last."""

    message: Any
    event: Any
    signature: bytes


class Question(NamedTuple):
    """A request of a method by its full name; the request carries its whole round."""

    method: str
    request: Any


def steps_of_a_round(house: House, game: str, *, sealed: bool, keyed: bool) -> tuple[Table, list[Step]]:
    """Play a round of two seats to its end, but settle it not; return the table and each step."""
    if game == "mau_binh" and sealed:
        table = house.sealed(keyed=keyed)
    else:
        table = dealt(house, game, seats=2, sealed=sealed, keyed=keyed)
    steps: list[Step] = []
    ask = table.ask

    def recorded(event: Any, signature: bytes | None = None) -> Any:  # noqa: ANN401 - of any game
        house.clock.now += 7
        signature = table.sign(event) if signature is None else signature
        steps.append(Step(copied(table.message), copied(event), signature))
        return ask(event, signature)

    table.ask = recorded  # type: ignore[method-assign] # on this table alone
    if game == "mau_binh" and sealed:
        hands = [list(table.open_hand(seat).hand.cards) for seat in range(2)]
        for seat, hand in enumerate(hands):
            table.commit(seat, hand)
        table.open_section()
        for seat, hand in enumerate(hands):
            table.accept(seat, **table.arrangement(seat, hand))
    else:
        play_on(table, table.accept)
    return table, [*steps, Step(copied(table.message), None, b"")]


def known_rounds(table: Table, step: Step) -> list[Any]:
    """Return the round of a step as each caller has it: the frontend, its stale copy, the seats, a careless frontend.

    They differ in certificates, in their order, in the receipt, signatures and flags.
    """
    known = [step.message]

    def differing(change: Callable[[Any], None]) -> None:
        message = copied(step.message)
        change(message)
        if message not in known:
            known.append(message)

    first = table.dealt.certificate
    differing(lambda one: one.certificates.__setitem__(slice(None), [first]))
    differing(lambda one: one.certificates.append(first))
    differing(lambda one: one.certificates.insert(0, first))
    if table.sealed:
        own = [table.open_hand(seat).certificate for seat in range(2)]
        differing(lambda one: one.certificates.append(own[0]))
        differing(lambda one: one.certificates.append(own[1]))
        differing(lambda one: one.certificates.extend(own))
        differing(lambda one: one.certificates.__setitem__(slice(None), own))
    differing(lambda one: one.ClearField("receipt"))
    differing(lambda one: one.ClearField("signatures"))
    differing(_as_reported)
    return known


def _as_reported(message: Any) -> None:  # noqa: ANN401 - of any game
    message.ClearField("receipt")
    for event in message.events:
        event.received = False


def questions(table: Table, steps: list[Step]) -> Iterator[Question]:
    """Yield what callers ask at each step: nothing that writes."""
    arranged = [step.event for step in steps[:-1] if table.game == "mau_binh" and step.event.HasField("arrange")]
    for step in steps:
        event, signature = step.event, step.signature
        for message in known_rounds(table, step):
            yield question(table, "PreviewRound", round=message)
            if event is None:
                event, signature = table.event(0, **leaving(table.game)), b""
            else:
                yield question(table, "SettleRound", round=message)
            yield question(table, "AcceptEvent", round=message, event=event, signature=signature)
            if table.game == "tien_len":
                yield _named(table, "ListPlays", tien_len_pb2.ListPlaysRequest(round=message, grouped=True))
            if table.game in _CHECKS:
                name, kind = _CHECKS[table.game]
                yield _named(table, name, kind(round=message, event=event))
            for by in arranged:  # of each seat, whether or not the caller may see its hand
                asked = mau_binh_pb2.CheckArrangementRequest(round=message, seat=by.seat, arrangement=by.arrange)
                yield _named(table, "CheckArrangement", asked)


def following(question: Question, answer: Any) -> Question | None:  # noqa: ANN401 - an answer of any game
    """Return the same question about the round that an accepted event makes; None if the answer accepted none."""
    if not getattr(answer, "event_number", 0):
        return None
    request = copied(question.request)
    take(request.round, answer.event, receipt=answer.receipt, signature=request.signature)
    return Question(question.method, request)


def question(table: Table, method: str, **fields: Any) -> Question:  # noqa: ANN401 - fields of any type
    """Return a question by a method that every game has."""
    return _named(table, method, table.asking(method, **fields))


def copied(message: Any) -> Any:  # noqa: ANN401 - of any type
    """Return a copy of a message."""
    return type(message).FromString(message.SerializeToString())


def _named(table: Table, method: str, request: Any) -> Question:  # noqa: ANN401 - of any method
    name = f"/referee.v1.{_SERVICES[table.game]}Service/{method}"
    assert name in METHODS
    return Question(name, request)
