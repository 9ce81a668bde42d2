"""All measurements in one run, as ratios: ``python -m tests.bench`` (``make bench``).

Noisy machines make milliseconds mean little, so every server figure is server CPU beside an empty echo call on the
same server under the same load, and hands are beside eval7. Each part is a module that can be run alone.
"""

import platform
import subprocess
import sys
from typing import Final

PARTS: Final = (
    ("hands, beside eval7", "tests.bench.bench_hands"),
    ("the law of Mậu Binh, in process", "tests.games.mau_binh.bench_mau_binh"),
    ("the law of Tiến Lên, in process", "tests.games.tien_len.bench_tien_len"),
    ("the log, in process", "tests.storage.bench_append"),
    ("Mậu Binh over gRPC", "tests.bench.bench_server"),
    ("Tiến Lên over gRPC", "tests.service.tien_len.bench_tien_len_service"),
    ("Ultimate Texas Hold'em over gRPC", "tests.bench.bench_ultimate_texas"),
    ("advice for Mậu Binh", "tests.bench.bench_mau_binh_advice"),
    ("advice for Ultimate Texas Hold'em", "tests.bench.bench_ultimate_texas_advice"),
    ("judging under a flood of advice", "tests.bench.bench_advice_flood"),
    ("bytes and signatures of rounds", "tests.bench.bench_sizes"),
    ("workers, overload, one log", "tests.bench.bench_workers"),
    ("audit", "tests.bench.bench_audit"),
    ("the log as tiles", "tests.bench.bench_tiles"),
)


def main() -> None:
    """Print every table; parts named on the command line are run alone."""
    wanted = sys.argv[1:]
    sys.stdout.write(f"{platform.platform()}, {platform.machine()}, Python {platform.python_version()}\n")
    for title, module in PARTS:
        if wanted and module.rpartition(".")[2] not in wanted:
            continue
        sys.stdout.write(f"\n## {title} ({module})\n\n")
        sys.stdout.flush()
        done = subprocess.run([sys.executable, "-W", "ignore", "-m", module], check=False)
        if done.returncode:
            sys.stdout.write(f"{module} ended with {done.returncode}\n")


if __name__ == "__main__":
    main()
