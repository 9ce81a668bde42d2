"""What calls cost, as ratios: ``python -m tests.bench`` (``make bench``); ``all`` measures the rest of the project too.

Noisy machines make milliseconds mean little, so every server figure is server CPU beside an echo under the same load.
Each part is a module that can be run alone.
"""

import platform
import subprocess
import sys
from typing import Final

SERVING: Final = ("every kind of call over gRPC", "tests.bench.bench_serving")
SHARED_CALLS: Final = ("whole rounds of many tables in one client", "tests.bench.bench_shared_calls")
PARTS: Final = (
    SERVING,
    SHARED_CALLS,
    ("judging under a flood of advice", "tests.bench.bench_advice_flood"),
    ("audit", "tests.bench.bench_audit"),
    ("what grows with the log", "tests.bench.bench_growth"),
)


def main() -> None:
    """Print the tables of calls and of whole rounds; or the parts named on the command line, or all."""
    wanted = sys.argv[1:] or [module.rpartition(".")[2] for _, module in (SERVING, SHARED_CALLS)]
    sys.stdout.write(f"{platform.platform()}, {platform.machine()}, Python {platform.python_version()}\n")
    for title, module in PARTS:
        if "all" not in wanted and module.rpartition(".")[2] not in wanted:
            continue
        sys.stdout.write(f"\n## {title} ({module})\n\n")
        sys.stdout.flush()
        done = subprocess.run([sys.executable, "-W", "ignore", "-m", module], check=False)
        if done.returncode:
            sys.stdout.write(f"{module} ended with {done.returncode}\n")


if __name__ == "__main__":
    main()
