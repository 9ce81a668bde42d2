"""``python -m tests.journeys.first_round``: lines and seconds to each SDK's first verified round, with a token.

The program is the one that the SDK's own page prints, with the address of a server with access control and a
frontend's token. The time is from the start of the program to its end, where each step of the round was verified: that
of Node and of the browser is counted. What is installed and built comes before.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.clients_python.crash_journey import guarded_server
from tests.smoke.first_round_times import (
    ROOT,
    Way,
    checked,
    in_typescript,
    print_row,
    printed,
    run_in_chromium,
)
from tests.web.web_client import CLIENT, built, page_served

_ADDRESS: Final = '"127.0.0.1:50051"'
"""The address that the pages' programs name."""


@dataclass(frozen=True)
class Place:
    """A server with access control: its addresses, the origin of a page that it answers, and a frontend's token."""

    grpc: str
    web: str
    page: str
    token: str


@dataclass(frozen=True)
class Journey:
    """An SDK's first round: the program of its page, and what runs it with a token and returns what it printed."""

    name: str
    program: Callable[[], str]
    play: Callable[[Place, str], str]

    @property
    def lines(self) -> str:
        """Number of lines that a user writes, without blank lines and comments."""
        return Way(self.name, "", lambda _: None, program=self.program).lines


@contextmanager
def guarded_place() -> Iterator[Place]:
    """Run ``referee serve --web`` with access control and an empty log for the block."""
    with tempfile.TemporaryDirectory() as name, page_served() as page:
        web = ("--web", "127.0.0.1:0", "--web-origin", page)
        with guarded_server(Path(name), *web, tenant="*") as server:
            yield Place(server.address, server.web, page, server.frontend)


def in_python(place: Place, token: str) -> str:
    """Play by the Python SDK."""
    program = _with_address(python_program(), f'"{place.grpc}", token="{token}"')
    return checked([sys.executable, "-c", program])


def in_node(place: Place, token: str) -> str:
    """Play by the TypeScript SDK in Node, over gRPC."""
    program = _with_address(in_typescript(), f'"{place.grpc}", {{ token: "{token}" }}')
    return checked(["node", "--input-type=module", "--eval", program], cwd=CLIENT)


def in_chromium(place: Place, token: str) -> str:
    """Play by the TypeScript SDK in a page of another origin, over Connect and JSON."""
    program = in_typescript().replace("referee-client/node", "referee-client")
    return run_in_chromium(place.page, _with_address(program, f'"http://{place.web}", {{ token: "{token}" }}'))


def python_program() -> str:
    """Return the first round of the Python SDK's page."""
    return printed(ROOT / "clients" / "python" / "README.md", "python")


JOURNEYS: Final = (
    Journey("Python", python_program, in_python),
    Journey("TypeScript in Node", in_typescript, in_node),
    Journey("TypeScript in Chromium", in_typescript, in_chromium),
)


def _with_address(program: str, arguments: str) -> str:
    assert program.count(_ADDRESS) == 1
    return program.replace(_ADDRESS, arguments)


def main() -> None:
    """Time each SDK once and print the table."""
    if why := built():
        sys.exit(f"nothing is timed: {why}")
    print_row("SDK, with a token", "seconds", "lines")
    print_row("---", "---", "---")
    with guarded_place() as place:
        for journey in JOURNEYS:
            try:
                began = time.perf_counter()
                journey.play(place, place.token)
                print_row(journey.name, f"{time.perf_counter() - began:.1f}", journey.lines)
            except (RuntimeError, OSError, ImportError) as error:
                print_row(journey.name, "-", f"{journey.lines} (not timed: {error})")


if __name__ == "__main__":
    main()
