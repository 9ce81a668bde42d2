"""Cost of a start and of the doctor: ``python -m tests.bench.bench_start 1000 100000 1000000``, sizes in leaves.

The log of one server gets so many leaves of 3 kB. A start opens it as a server does; with ``log.check_first`` it also
does what is otherwise done behind it. The doctor is measured beside it, also with ``--full``. Each runs in a process of
its own, without its imports: CPU seconds, rows read from the log's tables by readers, hashes of the tree.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Final

from referee.server.process.app import Application
from tests.bench.generated_log import run_apart
from tests.server.options import server_options
from tests.storage.long_log import extend

LEAF_BYTES: Final = 3_000
_MEASURED: Final = """
import json, time
from contextlib import ExitStack
from pathlib import Path
from referee.server.doctor import CheckDepth, examine
from referee.server.process.opened_log import OpenedLog
from tests.server.doctor.examining import configured
from tests.server.options import server_options
from tests.storage.long_log import counted
data = Path({data!r})
with ExitStack() as kept, counted() as work:
    options, settings = server_options(data=data, check_first={whole}), configured(data=data)
    begun = time.process_time()
    {act}
    seconds = time.process_time() - begun
print(json.dumps([seconds, work.rows, work.hashes]))
"""
_START: Final = "OpenedLog.open(options, (), kept)"
_DOCTOR: Final = "list(examine(settings, depth=CheckDepth(is_full={whole})))"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.bench_start")
    parser.add_argument("sizes", nargs="*", type=int, default=[1_000, 100_000])
    sizes = parser.parse_args().sizes
    sys.stdout.write(f"{'leaves':>10}  {'':<20}{'CPU s':>8}{'rows read':>12}{'hashes':>12}\n")
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        with Application(server_options(data=data)):
            pass
        for size in sizes:
            extend(data, size, leaf_bytes=LEAF_BYTES)
            for name, act, whole in (
                ("start", _START, False),
                ("doctor", _DOCTOR, False),
                ("start, all checked", _START, True),
                ("doctor --full", _DOCTOR, True),
            ):
                code = _MEASURED.format(data=str(data), whole=whole, act=act.format(whole=whole))
                seconds, rows, hashes = run_apart(code)
                sys.stdout.write(f"{size:>10,}  {name:<20}{seconds:>8.2f}{rows:>12,}{hashes:>12,}\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
