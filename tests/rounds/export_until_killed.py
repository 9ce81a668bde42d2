"""A process that exports the rounds of the tests' log and kills itself on the way, for the test beside it.

Arguments: the folder, the leaves of a part, and how many times something may be forced to the disk or moved into place
before the process dies; 0 for never.
"""

import os
import signal
import sys
from pathlib import Path

from referee.rounds import export as exporting
from tests.rounds.rounds_log import export, log_of_every_kind


def main() -> None:
    """Export."""
    folder, part, left = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])

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
    exporting.PART = part  # type: ignore[misc] # the test's log is short
    export(log_of_every_kind().entries, folder)


if __name__ == "__main__":
    main()
