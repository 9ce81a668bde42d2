"""What ``referee rounds`` costs: ``python -m tests.bench.bench_rounds 2000 20000``, numbers of rounds, ascending.

One log of four-seat Mậu Binh rounds, each event with a receipt, is exported from its beginning at each size, in a
process of its own, whose peak memory is the export's. Seconds are of the processor. A thousand rounds are played; the
others are the same at other tables, under their own round ids and with old signatures, which no export reads.
"""

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from tests.bench.generated_log import FileLog, Head, peak_megabytes, run_apart, write_growing

PLAYED: Final = 1_000
_EXPORT: Final = "from tests.bench.bench_rounds import export_file; export_file({file!r}, {head!r}, {out!r})"


def export_file(file: str, head: Head, out: str) -> None:
    """Export such a file and print seconds, rounds written and peak memory in MB."""
    from referee.rounds.export import export_rounds  # noqa: PLC0415 - its import is not timed

    checkpoint, origin, log_key, root_key, _ = head
    start = time.process_time()
    done = export_rounds(FileLog(file, checkpoint), Path(out), origin=origin, log_key=log_key, root_key=root_key)
    seconds = time.process_time() - start
    sys.stdout.write(json.dumps([seconds, done.rows["rounds"], sum(done.rows.values()), peak_megabytes()]) + "\n")


def main() -> None:
    """Print a line for each size."""
    sizes = [int(size) for size in sys.argv[1:]] or [2_000, 20_000]
    sys.stdout.write(f"{'rounds':>10}{'rows':>12}{'s used':>9}{'rounds a s':>12}{'MB on disk':>12}{'peak MB':>9}\n")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        heads = write_growing(folder / "log", sizes, played=PLAYED)
        for size, head in zip(sizes, heads, strict=True):
            out = folder / f"rounds-{size}"
            code = _EXPORT.format(file=str(folder / "log"), head=tuple(head), out=str(out))
            seconds, rounds, rows, peak = run_apart(code)
            assert rounds == size
            disk = sum(file.stat().st_size for file in out.rglob("*.parquet")) / 2**20
            sys.stdout.write(
                f"{size:>10,}{rows:>12,}{seconds:>9.1f}{size / seconds:>12,.0f}{disk:>12.1f}{peak:>9.0f}\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    main()
