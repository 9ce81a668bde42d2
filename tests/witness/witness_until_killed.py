"""A witness that dies at a step: ``witness_until_killed.py FOLDER LOG_KEY STEP COUNT``.

It listens like the real one, prints the same first line, and kills itself with SIGKILL when it reaches the step
(JUDGED, SIGNED or KEPT) for the COUNT-th time. Its key follows from a word, so that a test knows it.
"""

import json
import os
import signal
import sys
import threading
from pathlib import Path

from referee.witness import Witness, WitnessServer, WitnessState
from referee.witness.trust import read_trusted
from tests.named_signer import NamedSigner


def main(folder: str, log_key: str, step: str, count: str) -> None:
    """Listen until killed."""
    left = [int(count)]

    def probe(at: str) -> None:
        if at == step:
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    witness = Witness(
        WitnessState(Path(folder) / "witness.sqlite3"),
        NamedSigner("witness"),
        name="witness.example/w1",
        trusted=read_trusted(f"log {log_key}"),
        clock=lambda: 1_800_000_000,
        probe=probe,
    )
    listener = WitnessServer(witness, host="127.0.0.1", port=0).start()
    print(json.dumps({"address": f"127.0.0.1:{listener.port}", "key": witness.key.text}), flush=True)  # noqa: T201 - as the command does
    threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
