"""``referee-harness conform -- PROGRAM``: a client in any language makes the calls of all cases.

The program is started once. It reads a question a line from its standard input and writes an answer a line to its
standard output; the page CONFORM.md says which.
"""

import argparse
import base64
import itertools
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from logging import CRITICAL
from typing import IO, Any, Final

import structlog
from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from google.protobuf.message import DecodeError
from google.rpc import code_pb2

from referee.evidence.outside import OutsideError, read_json
from referee.evidence.printable import error_words
from referee.rulesets import load_builtin
from referee_harness.cases.engine import MismatchError, run
from referee_harness.cases.rows import Case, cases
from referee_harness.cases.servers import Served, audit_of, by_calls, may_set_back, serve_dealing, serve_scripted
from referee_harness.cases.vector_cases import vector_cases
from referee_harness.cases.wire import Refusal, Refused, Unable

RELEASED: Final = frozenset(ruleset.id for ruleset in load_builtin())

SECONDS: Final = 60
"""Longest time in which a program must answer a question, and end."""


class ProgramError(Exception):
    """Error for a program that ended, or whose answer cannot be read."""


class Program:
    """A caller that has a program make its calls to one server."""

    def __init__(  # noqa: PLR0913 - two streams, and what bounds their use
        self,
        questions: IO[str],
        answers: IO[str],
        *,
        end: Callable[[], object] = lambda: None,
        seconds: float = SECONDS,
        numbers: "itertools.count[int] | None" = None,
        server: str = "",
    ) -> None:
        self._questions, self._answers = questions, answers
        self._end, self._seconds = end, seconds
        self._numbers, self._server = numbers or itertools.count(1), server

    def at(self, server: str) -> "Program":
        """Return the caller of the same program to a server at this address."""
        return Program(
            self._questions, self._answers, end=self._end, seconds=self._seconds, numbers=self._numbers, server=server
        )

    def call(self, method: str, request: Any, answer: type[Any]) -> Any:  # noqa: ANN401 - an answer of any method
        """Have the program call a method; raise Refused."""
        question = {
            "server": self._server,
            "method": method,
            "request": MessageToDict(request),
            "request_bytes": base64.b64encode(request.SerializeToString()).decode(),
        }
        said = self._ask(question)
        if "refused" in said:
            refused = said["refused"]
            code = str(code_pb2.Code.Name(refused["code"]))
            reason, field = refused.get("reason", ""), refused.get("field", "")
            raise Refused(Refusal(code, reason, field, dict(refused.get("facts") or {})))
        try:
            if "answer_bytes" in said:
                return answer.FromString(base64.b64decode(said["answer_bytes"]))
            return ParseDict(said["answer"], answer(), ignore_unknown_fields=True)
        except (DecodeError, LookupError, ParseError, TypeError, ValueError) as error:
            raise ProgramError(f"the program's answer is no {answer.DESCRIPTOR.name}: {error}") from None

    def sign(self, key: bytes, statement: bytes) -> bytes:
        """Have the program sign; raise Unable if it cannot."""
        said = self._ask({"sign": statement.hex(), "private_key": key.hex()})
        if said.get("unable"):
            raise Unable("the program signs nothing")
        return bytes.fromhex(said["signature"])

    def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        number = next(self._numbers)
        bound = threading.Timer(self._seconds, self._end)
        bound.start()
        try:
            self._questions.write(json.dumps({"id": number} | question) + "\n")
            self._questions.flush()
            line = self._answers.readline()
        except BrokenPipeError:
            line = ""
        finally:
            bound.cancel()
        if not line:
            raise ProgramError(
                f"the program ended, or was ended after {self._seconds:g} s, before it answered question {number}"
            )
        try:
            said = read_json(line)
        except OutsideError:
            raise ProgramError(f"the program's answer to question {number} is no JSON: {line[:200]!r}") from None
        if not isinstance(said, dict) or said.get("id") != number:
            raise ProgramError(f"the program's answer to question {number} has not its id: {line[:200]!r}")
        if not {"answer", "answer_bytes", "refused", "signature", "unable"} & set(said):
            raise ProgramError(
                f"the program's answer to question {number} says neither answer nor refused: {line[:200]!r}"
            )
        return said


