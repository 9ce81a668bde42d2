"""A process that fights for the head of a log: ``PLACE NAME COUNT``.

It reads the head, makes up a change that grows from it, waits until its rival has done so too, and only then asks for
a transaction. What was refused is made up again from a fresh head, so that in the end COUNT of its leaves stand. Every
line it prints is what came of one try: MOVED, or the index and the checkpoint that it won.

A line on standard input lets it go on; it says READY when it is.
"""

import sys
from pathlib import Path

from referee.evidence.merkle import EMPTY_ROOT, grow, leaf_hash
from referee.log import Checkpoint
from referee.storage import Head, is_postgres, open_store
from referee.storage.record import Change, HeadMovedError
from tests.storage.log_bench import ORIGIN, Bench


def main() -> None:
    """Fights."""
    place, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    signer = Bench().signer
    store = open_store(Path(place), database=place if is_postgres(place) else None)
    store.found(ORIGIN, signer.sign(Checkpoint(ORIGIN, 0, EMPTY_ROOT)))
    won = 0
    while won < count:
        head = store.head()
        leaf = f"{name} {won}".encode()
        growth = grow(head.frontier, [leaf_hash(leaf)])
        note = signer.sign(Checkpoint(ORIGIN, growth.frontier.size, growth.root))
        change = Change(
            expected=head,
            head=Head(growth.frontier, growth.root, note, newest_time=0),
            leaves=[leaf],
            hashes=[(0, head.size, leaf_hash(leaf))],
            opened=[],
            advanced=[],
            marks=[],
        )
        print("READY", head.size, flush=True)  # noqa: T201 - what the parent reads
        sys.stdin.readline()
        try:
            with store.transaction() as transaction:
                transaction.write(change)
        except HeadMovedError:
            print("MOVED", flush=True)  # noqa: T201 - as above
        else:
            won += 1
            print("WON", head.size, note.hex(), flush=True)  # noqa: T201 - as above
    print("DONE", flush=True)  # noqa: T201 - as above
    store.close()


if __name__ == "__main__":
    main()
