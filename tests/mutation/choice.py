"""Which tests judge a mutant: those that ran its lines, as far as they are cheap."""

import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import coverage
import msgspec
import pytest

from tests.mutation.rooms import ROOT

MOST_SECONDS: Final = 4.0
"""How long the tests of one mutant may take, together; the first is always among them."""
AGAIN_SECONDS: Final = 40.0
"""The same for a survivor that is tried again."""


class Choice(msgspec.Struct):
    """Seconds of each test, and the tests that ran each line of each file, by its path below the root."""

    seconds: dict[str, float]
    lines: dict[str, dict[int, list[str]]]
    kills: dict[str, int] = {}
    """Mutants that each test has killed so far; the deadliest go first."""
    most: float = MOST_SECONDS
    """Seconds that the tests of one mutant may take, together."""

    def of_lines(self, path: Path, first: int, last: int) -> list[str]:
        """Return the tests that ran any of these lines."""
        lines = self.lines.get(_name(path), {})
        return self._cheapest({test for line in range(first, last + 1) for test in lines.get(line, ())})

    def of_file(self, path: Path) -> list[str]:
        """Return the tests that ran any line of the file; all tests, if importing it is all that was done."""
        lines = self.lines.get(_name(path), {})
        return self._cheapest({test for tests in lines.values() for test in tests} or self.seconds)

    def of_others(self, path: Path) -> list[str]:
        """Return tests that ran no line of the file, for a declaration can be refused or used without a line."""
        return self._cheapest(self.seconds.keys() - set(self.of_file(path)))

    def credit(self, test: str) -> None:
        """Note that a test has killed a mutant."""
        self.kills[test] = self.kills.get(test, 0) + 1

    def cost(self, tests: Iterable[str]) -> float:
        """Return the seconds of these tests."""
        return sum(self.seconds[test] for test in tests)

    def _cheapest(self, tests: Iterable[str]) -> list[str]:
        chosen: list[str] = []
        cost = 0.0
        for test in sorted(tests, key=lambda test: (self.seconds[test], test)):
            cost += self.seconds[test]
            if chosen and cost > self.most:
                break
            chosen.append(test)
        return sorted(chosen, key=lambda test: (-self.kills.get(test, 0), self.seconds[test], test))


class Watch:
    """A plugin that notes for each test how long it takes and which lines it runs."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._paths = list(paths)
        include = [str(path) for path in self._paths]
        self._coverage = coverage.Coverage(data_file=None, include=include, config_file=False)
        self._seconds: dict[str, float] = {}

    def start(self) -> None:
        """Watch from now on."""
        self._coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[Any]:
        """Note what one test does."""
        self._coverage.switch_context(item.nodeid)
        started = time.process_time()
        result = yield
        self._seconds[item.nodeid] = time.process_time() - started
        return result

    def choice(self) -> Choice:
        """Return what was noted."""
        self._coverage.stop()
        data = self._coverage.get_data()
        lines = {
            _name(path): {
                line: [one for one in tests if one] for line, tests in data.contexts_by_lineno(str(path)).items()
            }
            for path in self._paths
        }
        return Choice(self._seconds, lines)


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))
