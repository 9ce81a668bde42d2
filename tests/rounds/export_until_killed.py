"""A process that exports the rounds of the tests' log and kills itself on the way, for the test beside it.

Arguments: the folder, the leaves of a part, and the step at which the process dies.
"""

import sys
from pathlib import Path

from referee.rounds import export as exporting
from tests.dying import die_after
from tests.rounds.rounds_log import export, log_of_every_kind

if __name__ == "__main__":
    folder, part, steps = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    die_after(steps)
    exporting.PART = part  # type: ignore[misc] # the test's log is short
    export(log_of_every_kind().entries, folder)
