"""A process that publishes 700 leaves to a folder and kills itself on the way, for the test beside it.

Arguments: the folder, the size to publish, and how many times something may be forced to the disk or moved into place
before the process dies; 0 for never.
"""

import os
import signal
import sys
from pathlib import Path

from referee.tiles import FolderPlace, publish
from tests.tiles.tiles_log import MemoryLog


def main() -> None:
    """Publish."""
    folder, size, left = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])

    def dying(act):
        def step(*arguments):
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return act(*arguments)

        return step

    os.fsync = dying(os.fsync)
    Path.replace = dying(Path.replace)  # type: ignore[method-assign] # the process dies in it
    log = MemoryLog([b"leaf %d" % number for number in range(700)])
    publish(log, log.note(size), FolderPlace(folder))


if __name__ == "__main__":
    main()
