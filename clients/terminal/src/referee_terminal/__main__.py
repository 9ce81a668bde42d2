"""``referee-terminal``: a card table in this terminal, on a running table server or on one that is started for it."""

import argparse
import contextlib
import json
import locale
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from referee_terminal.app import TerminalTable
from referee_terminal.words import LANGUAGES

STOP_SECONDS = 20


def main() -> None:
    """Play until the person leaves."""
    asked = _parser().parse_args()
    with contextlib.ExitStack() as stack:
        url = asked.server or stack.enter_context(started())
        app = TerminalTable(
            url, state=asked.state, name=asked.name, language=asked.language, room=asked.room, stake=asked.stake
        )
        app.run()


@contextlib.contextmanager
def started() -> Iterator[str]:
    """Start a table server with its own referee on loopback for the block; yield its address."""
    command = [sys.executable, "-m", "referee_table", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(  # noqa: S603 - our own command
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            line = process.stdout.readline() if process.stdout else ""
            yield str(json.loads(line)["url"])
        except ValueError:
            sys.exit("no table server started; install referee-table, or name a running one with --server")
        finally:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(STOP_SECONDS)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="referee-terminal", description=__doc__)
    parser.add_argument("--server", help="a running table server, such as http://127.0.0.1:8080; one is started else")
    parser.add_argument("--name", default="", help="what the others call you; asked where you have not said it yet")
    parser.add_argument("--stake", type=int, default=0, help="the stake of tables that you open; the lowest else")
    parser.add_argument("--language", choices=LANGUAGES, default=_spoken())
    parser.add_argument("--room", help="a room to join at once")
    parser.add_argument("--state", type=Path, default=_state(), help="the file that keeps who you are")
    return parser


def _spoken() -> str:
    return "vi" if (locale.getlocale()[0] or "").startswith("vi") else "en"


def _state() -> Path:
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "referee-terminal" / "seat.json"


if __name__ == "__main__":
    main()
