"""The engine: it runs a case by a driver on a server, and compares what comes with what must come.

Beside what a case says, it holds of every step: a step that expects neither a refusal nor violations is answered, an
accepted event has a number, and a refused call and an answer with violations write nothing.
"""

import json
import re
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any, Final, Protocol

from google.rpc import code_pb2

from referee.cards import DECK
from referee.service.status import CODES
from referee.v1.error_reason_pb2 import ErrorReason
from referee_harness.cases.members import shown
from referee_harness.cases.rows import EXPECTED, Case, Step, verb_of
from referee_harness.cases.wire import Refusal, Refused

_TRIES: Final = 200
_TIME: Final = re.compile(r"(now|dealt|deal_deadline|round_deadline)?([+-]?\d+)?")
_FACTS: Final = ("seat", "expected", "found", "deadline_time", "received_time")
_NEAR_NOW: Final = 10**11
"""Numbers beyond this are times, which cases give in ms after the deal."""


class World(Protocol):
    """A server: its clock, its scripts, and what it has written."""

    is_harness: bool

    def now(self) -> int:
        """Return the time in ms since 1970 UTC."""

    def set_now(self, now: int) -> None:
        """Set the time."""

    def script(self, deck: Mapping[str, Any], table: str) -> None:
        """Script the next deal of a table."""

    def mark(self, driver: "Driver") -> object:
        """Return what is equal as long as the driver's round writes nothing."""

    def leaves(self, driver: "Driver") -> list[str]:
        """Return the types of the round's leaves in order, such as OPEN."""


class Driver(Protocol):
    """Player of the rounds of a case, by calls or by an SDK."""

    table: str
    number: int

    @property
    def dealt_time(self) -> int:
        """Time of the deal in ms since 1970 UTC; 0 before it."""

    @property
    def header(self) -> Any:  # noqa: ANN401 - a header of a round message
        """The round's header; None before it was prepared."""

    def act(self, step: Step) -> Any:  # noqa: ANN401 - an answer of any method
        """Do what a step says and return the answer; raise Refused."""


class MismatchError(AssertionError):
    """Error for a case whose answer is another than it must be; the message is a diff with the command that runs it."""


class _WonAtDealError(Exception):
    """A hand has won at the deal, so that nobody can play."""


_tables = count(1)


def run(case: Case, world: World, driver_of: Callable[[Case, str], Driver], *, prefix: str = "case") -> Driver:
    """Run a case at tables of its own and return the driver that played it; raise MismatchError if it differs.

    A round without a script is dealt again, at another table, until no hand wins at the deal.
    """
    before = world.now()
    for _attempt in range(_TRIES):
        driver = driver_of(case, f"{prefix}-{next(_tables)}")
        if case.is_scripted:
            world.script(case.deck, driver.table)
        try:
            for number, step in enumerate(case.steps, 1):
                for _ in range(step.get("times", 1)):
                    _step(case, world, driver, step, number)
        except _WonAtDealError:
            continue
        finally:
            world.set_now(max(before, world.now()))
        return driver
    raise MismatchError(f"{case.place}: a hand won at the deal {_TRIES} times")


def _step(case: Case, world: World, driver: Driver, step: Step, number: int) -> None:
    if "wait" in step:
        world.set_now(world.now() + step["wait"])
    if "at" in step:
        world.set_now(_time(str(step["at"]), world, driver))
    expects_nothing = bool(step.get("refused") or step.get("violations"))
    mark = world.mark(driver) if expects_nothing else None
    answer, refused = None, None
    try:
        answer = driver.act(step)
    except Refused as error:
        refused = error.refusal
    if verb_of(step) == "deal" and refused is None and _is_won(case, driver):
        raise _WonAtDealError
    found = found_in(answer, refused, step, dealt_time=driver.dealt_time)
    expected = expected_of(step)
    if "leaves" in step:
        left = " ".join(world.leaves(driver))  # a REVEAL may follow an end at any time
        found["leaves"] = left if "REVEAL" in step["leaves"] else left.removesuffix(" REVEAL")
    if expects_nothing and verb_of(step) != "report" and mark != world.mark(driver):
        found["written"] = "something"
    if not _agrees(expected, found):
        raise MismatchError(difference(case, number, step, expected, found))


def _time(text: str, world: World, driver: Driver) -> int:
    matched = _TIME.fullmatch(text)
    if matched is None:
        raise ValueError(f"{text!r} is no time: now, dealt, deal_deadline or round_deadline, and + or - ms")
    name, shift = matched.groups()
    times: Mapping[str | None, Callable[[], int]] = {
        "now": world.now,
        "deal_deadline": lambda: driver.header.deal_deadline_time,
        "round_deadline": lambda: driver.header.round_deadline_time,
    }
    return times.get(name, lambda: driver.dealt_time)() + int(shift or 0)


