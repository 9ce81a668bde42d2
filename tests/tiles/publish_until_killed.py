"""A process that publishes 700 leaves to a folder and kills itself on the way, for the test beside it.

Arguments: the folder, the size to publish, and the step at which the process dies.
"""

import sys
from pathlib import Path

from referee.tiles import FolderPlace, publish
from tests.dying import die_after
from tests.tiles.tiles_log import MemoryLog

if __name__ == "__main__":
    folder, size, steps = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    die_after(steps)
    log = MemoryLog([b"leaf %d" % number for number in range(700)])
    publish(log, log.note(size), FolderPlace(folder))
