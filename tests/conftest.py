"""The two halves of the tests, what they leave for a release, and the budgets of property tests.

``make test`` leaves out what is marked ``slow`` or ``exhaustive``; each mark says why, and the run ends with how many
tests were left out for which reason. ``make test-all`` runs both halves. Tests marked ``smaller`` try a sample there,
and those marked ``whole`` are left out; ``make release-check`` runs both whole. A run ends with a list of both.
What many tests read is made once: ``demo_log`` here, and whatever ``once.copy_of_one`` makes for all workers.
``command.referee`` runs a command in the tests' own process; only tests about processes start some.
"""

import asyncio
import os
import shutil
import signal
from collections import Counter
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from referee.server.process.stopping import ASKING
from tests import node_project, runaway
from tests.budget import IS_WHOLE, register_profiles
from tests.demo_log import DemoLog, make_demo_log
from tests.randomness import AGAIN

LATER = ("slow", "exhaustive")
BEFORE_A_RELEASE = ("smaller", "whole")
pytest_plugins = (
    "tests.driver.running",  # first, since others import it
    "tests.collecting",
    "tests.audit.auditing",
    "tests.chaos.report",
    "tests.cli.demo_bundle",
    "tests.dealing.derived",
    "tests.fourth_game.installed",
    "tests.games.ultimate_texas.variants",
    "tests.hands.rankings",
    "tests.logged",
    "tests.named_signer",
    "tests.server.processes",
    "tests.service.house",
    "tests.service.tien_len_house",
    "tests.service.ultimate_texas_house",
    "tests.table.table_scene",
    "tests.tiles.tiles_log",
    "tests.verifier.built",
    "tests.web.doors",
    "tests.witness.booths",
)
"""Modules of fixtures, each beside the tests that it is for."""

collect_ignore = [
    "cli/without_posix",  # hides functions from the process that imports it
    *(f"mutation/{name}.py" for name in ("__main__", "choice", "operators")),  # run in an environment of their own
    "fourth_game/src/bai_cao/v1",  # generated
    "fourth_game/src/bai_cao/service.py",  # only an installed game can be asked for its registration
    "fourth_game/tests",  # its own tests, likewise
]
collect_ignore_glob = ["vectors/written_*.py", "vectors/dealing/dealing_*.py"]
"""Scripts that write vectors: no tests."""
MEMORY = Path("/dev/shm")  # noqa: S108 - pytest makes a folder of its own in it
ROOM = 4 << 30
"""Several times what a whole run leaves in its folders, in bytes."""
_LEFT_OUT = pytest.StashKey[Counter[str]]()
_FOR_RELEASES = pytest.StashKey[Counter[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """Keep the folders of tests in memory where there is room: servers wait for a disk at each commit.

    A process whose memory runs away ends before the machine runs out of it. Every process of a run finds Node, if only
    the set-up installed it.
    """
    runaway.watch()
    node_project.offer_node()
    if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free >= ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
    register_profiles()
    config.stash[_LEFT_OUT] = Counter()
    config.stash[_FOR_RELEASES] = Counter()


def pytest_report_header() -> str:
    return f"seeds of random tests: {AGAIN}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    """Undo what a command that was asked to stop in this process left of signals: a later process would ignore them."""
    before = {number: signal.getsignal(number) for number in ASKING}
    result = yield
    for number, handler in before.items():
        if signal.getsignal(number) is not handler:
            signal.signal(number, handler)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Say with a failure how it is had again."""
    report = yield
    if report.failed:
        report.sections.append(("again", f"{AGAIN} .venv/bin/pytest -n 0 '{item.nodeid}'"))
    return report


def pytest_itemcollected(item: pytest.Item) -> None:
    """Refuse a mark without a reason."""
    for mark in marks_of(item, LATER + BEFORE_A_RELEASE):
        if not mark.args:
            message = f'{item.nodeid}: say why the test is {mark.name}: @pytest.mark.{mark.name}("its reason")'
            raise pytest.UsageError(message)


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    for item in items:
        for mark in marks_of(item, LATER)[:1]:
            item.config.stash[_LEFT_OUT][f"{mark.name}: {mark.args[0]}"] += 1


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand the counts of a worker to the process that prints them."""
    output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        counts: Counter[str] = session.config.stash[_LEFT_OUT]
        output["left out"] = dict(counts)
        for_releases: Counter[str] = session.config.stash[_FOR_RELEASES]
        output["for releases"] = dict(for_releases)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the slow tests that may take longest, so that the end of a run does not wait for one of them.

    Tests that only a release needs are left out. ``make test-order`` asks for the files in reversed order.
    """
    if os.environ.get("TEST_ORDER") == "reversed":
        files = {path: number for number, path in enumerate(dict.fromkeys(item.path for item in items))}
        items.sort(key=lambda item: -files[item.path])
    items.sort(key=lambda item: -_most_seconds(item) if marks_of(item, LATER) else 0)
    if not IS_WHOLE:
        for_releases: Counter[str] = config.stash[_FOR_RELEASES]
        for item in items:
            for mark in marks_of(item, BEFORE_A_RELEASE):
                for_releases[f"{mark.name}: {item.name.partition('[')[0]}: {mark.args[0]}"] += 1
        items[:] = [item for item in items if item.get_closest_marker("whole") is None]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Run two workers more than there are cores: some tests wait, for processes to start and for what is timed."""
    return len(os.sched_getaffinity(0)) + 2 if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1) + 2


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:  # noqa: ANN401 - pytest-xdist exports no type for a worker
    """Take the counts of a worker; all workers collect the same tests."""
    output = getattr(node, "workeroutput", {})
    node.config.stash[_LEFT_OUT] = Counter(output.get("left out", {}))
    node.config.stash[_FOR_RELEASES] = Counter(output.get("for releases", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    left_out = config.stash[_LEFT_OUT]
    if left_out:
        terminalreporter.section("left for make test-all")
        for reason, count in sorted(left_out.items()):
            terminalreporter.line(f"{count:>5}  {reason}")
    for_releases = config.stash[_FOR_RELEASES]
    if for_releases:
        terminalreporter.section("left for make release-check")
        for words in sorted(for_releases):
            terminalreporter.line(words)


class OwnErrors(asyncio.SelectorEventLoop):
    """Event loop of a test, which is not blamed for answers that gRPC still had for the closed loop of an earlier test.

    All loops of a process share one queue of gRPC's answers, and any of them may take an answer from it.
    """

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Report an error, unless it comes from that queue."""
        if "PollerCompletionQueue" not in context["message"]:
            super().call_exception_handler(context)


@pytest.fixture(scope="session")
def anyio_backend() -> tuple[str, dict[str, Any]]:
    """Run async tests and fixtures with asyncio."""
    return "asyncio", {"loop_factory": OwnErrors}


@pytest.fixture(scope="session")
def demo_log(tmp_path_factory: pytest.TempPathFactory) -> DemoLog:
    """Return what ``referee demo --rounds 3`` printed and left; tests that change it change a copy."""
    return make_demo_log(tmp_path_factory)


def _most_seconds(item: pytest.Item) -> float:
    mark = item.get_closest_marker("timeout")
    return float(mark.args[0]) if mark is not None and mark.args else 0


def marks_of(item: pytest.Item, names: Sequence[str]) -> list[pytest.Mark]:
    return [mark for name in names for mark in item.iter_markers(name)]
