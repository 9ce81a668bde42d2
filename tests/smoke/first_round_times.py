"""``python -m tests.smoke.first_round_times``: how long each client takes to its first settled and verified round.

One server is started for all. What a client installs, generates or compiles comes before the clock starts, and can take
minutes; its own start, such as that of a virtual machine or a browser, is counted. A client whose tools are missing is
named with what it lacks.
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

from tests.node_project import build, run
from tests.smoke.test_smoke_clients import CLIENTS, VECTORS, key_of
from tests.web.web_client import CLIENT, built, page_served

ROOT: Final = Path(__file__).parents[2]
BIN: Final = Path(sys.executable).parent
SECONDS: Final = 300
ROUND: Final = """
  const game = client.mauBinh({ table: `timed-${crypto.randomUUID()}`, ruleset: "mau_binh.classic", seats: 2 });
  await game.open();
  for (const [seat, hand] of await game.deal()) {
    await game.arrange(seat, { back: hand.slice(0, 5), middle: hand.slice(5, 10), front: hand.slice(10) });
  }
  const { receipt } = await game.settle();
  await game.reveal();
"""
"""A round that the SDK verifies at each step."""
IN_NODE: Final = f"""
  import {{ connect }} from "referee-client/node";
  const {{ grpc, keys }} = JSON.parse(process.argv[1]);
  const client = connect(grpc, {{ trust: keys }});
  {ROUND}
  client.close();
  process.exit(receipt ? 0 : 1);
"""
IN_A_PAGE: Final = f"""async ({{ base, keys }}) => {{
  const {{ connect }} = await import("referee-client");
  const client = connect(base, {{ trust: keys }});
  {ROUND}
  return receipt !== undefined;
}}"""


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
    """A client: what it verifies by, what comes before the clock, and its first round."""

    name: str
    verified_by: str
    play: Callable[[Server], Any]
    prepare: Callable[[Server], Any] = lambda _server: None


def checked(command: list[str], *, cwd: Path = ROOT) -> str:
    """Run a command and return its output; raise RuntimeError with its end if it fails."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=SECONDS)
    if done.returncode:
        msg = f"{command[0]} ended with {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}"
        raise RuntimeError(msg)
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


def quickstart(server: Server, number: int) -> None:
    """Run one of the README's two rounds as it is printed."""
    code = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), flags=re.DOTALL)[number]
    said = checked([sys.executable, "-c", code.replace("127.0.0.1:50051", server.grpc)])
    assert "leaf" in said


def by_stubs(server: Server) -> None:
    """Play by the stock stubs, and audit."""
    quickstart(server, 1)
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
    dealt = call("ShufflerService/DealRound", {"tableId": "by-hand", "roundNumber": "1", "clientSeeds": seeds})
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
    """Play and verify in Node."""
    given = json.dumps({"grpc": server.grpc, "keys": server.keys})
    checked(["node", "--input-type=module", "--eval", IN_NODE, given], cwd=CLIENT)


def in_a_bare_context(server: Server) -> None:
    """Play the engine's example and verify, with nothing but XMLHttpRequest."""
    given = json.dumps({"grpc": server.grpc, "web": server.web, "keys": server.keys})
    command = ["node", "--test", "build/test/engine.test.js"]
    done = run(CLIENT, *command, environment={"REFEREE": given})
    if done.returncode:
        raise RuntimeError(done.stdout[-300:])


def in_chromium(server: Server) -> None:
    """Play and verify in a page of another origin, through the gateway."""
    from playwright import sync_api  # noqa: PLC0415 - only where a browser is timed

    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--headless", "--no-sandbox"])
        page = browser.new_page()
        page.goto(server.keys["page"])
        given = {"base": f"http://{server.web}", "keys": server.keys, "options": {}}
        assert page.evaluate(IN_A_PAGE, given) is True
        browser.close()


def make_typescript(_server: Server) -> None:
    """Install and build the client and its tests' round."""
    if why := built():
        raise RuntimeError(why)
    build(CLIENT, "build:test")


WAYS: Final = (
    Way("Python SDK", "the SDK, each step and the whole round", lambda server: quickstart(server, 0)),
    Way("stock Python stubs", "`referee audit HOST:PORT`", by_stubs),
    Way("TypeScript SDK, Node", "the SDK, each step", in_node, make_typescript),
    Way("TypeScript SDK, Chromium", "the SDK, each step", in_chromium, make_typescript),
    Way("TypeScript SDK, bare context", "the SDK, each step (Tiến Lên)", in_a_bare_context, make_typescript),
    Way("Java", "its own receipt and seed", smoke("java", "run"), smoke("java", "run")),
    Way("Go", "its own receipt", smoke("go", "build/smoke"), smoke("go", "run")),
    Way("`buf curl`", "`referee audit HOST:PORT`", by_buf),
)


def main() -> None:
    """Time each client once and print the table."""
    print_row("client", "seconds", "verified by")
    print_row("---", "---", "---")
    with served() as server:
        for way in WAYS:
            try:
                way.prepare(server)
                began = time.perf_counter()
                way.play(server)
                print_row(way.name, f"{max(time.perf_counter() - began, 0.1):.1f}", way.verified_by)
            except (RuntimeError, OSError, ImportError) as error:
                print_row(way.name, "-", f"not timed: {error}")
    node = run(ROOT, "node", "--version").stdout.strip()
    versions = f"Python {platform.python_version()}, Node {node}"
    sys.stdout.write(f"\n{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.0f}, {versions}\n")


def print_row(*cells: str) -> None:
    """Print a row of the table at once."""
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
