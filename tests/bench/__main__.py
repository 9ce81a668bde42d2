"""All measurements in one run, as ratios: ``python -m tests.bench`` (``make bench``).

Noisy machines make milliseconds mean little, so every server figure is server CPU beside an empty echo call on the
same server under the same load, and hands are beside eval7.
"""

import argparse
import platform
import sys

from tests.bench import bench_audit, bench_hands, bench_server


def main() -> None:
    """Print every table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1500, help="rounds settled in the server's measurement")
    parser.add_argument("--audited", type=int, nargs="+", default=[1_000, 20_000], help="sizes of audited logs")
    arguments = parser.parse_args()
    sys.stdout.write(f"{platform.platform()}, {platform.machine()}, Python {platform.python_version()}\n\n")
    bench_hands.main()
    sys.stdout.write("\n")
    bench_server.main(arguments.rounds)
    sys.stdout.write("\n")
    bench_audit.main(arguments.audited)


if __name__ == "__main__":
    main()
