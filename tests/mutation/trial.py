"""Trials of mutants in forks of one process that has collected a room's tests and run none.

A mutant inside functions is tried by giving the functions their mutated code, which costs no import. One that lives
through that, or that changes what a module does when it is imported, is tried again by a session of pytest that
imports everything anew.
"""

import contextlib
import gc
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import types
from collections.abc import Callable, Sequence
from enum import StrEnum
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import Phase, settings

OURS: Final = ("referee", "tests", "bai_cao")
STARTING_SECONDS: Final = 10


class Outcome(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    TIMED_OUT = "timed out"
    SURVIVED = "survived"
    NO_MUTANT = "no mutant"
    """The change does not compile."""


def flags() -> list[str]:
    """Return pytest's options for every run: the tests of ``make test``, without doctests, up to the first failure."""
    plugins = [f"no:{name}" for name in ("cacheprovider", "doctest", "xdist")]
    chosen = ["-m", "not slow and not exhaustive", "--import-mode=importlib", "--override-ini", "addopts="]
    chosen += ["-W", "ignore:Module already imported"]
    return ["-q", "-x", *(part for name in plugins for part in ("-p", name)), *chosen]


class SameExamples:
    """A plugin: property tests try the same examples each time, and do not look for the smallest that fails."""

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self) -> None:
        """Change the profile that the tests' own plugin has loaded."""
        known = settings.get_profile("referee")
        phases = (Phase.explicit, Phase.generate)
        settings.register_profile("referee", parent=known, derandomize=True, database=None, phases=phases)
        settings.load_profile("referee")


Functions = dict[tuple[str, str, int], list[types.FunctionType]]


def functions_by_code() -> Functions:
    """Return all functions by the file, name and first line of their code."""
    found: Functions = {}
    for thing in gc.get_objects():
        if isinstance(thing, types.FunctionType):
            found.setdefault(_name(thing.__code__), []).append(thing)
    return found


def changed_functions(path: Path, before: str, after: str) -> list[types.CodeType] | None:
    """Return the mutated code of functions, inner ones too; None if the change is outside all functions."""
    old, new = (_codes(compile(source, str(path), "exec")) for source in (before, after))
    if old.keys() != new.keys():
        return None
    changed = [name for name in old if _shallow(old[name]) != _shallow(new[name])]
    if any(not new[name].co_flags & CO_NEWLOCALS or _runs_at_import(new[name]) for name in changed):
        return None
    return [new[name] for name in new if new[name].co_flags & CO_NEWLOCALS and old[name] != new[name]]


def _runs_at_import(code: types.CodeType) -> bool:
    """Return whether this is a comprehension outside all functions."""
    return code.co_name.endswith("comp>") and "<locals>" not in code.co_qualname


CO_NEWLOCALS: Final = 0x2
"""Flag of a function's code; modules and bodies of classes lack it."""


def _codes(code: types.CodeType) -> dict[tuple[str, str, int], types.CodeType]:
    found: dict[tuple[str, str, int], types.CodeType] = {}
    waiting = [code]
    while waiting:
        one = waiting.pop()
        name = _name(one)
        if name in found:  # two lambdas on one line
            name = (*name[:2], name[2] + 100_000 * len(found))
        found[name] = one
        waiting.extend(const for const in one.co_consts if isinstance(const, types.CodeType))
    return found


def _name(code: types.CodeType) -> tuple[str, str, int]:
    return code.co_filename, code.co_qualname, code.co_firstlineno


def _shallow(code: types.CodeType) -> tuple[object, ...]:
    consts = tuple(
        "code" if isinstance(const, types.CodeType) else (type(const), repr(const)) for const in code.co_consts
    )
    return code.co_code, consts, code.co_names, code.co_varnames, code.co_exceptiontable


def swap(codes: Sequence[types.CodeType], functions: Functions) -> bool:
    """Give functions this code in place of their own; return False if none has it."""
    swapped = False
    for code in codes:
        for function in functions.get(_name(code), ()):
            function.__code__ = code
            swapped = True
    return swapped


def run_collected(session: pytest.Session, items: Sequence[pytest.Item]) -> str:
    """Run collected tests up to the first that fails; return its id, empty if all passed."""
    session.config.option.maxfail = 1
    for item, following in zip(items, (*items[1:], None), strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            return item.nodeid
    return ""


def run_anew(module: str, source: str, tests: Sequence[str]) -> str:
    """Import everything anew with this source of one module, run these tests; return what failed, empty for nothing."""
    for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
        del sys.modules[name]
    own = SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, name: str) -> types.CodeType | None:
        return compile(source, loader.path, "exec") if name == module else own(loader, name)

    loader_type: Any = SourceFileLoader
    loader_type.get_code = get_code
    code = pytest.main([*flags(), *tests], plugins=[SameExamples()])
    return "" if code == pytest.ExitCode.OK else f"exit {code}"


class Trial:
    """A forked process that runs tests on a mutant, bounded in processor time and in time.

    ``run`` returns the test that failed, empty for none; ``killer`` is that test once the trial has ended.
    """

    killer: str = ""

    def __init__(self, run: Callable[[], str], *, seconds: float) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="mutant-"))
        bound = int(STARTING_SECONDS + 5 * seconds)
        self._deadline = time.monotonic() + 10 * bound
        self._pid = os.fork()
        if self._pid == 0:
            try:
                self._begin(bound)
                failed = run()
                (self._folder / "killer").write_text(failed)
                os._exit(1 if failed else 0)
            except BaseException:  # noqa: BLE001 - a mutant may raise anything
                os._exit(1)

    def _begin(self, bound: int) -> None:
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_CPU, (bound, bound))
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        os.environ["TMPDIR"] = str(self._folder)
        os.environ["PYTEST_DEBUG_TEMPROOT"] = str(self._folder)
        tempfile.tempdir = None
        quiet = os.open(os.environ.get("MUTANT_OUTPUT", os.devnull), os.O_WRONLY | os.O_APPEND)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)

    def outcome(self) -> Outcome | None:
        """Return the outcome, or None while the tests run."""
        ended = os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if ended is None and time.monotonic() < self._deadline:
            return None
        self._kill()
        _, status = os.waitpid(self._pid, 0)
        with contextlib.suppress(FileNotFoundError):
            self.killer = (self._folder / "killer").read_text()
        shutil.rmtree(self._folder, ignore_errors=True)
        if ended is None or os.WIFSIGNALED(status):
            return Outcome.TIMED_OUT
        return Outcome.SURVIVED if os.WEXITSTATUS(status) == 0 else Outcome.KILLED

    def _kill(self) -> None:
        """Kill the trial and whatever its tests started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGKILL)
