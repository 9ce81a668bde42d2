"""A generated log in a file, of four-seat Mậu Binh rounds at twenty tables, and its audit in a process of its own.

Each leaf is behind its length. The audit's process imports nothing else, so that its peak memory is the audit's.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

TABLES: Final = 20
_LENGTH: Final = 4
Head: TypeAlias = tuple[str, str, str, str, int]
"""Checkpoint, origin and keys of a log, and the time of its audit."""
_AUDIT: Final = "from tests.bench.generated_log import audit_file; audit_file({file!r}, {head!r})"


def write_growing(file: Path, sizes: Sequence[int]) -> list[Head]:
    """Write a log of the last of these numbers of rounds to a file; return what it is read with at each of them."""
    from referee.evidence.merkle import Frontier, leaf_hash  # noqa: PLC0415 - not in the audit's memory
    from referee.log import Checkpoint, CheckpointSigner  # noqa: PLC0415 - as above
    from tests.audit.audit_builder import LOG, ORIGIN, ROOT, LogBuilder, Table  # noqa: PLC0415 - as above

    builder, frontier, signer = LogBuilder.founded(), Frontier(), CheckpointSigner(LOG, key_name=LOG.name)
    tables = [Table(name=f"table-{number}", ruleset_id="mau_binh.chi_2020", seats=4) for number in range(TABLES)]
    latest, heads = 0, []
    with file.open("wb") as out:
        for number in range(sizes[-1]):
            header = builder.play(tables[number % TABLES], seed=number).header
            latest = max(latest, header.round_deadline)
            leaves = builder.take()
            for leaf in leaves:
                out.write(len(leaf).to_bytes(_LENGTH, "big") + leaf)
            frontier = frontier.extend([leaf_hash(leaf) for leaf in leaves])
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
    from tests.driver.auditing import counted, terms_of  # noqa: PLC0415 - so that its import is not timed twice

    checkpoint, origin, log_key, root_key, now = head
    source = FileLog(file, str(checkpoint))
    terms = terms_of(origin=str(origin), log_key=str(log_key), root_key=str(root_key), now=int(now))
    start = time.process_time()
    report = counted(source, *terms)
    seconds = time.process_time() - start
    result = [seconds, sum(report.finding_counts.values()), report.checked.replayed, report.checked.redealt]
    sys.stdout.write(json.dumps([*result, peak_megabytes()]) + "\n")


def peak_megabytes() -> float:
    """Return the peak memory of this process; the system's other figure has the parent's peak."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def run_apart(code: str) -> Any:  # noqa: ANN401 - JSON
    """Run some code in a process of its own; return what it prints."""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


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
    audited = Audited(*run_apart(code))
    assert (audited.findings, audited.replayed, audited.redealt) == (0, rounds, rounds), audited
    return audited
