"""``python -m tests.smoke.first_round_times``: seconds and lines to each client's first settled and verified round.

The lines are those of the program that is timed, as its page prints it, without blank lines and comments. One server is
started for all. What a client installs, generates or compiles comes before the clock starts, and can take minutes; its
own start, such as that of a virtual machine or a browser, is counted. A client whose tools are missing is named with
what it lacks.
"""

import base64
import json
import os
import platform
import re
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.browser_flags import FLAGS
from tests.node_project import build, run
from tests.smoke.test_smoke_clients import CLIENTS, VECTORS, key_of
from tests.web.web_client import CLIENT, built, page_served

ROOT: Final = Path(__file__).parents[2]
BIN: Final = Path(sys.executable).parent
SECONDS: Final = 300
ENGINE: Final = CLIENT / "example" / "tien-len.engine.js"
CHROMIUM: Final = "/usr/bin/chromium"
NOTING_FAULTS: Final = """() => {
  addEventListener("error", ({ message }) => (globalThis.ended = `it failed: ${message}`));
  addEventListener("unhandledrejection", ({ reason }) => (globalThis.ended = `it failed: ${reason}`));
}"""
COMMENTS: Final = ("#", "//", "/*", "*")


@dataclass(frozen=True)
class Server:
    """A running server: its two addresses and its log's keys."""

    grpc: str
    web: str
    keys: dict[str, str]

    def audit(self) -> None:
        """Verify everything by the command."""
        checked(
            [
                str(BIN / "referee"),
                "audit",
                self.grpc,
                "--log-key",
                self.keys["logKey"],
                "--root-key",
                self.keys["rootKey"],
            ]
        )


@dataclass(frozen=True)
class Way:
    """A client: what it verifies by, its first round, what comes before the clock, and the program of its page."""

    name: str
    verified_by: str
    play: Callable[[Server], Any]
    prepare: Callable[[Server], Any] = lambda _server: None
    program: Callable[[], str] | None = None
    """What a user writes for the round, as a page prints it."""

    @property
    def lines(self) -> str:
        """Number of lines that a user writes; ``-`` for a client whose page prints no program."""
        if self.program is None:
            return "-"
        written = [line.strip() for line in self.program().splitlines()]
        return str(sum(bool(line) and not line.startswith(COMMENTS) for line in written))


def checked(command: list[str], *, cwd: Path = ROOT) -> str:
    """Run a command and return its output; raise RuntimeError with its end if it fails."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=SECONDS)
    if done.returncode:
        raise RuntimeError(f"{command[0]} ended with {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}")
    return done.stdout


@contextmanager
def served() -> Iterator[Server]:
    """Run ``referee serve --web`` with an empty log for the block."""
    with tempfile.TemporaryDirectory() as folder, page_served() as origin:
        command = [str(BIN / "referee"), "serve", "--data", f"{folder}/data", "--listen", "127.0.0.1:0"]
        command += ["--web", "127.0.0.1:0", "--web-origin", origin, "--log-level", "error"]
        with subprocess.Popen(command[:-2], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            assert process.stdout is not None
            ready = json.loads(process.stdout.readline())
            log_key = key_of(ready["address"])
            root = json.loads(
                checked([str(BIN / "referee"), "keys", "--data", f"{folder}/data", "--public", "--json"])
            )["root"]
            keys = {"origin": ready["origin"], "logKey": log_key, "rootKey": root, "page": origin}
            try:
                yield Server(ready["address"], ready["web"], keys)
            finally:
                process.terminate()
                process.wait(60)


def printed(page: Path, language: str, number: int = 0) -> str:
    """Return a program that a page prints, the first of its language by default."""
    programs = re.findall(rf"```{language}\n(.*?)```", page.read_text("utf-8"), flags=re.DOTALL)
    return str(programs[number])


def by_sdk() -> str:
    """Return the README's round by the Python SDK."""
    return printed(ROOT / "README.md", "python", 0)


def by_generated_stubs() -> str:
    """Return the README's round by the stock stubs."""
    return printed(ROOT / "README.md", "python", 1)


def in_typescript() -> str:
    """Return the first round of the TypeScript SDK's page, which is JavaScript too."""
    return printed(CLIENT / "README.md", "ts")


def in_an_engine() -> str:
    """Return the example for engines."""
    return ENGINE.read_text("utf-8")


def quickstart(server: Server, program: Callable[[], str]) -> None:
    """Run one of the README's two rounds as it is printed."""
    said = checked([sys.executable, "-c", program().replace("127.0.0.1:50051", server.grpc)])
    assert "leaf" in said


def by_stubs(server: Server) -> None:
    """Play by the stock stubs, and audit."""
    quickstart(server, by_generated_stubs)
    server.audit()


def smoke(language: str, program: str) -> Callable[[Server], str]:
    """Return a run of a smoke client; it verifies the vectors first."""
    return lambda server: checked([str(CLIENTS / language / program), server.grpc, server.keys["logKey"], str(VECTORS)])


