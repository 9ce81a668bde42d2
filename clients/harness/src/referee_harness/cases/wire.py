"""The driver that makes calls: each step of a case is a request, and a ``Caller`` sends it."""

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from referee.cards import Seat
from referee.dealing.commitment import seed_statement
from referee.transcript.chain import Course
from referee.v1 import advice_pb2, log_pb2, ruleset_pb2, seating_pb2, shuffler_pb2
from referee.wire.registry import GAME_MESSAGES
from referee_harness.cases.events import event_of, split_time
from referee_harness.cases.members import put
from referee_harness.cases.rows import Case, Step, verb_of
from referee_harness.cases.secrets import Secrets

_FILES: Final = (advice_pb2, log_pb2, ruleset_pb2, seating_pb2, shuffler_pb2)


_OF_TERMS: Final = frozenset(
    {"INVALID_FIELD", "INVALID_HEADER", "INVALID_STAKE", "MISSING_FIELD", "UNKNOWN_RULESET", "DEADLINE_PASSED"}
)
"""Reasons for which terms are refused in every state of a table."""


@dataclass(frozen=True)
class Refusal:
    """How a call was refused: status code, reason, path of the field at fault (empty for none) and facts."""

    code: str
    reason: str
    field: str
    facts: Mapping[str, str]

    def __str__(self) -> str:
        return f"{self.code} {self.reason} {self.field}".strip()


class Refused(Exception):  # noqa: N818 - a refusal is an answer here
    """A call that was refused."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal


class Caller(Protocol):
    """Sender of requests: a channel, or a program in any language."""

    def call(self, method: str, request: Message, answer: type[Any]) -> Any:  # noqa: ANN401 - an answer of any method
        """Call a method by its full name and return its answer; raise Refused."""

    def sign(self, key: bytes, statement: bytes) -> bytes:
        """Sign 32 bytes by Ed25519 with a private key; ``Unable`` if the caller cannot."""


class Unable(Exception):  # noqa: N818 - no error
    """What a caller cannot do, so that the case says nothing about it."""


def method_types(game: str) -> Mapping[str, tuple[str, type[Any], type[Any]]]:
    """Return full name, request and answer of each method, by service and name, and of the game's by name alone."""
    services = [service for file in _FILES for service in file.DESCRIPTOR.services_by_name.values()]
    own = GAME_MESSAGES[game].descriptor
    types = {}
    for service in [*services, own]:
        for method in service.methods:
            one = (
                f"/{service.full_name}/{method.name}",
                GetMessageClass(method.input_type),
                GetMessageClass(method.output_type),
            )
            types[f"{service.name}/{method.name}"] = one
            types[method.name] = one
    return types