@contextmanager
def started(command: Sequence[str], *, seconds: float = SECONDS) -> Iterator[Program]:
    """Start a program, which is ended if it takes longer for an answer, or to end once its standard input has ended."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - the caller's own
        questions, answers = process.stdin, process.stdout
        if questions is None or answers is None:
            raise ProgramError("the program has no standard input or output")
        try:
            yield Program(questions, answers, end=process.kill, seconds=seconds)
        finally:
            with suppress(BrokenPipeError):
                questions.close()
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                process.kill()


def askable() -> list[Case]:
    """Return the cases that a program is asked: those with released rulesets, on a clock that only goes forward."""
    return [case for case in (*cases(), *vector_cases()) if case.head["ruleset"] in RELEASED and _can(case)]


def _can(case: Case) -> bool:
    return "rules" not in case.head and not may_set_back(case)


def conform(chosen: Iterable[Case], program: Program, tell: Callable[[str], object]) -> tuple[int, int, int, str]:
    """Have a program make the calls of cases; return how many passed, failed, were not possible, and the levels."""
    passed = failed = unable = 0
    with ExitStack() as stack:
        scripted, dealing = stack.enter_context(serve_scripted()), stack.enter_context(serve_dealing())
        for case in chosen:
            server = scripted if case.is_scripted else dealing
            try:
                run(case, server, by_calls(server, program.at(server.address)))
                passed += 1
            except Unable:
                unable += 1
            except (MismatchError, ValueError, KeyError) as error:
                failed += 1
                tell(_failure(case, error))
        levels = [level for server in (scripted, dealing) for level in levels_of(server)]
    return passed, failed, unable, ", ".join(filter(None, (_span("L", levels), _span("E", levels))))


def _failure(case: Case, error: Exception) -> str:
    """Return a failure with the command that runs it alone by the program."""
    text = str(error) if isinstance(error, MismatchError) else f"{case.name}: an answer cannot be read: {error!r}"
    kept = [line for line in text.splitlines() if not line.startswith("run it alone:")]
    return "\n".join([*kept, f"run it alone: referee-harness conform --case '{case.name}' -- PROGRAM", ""])


def levels_of(server: Served) -> list[str]:
    """Audit a server's log and return the levels of proof that its rounds have, of dealing and of events."""
    report = audit_of(server)
    counts = [*report.dealing_levels.items(), *report.event_levels.items()]
    return [str(level) for level, count in counts if count and str(level) != "NONE"]


def _span(letter: str, levels: Sequence[str]) -> str:
    """Return the lowest and the highest level of a letter, as ``L0-L2``; empty for none."""
    own = sorted(level for level in levels if level.startswith(letter))
    return "" if not own else own[0] if own[0] == own[-1] else f"{own[0]}-{own[-1]}"


def main(arguments: Sequence[str]) -> None:
    """Ask a program, print what failed and the sum; exit with 1 if a case failed."""
    parser = argparse.ArgumentParser(
        prog="referee-harness conform", description="Have a program in any language make the calls of all cases."
    )
    parser.add_argument("--case", action="append", default=[], metavar="TEXT", help="only cases whose names have it")
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, help="longest time for an answer, and for the end; %(default)s"
    )
    parser.add_argument("program", nargs="+", metavar="PROGRAM", help="after --: the program and its arguments")
    options = parser.parse_args(arguments)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(CRITICAL))
    chosen = [case for case in askable() if not options.case or any(text in case.name for text in options.case)]
    if not chosen:
        sys.exit(f"referee-harness conform: no case has {' or '.join(map(repr, options.case))} in its name")
    try:
        with started(options.program, seconds=options.seconds) as program:
            passed, failed, unable, levels = conform(chosen, program, lambda text: sys.stdout.write(text + "\n"))
    except (OSError, ProgramError) as error:
        sys.exit(f"referee-harness conform: {error_words(error)}")
    sys.stdout.write(f"{passed} of {passed + failed}, levels {levels or 'none'}\n")
    if unable:
        sys.stdout.write(f"{unable} more need what the program cannot do\n")
    sys.exit(1 if failed else 0)