def _is_won(case: Case, driver: Driver) -> bool:
    """Whether a round that the case goes on to play was won at a deal that it did not choose."""
    acts = any(verb_of(step) in {"accept", "report", "check"} for step in case.steps)
    if case.is_scripted or case.game == "ultimate_texas" or case.head.get("sealed") or not acts:
        return False
    preview = driver.act({"preview": {}})
    return not preview.violations if case.game == "mau_binh" else bool(preview.state.over)


def expected_of(step: Step) -> dict[str, Any]:
    """Return what must come of a step."""
    expected = {name: step[name] for name in EXPECTED if name in step}
    expected.setdefault("refused", "")
    if not expected["refused"]:
        expected.setdefault("violations", [])
    return expected


def found_in(answer: Any, refused: Refusal | None, step: Step, *, dealt_time: int) -> dict[str, Any]:  # noqa: ANN401
    """Return what came of a step, in the form in which cases say it."""
    if refused is not None:
        found: dict[str, Any] = {"refused": f"{refused.reason} {refused.field}".strip()}
        if refused.code != code_of(refused.reason):
            found["refused"] += f", with the status {refused.code}"
        return found | ({"facts": dict(refused.facts)} if "facts" in step else {})
    found = {"refused": ""}
    has_violations = answer is not None and "violations" in answer.DESCRIPTOR.fields_by_name
    violations = list(answer.violations) if has_violations else []
    wanted = step.get("violations", [])
    found["violations"] = [
        facts_of(one, dealt_time=dealt_time) if index >= len(wanted) or not isinstance(wanted[index], str) else one.code
        for index, one in enumerate(violations)
    ]
    if verb_of(step) == "accept" and "violations" not in step:  # a foul is accepted
        found["violations"] = [] if answer.event_number else found["violations"] or ["(no event number)"]
    if "answer" in step:
        found["answer"] = {path: _relative(shown(answer, path), dealt_time) for path in step["answer"]}
    outcome = answer.outcome if answer is not None and "outcome" in answer.DESCRIPTOR.fields_by_name else None
    if "transfers" in step and outcome is not None:
        found["transfers"] = [
            f"{one.payer} {one.payee} {one.amount_minor} {one.reason} {one.subject}".strip()
            for one in outcome.transfers
        ]
    if "net" in step and outcome is not None:
        found["net"] = [seat.net_minor for seat in outcome.seats]
    return found


def code_of(reason: str) -> str:
    """Return the status code that a reason has."""
    number = ErrorReason.Value(f"ERROR_REASON_{reason}")
    return str(code_pb2.Code.Name(CODES[number]))


def facts_of(violation: Any, *, dealt_time: int) -> dict[str, Any]:  # noqa: ANN401 - a violation
    """Return a violation's code and facts, times in ms after the deal; ``(no words)`` where it lacks a language."""
    facts: dict[str, Any] = {"code": violation.code}
    text = violation.text
    if not text.vi or not text.en or text.vi == text.en or set("{}?") & set(text.vi + text.en):
        facts["text"] = "(no words)"
    for name in _FACTS:
        if violation.HasField(name):
            facts[name] = _relative(getattr(violation, name), dealt_time)
    for name in ("cards", "against"):
        if getattr(violation, name):
            facts[name] = " ".join(DECK[number - 1].text for number in getattr(violation, name))
    return facts


def _relative(value: Any, dealt_time: int) -> Any:  # noqa: ANN401 - any JSON
    return value - dealt_time if isinstance(value, int) and dealt_time > _NEAR_NOW < value else value


def _agrees(expected: Any, found: Any) -> bool:  # noqa: ANN401 - any JSON
    """Whether what was found has all that is expected; lists are equal in length, and strings and numbers are equal."""
    if isinstance(expected, Mapping):
        if not isinstance(found, Mapping) or "written" in found:
            return False
        return all(_agrees(value, found.get(name)) for name, value in expected.items())
    if isinstance(expected, list) and isinstance(found, list):
        return len(expected) == len(found) and all(map(_agrees, expected, found))
    return bool(expected == found or (expected == "" and found is None))


def difference(case: Case, number: int, step: Step, expected: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    """Return a diff of what must come and what came, where the case is, and the command that runs it alone."""
    lines = [
        f"{case.name}: {case.head['why']}",
        f"{case.place}, step {number}: {json.dumps(step, ensure_ascii=False)}",
    ]
    for name in [*expected, *(set(found) - set(expected))]:
        if name in expected and _agrees(expected[name], found.get(name)):
            continue
        lines += [f"- {name}: {json.dumps(expected[name], ensure_ascii=False)}"] if name in expected else []
        lines += [f"+ {name}: {json.dumps(found[name], ensure_ascii=False)}"] if name in found else []
    lines.append(f'run it alone: .venv/bin/pytest -n 0 tests/cases -k "{case.head["case"]}"')
    return "\n".join(lines)