class WireRound:
    """The rounds of a case at one table, played by calls; each verb of a step is a method."""

    def __init__(self, case: Case, table: str, caller: Caller, *, now: Callable[[], int]) -> None:
        self.case, self.table, self._caller, self._now = case, table, caller, now
        self.messages = GAME_MESSAGES[case.game]
        self._types = method_types(case.game)
        self.dealt_time = 0
        self.header: Any = None
        self.round_id = b""
        self.message: Any = self.messages.round()
        self.number = 0
        self.hands: dict[int, list[int]] = {}
        self._verbs: Mapping[str, Callable[[Any, Step], Any]] = {
            "prepare": self._prepare,
            "open": self._open,
            "contribute": self._contribute,
            "deal": self._deal,
            "hand": self._hand,
            "accept": self._accept,
            "report": self._report,
            "check": self._check,
            "section": self._section,
            "judge": self._judge,
            "preview": self._preview,
            "settle": self._settle,
            "abort": self._abort,
            "reveal": self._reveal,
            "ask": self._ask,
            "call": self._call,
            "wait": self._wait,
        }

    def act(self, step: Step) -> Any:  # noqa: ANN401 - an answer of any method
        """Do what a step says and return the answer, None where there is none; raise Refused."""
        verb = verb_of(step)
        return self._verbs[verb](step[verb], step)

    def secrets(self, seat: int) -> Secrets:
        """Return the secrets of a seat in this round."""
        return Secrets(self.table, seat, self.round_id)

    def _send(self, name: str, members: Mapping[str, Any], step: Step, *, round_id: bool = False) -> Any:  # noqa: ANN401, ARG002
        method, kind, answer = self._types[name]
        request = kind()
        for path, value in members.items():
            put(request, path, value)
        for path, value in {**step.get("with", {}), **step.get("set", {})}.items():
            put(request, path, self._filled(value))
        return self._caller.call(method, request, answer)

    def _filled(self, value: Any) -> Any:  # noqa: ANN401 - any JSON
        """Replace ``$name`` by what the round has of that name."""
        if isinstance(value, list):
            return [self._filled(one) for one in value]
        if isinstance(value, dict):
            return {name: self._filled(one) for name, one in value.items()}
        if not isinstance(value, str) or not value.startswith("$"):
            return value
        name, _, added = value[1:].partition("+")
        shift = int(added or 0)
        found = {
            "table": self.table,
            "header": self.header,
            "round": self.message,
            "certificate": self.message.certificates[0] if self.message.certificates else b"",
            "receipt": self.message.receipt,
            "round_id": self.round_id,
            "now": self._now(),
            "deal_deadline": self.header.deal_deadline_time if self.header else 0,
            "round_deadline": self.header.round_deadline_time if self.header else 0,
        }.get(name)
        if found is None and name.startswith("key"):
            found = self.secrets(int(name[3:])).public_key
        if found is None and name.startswith("token"):
            found = self.secrets(int(name[5:])).token
        if found is None:
            raise ValueError(f"{value!r} names nothing of a round")
        return found + shift if shift else found

    @property
    def _slot(self) -> dict[str, Any]:
        return {"round.table_id": self.table, "round.round_number": self.number}

    def _terms(self, changes: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a message
        case = self.case
        terms = shuffler_pb2.RoundTerms(
            table_id=self.table,
            ruleset_id=case.head["ruleset"],
            seat_count=case.seats,
            currency=case.head.get("currency", "CHIP"),
            stake_minor=case.head["stake"],
        )
        for seat, (bet, side_bet) in enumerate(case.head.get("bets", ())):
            put(terms, f"seat_stakes[{seat}]", {"bet_minor": bet, "side_bet_minor": side_bet})
        if case.head.get("keyed"):
            terms.seat_keys.extend(self.secrets(seat).public_key for seat in range(case.seats))
        for path, value in changes.items():
            put(terms, path, self._filled(value))
            if path == "round":
                terms.ClearField("table_id")
        return terms

    def _prepare(self, changes: Mapping[str, Any], step: Step) -> Any:  # noqa: ANN401
        answer = self._send("PrepareRound", {"terms": self._terms(changes)}, step)
        self.header, self.round_id = answer.header, answer.round_id
        return answer

    def _open(self, changes: Mapping[str, Any], step: Step) -> Any:  # noqa: ANN401
        members: dict[str, Any] = {"terms": self._terms(changes)}
        secured = self.case.head.get("keyed") or self.case.head.get("sealed")
        if secured or "header" in step.get("set", {}) or any(path.startswith("header") for path in step.get("set", {})):
            self._prepare(changes, {})
            members = {"header": self.header}
        if secured:
            seats = [self.secrets(seat) for seat in range(self.case.seats)]
            members["client_commitments"] = [seat.seed_commitment for seat in seats]
            if self.case.head.get("sealed"):
                members["seat_tokens"] = [seat.token_hash for seat in seats]
        answer = self._opened(members, step)
        self.header, self.round_id, self.server_commitment = answer.header, answer.round_id, answer.server_commitment
        self.number = answer.header.round.round_number
        self.message = self.messages.round(header=self.header)
        self.hands = {}
        return answer

    def _opened(self, members: Mapping[str, Any], step: Step) -> Any:  # noqa: ANN401
        """Open a round; terms that cannot be are refused alike when they are prepared."""
        try:
            return self._send("OpenRound", members, step)
        except Refused as opening:
            refusal = opening.refusal
            if "terms" not in members or refusal.reason not in _OF_TERMS or step.get("set") or step.get("with"):
                raise
        try:
            self._send("PrepareRound", members, step)
        except Refused as preparing:
            if preparing.refusal == refusal:
                raise
        raise Refused(replace(refusal, field=f"{refusal.field}, but not by PrepareRound"))

    def _signed_seed(self, seat: int) -> bytes:
        if not self.case.head.get("keyed"):
            return b""
        secrets = self.secrets(seat)
        token_hash = secrets.token_hash if self.case.head.get("sealed") else b""
        statement = seed_statement(
            round_id=self.round_id,
            commitment=self.server_commitment,
            seat=Seat(seat),
            token_hash=token_hash,
            seed=secrets.seed,
        )
        return self._caller.sign(secrets.key, statement)

    def _contribute(self, seat: int, step: Step) -> Any:  # noqa: ANN401
        members = {**self._slot, "seat": seat, "seed": self.secrets(seat).seed, "signature": self._signed_seed(seat)}
        return self._send("ContributeSeed", members, step)

    def _deal(self, members: Mapping[str, Any], step: Step) -> Any:  # noqa: ANN401
        seats = range(len(self.header.seat_keys) if self.header else self.case.seats)
        made: dict[str, Any] = {**self._slot}
        if "client_seeds" not in members:
            made["client_seeds"] = [self.secrets(seat).seed for seat in seats]
            if self.case.head.get("keyed"):
                made["seed_signatures"] = [self._signed_seed(seat) for seat in seats]
        answer = self._send("DealRound", made | dict(members), step)
        self.dealt_time = answer.dealt_time
        self.message.certificates[:] = [answer.certificate]
        self.hands = {hand.seat: list(hand.cards) for hand in answer.hands}
        return answer

    def _hand(self, seat: int, step: Step) -> Any:  # noqa: ANN401
        answer = self._send("OpenHand", {**self._slot, "seat": seat, "token": self.secrets(seat).token}, step)
        self.hands[seat] = list(answer.hand.cards)
        return answer

    def _event(self, text: str) -> Any:  # noqa: ANN401 - an event of the game
        event = event_of(self.messages.event, text, lambda seat: self.hands[seat], seat_secrets=self.secrets)
        imposed = " timeout" in text.lower()
        if self.case.head.get("keyed") and not imposed:
            event.seen = len(self.message.events)
        return event

    def _course(self) -> Course:
        payload = json.loads(base64.b64decode(json.loads(self.message.certificates[0])["payload"]))
        course = Course.begin(round_id=self.round_id, deck_root=bytes.fromhex(payload["deck_root"]))
        for event in self.message.events:
            seen = event.seen if event.HasField("seen") else None
            course = course.append(
                self._encoded(event), time=event.time, received=event.received, seat=event.seat, seen=seen
            )
        return course

    def _encoded(self, event: Any) -> bytes:  # noqa: ANN401 - an event of the game
        read = self.messages.read(event, time=event.time, round_id=self.round_id, field="event")
        encoded: bytes = self.messages.game.events.encode(read)
        return encoded

    def _sign(self, event: Any) -> bytes:  # noqa: ANN401 - as above
        if not self.case.head.get("keyed") or not event.HasField("seen"):
            return b""
        move = self._course().next_move(self._encoded(event), seat=event.seat, seen=event.seen)
        return self._caller.sign(self.secrets(event.seat).key, move)

    def _take(self, event: Any, *, receipt: bytes = b"", signature: bytes = b"") -> None:  # noqa: ANN401 - as above
        self.message.events.append(event)
        if receipt:
            self.message.receipt = receipt
        if signature:
            missing = len(self.header.seat_keys) - len(self.message.signatures)
            self.message.signatures.extend([b""] * missing)
            self.message.signatures[event.seat] = signature

    def _accept(self, text: str, step: Step) -> Any:  # noqa: ANN401
        event = self._event(text)
        signature = self._sign(event) if step.get("signature", True) else b""
        members = {"round": self.message, "event": event}
        answer = self._send("AcceptEvent", members | ({"signature": signature} if signature else {}), step)
        if answer.event_number:
            self._take(answer.event, receipt=answer.receipt, signature=signature)
        if step.get("open_cards") and answer.HasField("opens_section"):
            self._section({}, {})
        return answer

    def _report(self, text: str, step: Step) -> None:
        words, time = split_time(text)
        event = self._event(words)
        event.time = self._now() if time is None else self.dealt_time + time
        for path, value in step.get("set", {}).items():
            put(event, path, self._filled(value))
        self._take(event, signature=self._sign(event) if step.get("signature", True) else b"")

    def _check(self, text: str, step: Step) -> Any:  # noqa: ANN401
        event = self._event(split_time(text)[0])
        if self.case.game == "mau_binh":
            members = {"round": self.message, "seat": event.seat, "arrangement": event.arrange}
            return self._send("CheckArrangement", members, step)
        name = "CheckPlay" if self.case.game == "tien_len" else "CheckDecision"
        return self._send(name, {"round": self.message, "event": event}, step)

    def _section(self, _: object, step: Step) -> Any:  # noqa: ANN401
        course = self._course()
        steps = [
            shuffler_pb2.Step(event_hash=link.event_hash, time=link.time, received=link.received)
            for link in course.links
        ]
        members = {**self._slot, "steps": steps, "receipt": self.message.receipt}
        answer = self._send("OpenSection", members, step)
        self.message.certificates[:] = [answer.certificate]
        self.hands |= {hand.seat: list(hand.cards) for hand in answer.hands}
        return answer

    def _preview(self, _: object, step: Step) -> Any:  # noqa: ANN401
        return self._send("PreviewRound", {"round": self.message}, step)

    def _settle(self, _: object, step: Step) -> Any:  # noqa: ANN401
        return self._send("SettleRound", {"round": self.message}, step)

    def _judge(self, _: object, step: Step) -> Any:  # noqa: ANN401
        """Ask every question that reads the round; raise the refusal of them all, or one that says how they differ."""
        hand = list(self.hands.get(0, ()))
        asked: list[tuple[str, dict[str, Any]]] = [("SettleRound", {}), ("PreviewRound", {})]
        asked.append(
            ("AcceptEvent", {"event": self._event("0 LEAVE" if self.case.game == "ultimate_texas" else "0 leave")})
        )
        if self.case.game == "mau_binh":
            chi = {"back": hand[:5], "middle": hand[5:10], "front": hand[10:]}
            asked.append(("CheckArrangement", {"arrangement": chi}))
        ends: dict[str, Refusal | None] = {}
        for name, members in asked:
            try:
                self._send(name, {"round": self.message} | members, step)
                ends[f"answered by {name}"] = None
            except Refused as refused:
                ends[str(refused)] = refused.refusal
        if len(ends) > 1:
            raise Refused(Refusal("UNKNOWN", " and ".join(ends), "", {}))
        (end,) = ends.values()
        if end is not None:
            raise Refused(end)

    def _abort(self, reason: str, step: Step) -> Any:  # noqa: ANN401
        return self._send("AbortRound", {**self._slot, **({"reason": reason} if reason else {})}, step)

    def _reveal(self, _: object, step: Step) -> Any:  # noqa: ANN401
        return self._send("RevealRound", self._slot, step)

    def _ask(self, name: str, step: Step) -> Any:  # noqa: ANN401
        return self._send(name, {"round": self.message}, step)

    def _call(self, name: str, step: Step) -> Any:  # noqa: ANN401
        return self._send(name, {}, step)

    def _wait(self, _: int, __: Step) -> None:
        """Do nothing: the engine has moved the clock."""
