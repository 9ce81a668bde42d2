"""Exit codes of a command that gave no answer; the package's page lists all."""

from typing import Final

UNANSWERABLE: Final = 2
DEFECT: Final = 70
"""Exit code of a defect of the program itself: EX_SOFTWARE of sysexits.h."""
