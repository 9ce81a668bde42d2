"""A guard against memory that runs away: a test process that has too much says where it is and ends.

Otherwise the machine ends some process when it has no memory left, and nobody learns where the memory went.
"""

import faulthandler
import os
import threading
import time
from typing import Final

import psutil

MOST_BYTES: Final = 6 << 30
"""Ten times what a process that has run a quarter of all tests has."""
LOOKS: Final = 3
SECONDS: Final = 1.0


def watch(*, most: int = MOST_BYTES, seconds: float = SECONDS) -> None:
    """Look at this process's memory now and then; beyond ``most`` print the stacks of its threads and exit with 1."""
    threading.Thread(target=_look, args=(most, seconds), name="runaway", daemon=True).start()


def _look(most: int, seconds: float) -> None:
    process = psutil.Process()
    while (size := process.memory_info().rss) <= most:
        time.sleep(seconds)
    try:
        for _ in range(LOOKS):
            os.write(2, f"\nprocess {os.getpid()} has {size:,} bytes, and no test needs {most:,}\n".encode())
            faulthandler.dump_traceback(2)
            time.sleep(seconds / 2)
    finally:  # also where nobody reads
        os._exit(1)
