"""``referee-harness``: the harness as a process of its own, for tests in any language.

It prints one line of JSON once it listens: ``grpc``, ``control``, ``pid``, ``keys``. It ends on SIGTERM or Ctrl-C, and
with ``--until-eof`` when its standard input ends, so that it never outlives the test that started it.
"""

import argparse
import json
import os
import sys
import threading
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from referee.evidence.printable import error_words
from referee.rulesets import RulesetError, load_folder
from referee.server.process import log_lines
from referee.server.process.stopping import until_asked
from referee.storage import DataLossError, StoreError
from referee_harness.cases import conform
from referee_harness.clock import Clock
from referee_harness.control import Control
from referee_harness.harness import Harness
from referee_harness.refusal import HarnessError

_SHOWN = ("grpc", "control", "web", "origin", "keys")


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until asked to stop, or ask a program."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["conform"]:
        conform.main(given[1:])
    options = _parser().parse_args(given)
    log_lines.configure(quiet=not options.verbose)
    with until_asked() as stop:
        _serve(options, stop)


def _serve(options: argparse.Namespace, stop: threading.Event) -> None:
    try:
        harness = Harness(
            port=options.port,
            data=options.data,
            catalogue=None if options.rulesets is None else load_folder(options.rulesets),
            clock=Clock(start=options.start, is_running=not options.still),
            luck=options.luck,
            web_port=options.web,
        ).start()
        control = Control(harness, port=options.control_port)
    except (HarnessError, OSError, RulesetError, RuntimeError, StoreError, DataLossError) as error:
        sys.exit(f"referee-harness: {error_words(error)}")
    control.start()
    description = control.description()
    ready = {name: description[name] for name in _SHOWN if name in description}
    sys.stdout.write(json.dumps({"event": "ready", "pid": os.getpid()} | ready) + "\n")
    sys.stdout.flush()
    if options.until_eof:
        threading.Thread(target=_wait_for_end, args=(stop,), daemon=True).start()
    stop.wait()
    control.close()
    harness.close()


def _wait_for_end(stop: threading.Event) -> None:
    while os.read(sys.stdin.fileno(), 4096):
        pass
    stop.set()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="referee-harness",
        description="A real server that deals scripted decks.",
        epilog="`referee-harness conform -- PROGRAM` tests a client.",
    )
    parser.add_argument("--version", action="version", version=f"referee-harness {version('referee-harness')}")
    parser.add_argument("--port", type=int, default=0, help="port of the gRPC services; 0 takes a free one")
    parser.add_argument("--control-port", type=int, default=0, help="port of the control API; 0 takes a free one")
    parser.add_argument("--web", type=int, nargs="?", const=0, help="let browsers in, on this port or a free one")
    parser.add_argument("--data", type=Path, help="folder that keeps the log; a temporary one without")
    parser.add_argument("--rulesets", type=Path, help="folder with rulesets of your own, beside the built-in ones")
    parser.add_argument("--start", type=int, help="the time it begins at, in ms since 1970 UTC; the machine's without")
    parser.add_argument("--still", action="store_true", help="the clock does not run; it is only moved")
    parser.add_argument("--luck", type=int, default=0, help="chooses the cards that no script names")
    parser.add_argument("--until-eof", action="store_true", help="end when standard input ends")
    parser.add_argument("--verbose", action="store_true", help="a line on standard error for each call")
    return parser
