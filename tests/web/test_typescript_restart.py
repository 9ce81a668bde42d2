"""The programs of the TypeScript SDK's page, through a server that starts again while a move is on its way."""

import os
import re
import subprocess
from pathlib import Path
from typing import Final

import pytest
from referee_harness import Harness

from tests.command import referee
from tests.once import alone_in
from tests.waiting import until
from tests.web.web_client import CLIENT, VERIFIER, built

SECONDS: Final = 300
DOWN_MS: Final = 60_000
"""No connection is taken for so long, or until the server has started again."""
SAMPLES: Final = {
    "game.check(seat, chi)": (1, "of the log"),
    "client.tienLen({": (2, "["),
    "client.ultimateTexas(": (1, "house"),
    "sealed: true": (2, "["),
}
"""A line of each program of the page: how many of its moves are answered before one is lost, and what it prints."""


@pytest.fixture(scope="module", autouse=True)
def client() -> None:
    """Build the client."""
    if why := built():
        pytest.skip(f"the page's programs are not run: {why}")


@pytest.mark.slow("builds a Node project and starts a server anew for each program of its page")
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("line", SAMPLES)
def test_program_of_the_page_goes_on_through_a_restart(tmp_path: Path, line: str, when: str) -> None:
    """The connection breaks before the server has the move, or after it has written its receipt."""
    answered, printed = SAMPLES[line]
    programs = re.findall(r"```ts\n(.*?)```", (CLIENT / "README.md").read_text("utf-8"), flags=re.DOTALL)
    (program,) = (one for one in programs if line in one and "journal" not in one)
    with Harness(data=tmp_path / "log", web_port=0) as harness:
        harness.fault(kind="delay", method="AcceptEvent", times=answered)
        harness.fault(kind="drop", method="AcceptEvent", when=when, down_ms=DOWN_MS)
        program = program.replace("http://127.0.0.1:8080", harness.web).replace("127.0.0.1:50051", harness.grpc)
        command = ["node", "--input-type=module", "--eval", program]
        with (
            alone_in(VERIFIER),
            alone_in(CLIENT),  # nobody builds them anew while they are read
            subprocess.Popen(
                command, cwd=CLIENT, env=os.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            ) as node,
        ):
            until(lambda: not harness.waiting["faults"] or node.poll() is not None, "the move is lost")
            if node.poll() is None:
                harness.restart()
            output, errors = node.communicate(timeout=SECONDS)
        assert (node.returncode, harness.waiting["faults"]) == (0, []), output + errors
        assert printed in output
    assert "nothing failed" in referee("audit", tmp_path / "log").stdout
