"""How fast a log is audited with every check on, and what memory that takes, however long the log is.

Each size is a log of four-seat Mậu Binh rounds at twenty tables, written to a file by one process and audited by
another, on one core, with the frontend's word for events and once with the referee's receipt for each, which are four
signatures more a round. The last column is the audit's peak memory, which must not grow with the log.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

TABLES: Final = 20
_LENGTH: Final = 4
Head: TypeAlias = tuple[str, str, str, str, int]
"""Checkpoint, origin and keys of a log, and the time of its audit."""
_AUDIT: Final = "from tests.bench.bench_audit import audit_file; audit_file({file!r}, {head!r})"


def write_log(file: Path, rounds: int, *, received: bool) -> Head:
    """Write a log of so many rounds to a file, each leaf behind its length; return what it is audited with."""
    return write_growing(file, [rounds], received=received)[0]


def write_growing(file: Path, sizes: Sequence[int], *, received: bool) -> list[Head]:
    """Write a log of the last of these numbers of rounds to a file; return what it is audited with at each of them."""
    from referee.evidence.merkle import Frontier, leaf_hash  # noqa: PLC0415 - not in the audit's memory
    from referee.log import Checkpoint, CheckpointSigner  # noqa: PLC0415 - not in the audit's memory
    from tests.audit.audit_builder import LOG, ORIGIN, ROOT, LogBuilder, Table  # noqa: PLC0415 - not in the audit's memory

    builder, frontier, signer = LogBuilder.founded(), Frontier(), CheckpointSigner(LOG, key_name=LOG.name)
    tables = [
        Table(name=f"table-{number}", ruleset_id="mau_binh.chi_2020", seats=4, received=received)
        for number in range(TABLES)
    ]
    latest, heads = 0, []
    with file.open("wb") as out:
        for number in range(sizes[-1]):
            parts = builder.play(tables[number % TABLES], seed=number)
            latest = max(latest, parts.header.round_deadline)
            for leaf in builder.entries:
                out.write(len(leaf).to_bytes(_LENGTH, "big") + leaf)
                frontier = frontier.append(leaf_hash(leaf))
            builder.entries.clear()
            if number + 1 in sizes:
                checkpoint = signer.sign(Checkpoint(ORIGIN, frontier.size, frontier.root))
                heads.append((checkpoint.decode(), ORIGIN, LOG.text, ROOT.text, latest))
    return heads


class FileLog:
    """A log in such a file, read from its front."""

    def __init__(self, file: str, checkpoint: str) -> None:
        self.checkpoint = checkpoint.encode()
        self._file = file

    def leaves(self, start: int, stop: int) -> Iterator[bytes]:
        """Return the leaves from ``start`` to before ``stop``."""
        with Path(self._file).open("rb") as source:
            for index in range(stop):
                leaf = source.read(int.from_bytes(source.read(_LENGTH), "big"))
                if index >= start:
                    yield leaf


def audit_file(file: str, head: Sequence[str | int]) -> None:
    """Audit such a file and print seconds, findings, rounds replayed and dealt again, and peak memory in MB."""
    import resource  # noqa: PLC0415 - the audited process measures itself

    from referee.audit.audit import audit_log  # noqa: PLC0415 - so that its import is not timed twice
    from referee.rulesets import load_builtin  # noqa: PLC0415 - not in the audit's memory

    checkpoint, origin, log_key, root_key, now = head
    source = FileLog(file, str(checkpoint))
    catalogue = load_builtin()
    start = time.process_time()
    report = audit_log(
        source, origin=str(origin), log_key=str(log_key), root_key=str(root_key), catalogue=catalogue, now=int(now)
    )
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    result = [seconds, sum(report.finding_counts.values()), report.checked.replayed, report.checked.redealt, peak]
    sys.stdout.write(json.dumps(result) + "\n")


class Audited(NamedTuple):
    """CPU seconds, findings, rounds replayed and dealt again, and peak memory in MB of an audit."""

    seconds: float
    findings: int
    replayed: int
    redealt: int
    peak: float


def audit_apart(file: Path, head: Head, rounds: int) -> Audited:
    """Audit a log in a process of its own; raise AssertionError unless all of its rounds hold."""
    code = _AUDIT.format(file=str(file), head=tuple(head))
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    audited = Audited(*json.loads(done.stdout))
    assert (audited.findings, audited.replayed, audited.redealt) == (0, rounds, rounds), audited
    return audited


def main(sizes: Sequence[int]) -> None:
    """Print the table."""
    sys.stdout.write(
        f"{'audit':<28}{'rounds/s a core':>16}{'us a round':>12}{'findings':>10}{'peak MB':>9}  aim 1,500/s\n"
    )
    for rounds, received in [*[(size, False) for size in sizes], (min(sizes), True)]:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "log"
            head = write_log(file, rounds, received=received)
            code = _AUDIT.format(file=str(file), head=head)
            done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
            seconds, findings, replayed, redealt, peak = json.loads(done.stdout)
        if replayed != rounds or redealt != rounds:
            sys.stdout.write(f"only {replayed} of {rounds} rounds were replayed and {redealt} dealt again\n")
        what = "received" if received else "reported"
        sys.stdout.write(
            f"{f'{rounds:,} rounds, {what}':<28}{rounds / seconds:>16,.0f}{seconds / rounds * 1e6:>12,.0f}"
            f"{findings:>10}{peak:>9.0f}\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [1_000, 10_000, 100_000])