def by_buf(server: Server) -> None:
    """Play by hand, one call after the other, and audit."""

    def call(method: str, message: dict[str, Any]) -> dict[str, Any]:
        place = f"http://{server.grpc}/referee.v1.{method}"
        return dict(
            json.loads(checked([str(BIN / "buf"), "curl", "--protocol", "grpc", "-d", json.dumps(message), place]))
        )

    terms = {
        "tableId": "by-hand",
        "rulesetId": "mau_binh.classic",
        "seatCount": 2,
        "currency": "CHIP",
        "stakeMinor": "100",
    }
    opened = call("ShufflerService/OpenRound", {"terms": terms})
    seeds = [base64.b64encode(secrets.token_bytes(32)).decode() for _ in range(2)]
    dealt = call("ShufflerService/DealRound", {"round": opened["header"]["round"], "clientSeeds": seeds})
    played: dict[str, Any] = {"header": opened["header"], "certificates": [dealt["certificate"]]}
    if call("MauBinhService/PreviewRound", {"round": played}).get("violations"):
        hands = [(hand.get("seat", 0), hand["cards"]) for hand in dealt["hands"]]
        played["events"] = [
            {"seat": seat, "time": dealt["dealtTime"], "arrange": {"back": c[:5], "middle": c[5:10], "front": c[10:]}}
            for seat, c in hands
        ]
    assert call("MauBinhService/SettleRound", {"round": played})["logReceipt"]
    server.audit()


def in_node(server: Server) -> None:
    """Play and verify in Node, by the page's program as it is printed."""
    program = in_typescript().replace("127.0.0.1:50051", server.grpc)
    said = checked(["node", "--input-type=module", "--eval", program], cwd=CLIENT)
    assert "of the log" in said


def in_a_bare_context(server: Server) -> None:
    """Play the engine's example and verify, with nothing but XMLHttpRequest."""
    given = json.dumps({"grpc": server.grpc, "web": server.web, "keys": server.keys})
    command = ["node", "--test", "build/test/engine.test.js"]
    done = run(CLIENT, *command, environment={"REFEREE": given})
    if done.returncode:
        raise RuntimeError(done.stdout[-300:])


def in_chromium(server: Server) -> None:
    """Play and verify in a page of another origin, through the gateway, by the same program with another address."""
    program = in_typescript().replace("referee-client/node", "referee-client")
    run_in_chromium(server.keys["page"], program.replace("127.0.0.1:50051", f"http://{server.web}"))


def run_in_chromium(origin: str, program: str) -> str:
    """Run a module in a page of an origin and return what it printed; raise RuntimeError if it fails."""
    from playwright import sync_api  # noqa: PLC0415 - only where a browser is timed

    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--headless", *FLAGS])
        page = browser.new_page()
        printed_lines: list[str] = []
        page.on("console", lambda message: printed_lines.append(message.text))
        page.goto(origin)
        page.evaluate(NOTING_FAULTS)
        try:
            page.add_script_tag(type="module", content=f'{program}\nglobalThis.ended = "well";')
            page.wait_for_function("globalThis.ended", timeout=SECONDS * 1000)
        except sync_api.Error as error:
            raise RuntimeError(str(error)) from None
        if (ended := page.evaluate("globalThis.ended")) != "well":
            raise RuntimeError(ended)
        browser.close()
    return "\n".join(printed_lines)


def make_typescript(_server: Server) -> None:
    """Install and build the client and its tests' round."""
    if why := built():
        raise RuntimeError(why)
    build(CLIENT, "build:test")


WAYS: Final = (
    Way("Python SDK", "the SDK, each step and the whole round", lambda one: quickstart(one, by_sdk), program=by_sdk),
    Way("stock Python stubs", "`referee audit HOST:PORT`", by_stubs, program=by_generated_stubs),
    Way("TypeScript SDK, Node", "the SDK, each step", in_node, make_typescript, in_typescript),
    Way("TypeScript SDK, Chromium", "the SDK, each step", in_chromium, make_typescript, in_typescript),
    Way(
        "TypeScript SDK, bare context",
        "the SDK, each step (Tiến Lên)",
        in_a_bare_context,
        make_typescript,
        in_an_engine,
    ),
    Way("Java", "its own receipt and seed", smoke("java", "run"), smoke("java", "run")),
    Way("Go", "its own receipt", smoke("go", "build/smoke"), smoke("go", "run")),
    Way("`buf curl`", "`referee audit HOST:PORT`", by_buf),
)


def main() -> None:
    """Time each client once and print the table."""
    print_row("client", "seconds", "lines", "verified by")
    print_row("---", "---", "---", "---")
    with served() as server:
        for way in WAYS:
            try:
                way.prepare(server)
                began = time.perf_counter()
                way.play(server)
                seconds = max(time.perf_counter() - began, 0.1)
                print_row(way.name, f"{seconds:.1f}", way.lines, way.verified_by)
            except (RuntimeError, OSError, ImportError) as error:
                print_row(way.name, "-", way.lines, f"not timed: {error}")
    node = run(ROOT, "node", "--version").stdout.strip()
    versions = f"Python {platform.python_version()}, Node {node}"
    sys.stdout.write(f"\n{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.0f}, {versions}\n")


def print_row(*cells: str) -> None:
    """Print a row of the table at once."""
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
