"""A process that appends to a log until it ends or kills itself: ``PLACE TABLE ROUNDS [STEP COUNT]``.

``PLACE`` is a folder or a database's URL. It plays ``ROUNDS`` rounds at a table, going on where the log has it. Every
answer is printed once it is there: index, leaf hash, and whether it was a repeat. When ``STEP`` is reached for the
``COUNT``-th time the process dies without a word, as in a power cut. Refused steps are printed by their reason, which
ends the play.
"""

import os
import signal
import sys
from pathlib import Path

from referee.evidence.merkle import leaf_hash
from referee.log import (
    NO_LEAF,
    DealStep,
    OpenStep,
    RevealStep,
    SettleStep,
    SlotError,
    SlotKey,
    Step,
    Unseal,
    UnsealStep,
)
from referee.storage import Append, Writer, check_store, is_postgres, open_store
from tests.storage.log_bench import ORIGIN, Bench, digest


def _appends(table: str, number: int, previous: bytes) -> list[Append]:
    key, round_id, deck_root = SlotKey(table, number), digest("id", table, number), digest("deck", table, number)
    unseal = Unseal(1, digest("history", table, number))
    steps: list[Step] = [
        OpenStep(key, round_id=round_id, previous_leaf=previous, deal_deadline=1, round_deadline=2),
        DealStep(key, round_id=round_id, deck_root=deck_root),
        UnsealStep(key, round_id=round_id, unseal=unseal, course={1: unseal.history}),
        SettleStep(key, round_id=round_id, deck_root=deck_root, unseals=(unseal,)),
        RevealStep(key, round_id=round_id),
    ]
    return [
        Append(
            leaf=f"{step.kind.name} {number} of {table} ".encode() + b"x" * 500,
            step=step,
            request_digest=digest(step.kind.name, table, number),
        )
        for step in steps
    ]


def main() -> None:
    """Play rounds."""
    place, table, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    step, countdown = (sys.argv[4], int(sys.argv[5])) if len(sys.argv) > 4 else ("", 0)

    def probe(reached: str) -> None:
        nonlocal countdown
        if reached == step:
            countdown -= 1
            if countdown == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    store = open_store(Path(place), database=place if is_postgres(place) else None)
    with Writer(store, Bench().signer, origin=ORIGIN, probe=probe) as writer:
        check_store(store)
        previous = NO_LEAF
        for number in range(1, rounds + 1):
            appends = _appends(table, number, previous)
            previous = leaf_hash(appends[3].leaf)
            for append in appends:
                try:
                    logged = writer.append(append)
                except SlotError as error:
                    print(error.reason, flush=True)  # noqa: T201 - what the parent reads
                    return
                print(logged.receipt.index, logged.receipt.leaf_hash.hex(), logged.is_repeat, flush=True)  # noqa: T201
    store.close()


if __name__ == "__main__":
    main()
