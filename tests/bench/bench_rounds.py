"""What ``referee rounds`` costs: ``python -m tests.bench.bench_rounds 2000 20000``, numbers of rounds, ascending.

One log of four-seat Mậu Binh rounds, each event with a receipt, is exported from its beginning at each size, in a
process of its own, whose peak memory is the export's. Seconds are of the processor. A thousand rounds are played; the
others are the same at other tables, under their own round ids and with old signatures, which no export reads.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from referee.dealing.header import Header
from referee.evidence.dsse import Envelope
from referee.evidence.merkle import Frontier, leaf_hash
from referee.log import Checkpoint, CheckpointSigner
from tests.bench.generated_log import TABLES, FileLog, Head

PLAYED: Final = 1_000
_EXPORT: Final = "from tests.bench.bench_rounds import export_file; export_file({file!r}, {head!r}, {out!r})"


def export_file(file: str, head: Head, out: str) -> None:
    """Export such a file and print seconds, rounds written and peak memory in MB."""
    from referee.rounds.export import export_rounds  # noqa: PLC0415 - its import is not timed

    checkpoint, origin, log_key, root_key, _ = head
    start = time.process_time()
    done = export_rounds(FileLog(file, checkpoint), Path(out), origin=origin, log_key=log_key, root_key=root_key)
    seconds = time.process_time() - start
    status = Path("/proc/self/status").read_text(encoding="ascii")
    peak = int(status.partition("VmHWM:")[2].split()[0]) / 1024
    sys.stdout.write(json.dumps([seconds, done.rows["rounds"], sum(done.rows.values()), peak]) + "\n")


def write_repeated(file: Path, sizes: Sequence[int]) -> list[Head]:
    """Write a log of the last of these numbers of rounds to a file; return what it is exported with at each of them."""
    from tests.audit.audit_builder import LOG, ORIGIN, ROOT, LogBuilder, Table  # noqa: PLC0415 - not in the export's memory

    builder, frontier, heads = LogBuilder.founded(), Frontier(), []
    signer = CheckpointSigner(LOG, key_name=LOG.name)
    tables = [Table(name=f"table-{number}", ruleset_id="mau_binh.chi_2020", seats=4) for number in range(TABLES)]
    played: list[tuple[Header, list[Envelope]]] = []
    with file.open("wb") as out:
        for number in range(sizes[-1]):
            if number < PLAYED:
                header = builder.play(tables[number % TABLES], seed=number).header
                leaves = builder.take()
                played.append((header, [Envelope.parse(leaf) for leaf in leaves[-4:]]))
            else:
                leaves = _at_another_table(*played[number % PLAYED], number // PLAYED)
            for leaf in leaves:
                out.write(len(leaf).to_bytes(4, "big") + leaf)
            frontier = frontier.extend(map(leaf_hash, leaves))
            if number + 1 in sizes:
                note = signer.sign(Checkpoint(ORIGIN, frontier.size, frontier.root))
                heads.append((note.decode(), ORIGIN, LOG.text, ROOT.text, 0))
    return heads


def _at_another_table(header: Header, envelopes: Sequence[Envelope], number: int) -> list[bytes]:
    """Return the leaves of a round as if it had been played at another table."""
    named = msgspec.structs.replace(header, table_id=f"{header.table_id}-{number}")
    changes = ((header.round_id.hex(), named.round_id.hex()), (f'"{header.table_id}"', f'"{named.table_id}"'))
    leaves = []
    for envelope in envelopes:
        payload = envelope.payload
        for old, new in changes:
            payload = payload.replace(old.encode(), new.encode())
        leaves.append(Envelope(envelope.payload_type, payload, envelope.signature).to_bytes())
    return leaves


def main() -> None:
    """Print a line for each size."""
    sizes = [int(size) for size in sys.argv[1:]] or [2_000, 20_000]
    sys.stdout.write(f"{'rounds':>10}{'rows':>12}{'s used':>9}{'rounds a s':>12}{'MB on disk':>12}{'peak MB':>9}\n")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        heads = write_repeated(folder / "log", sizes)
        for size, head in zip(sizes, heads, strict=True):
            out = folder / f"rounds-{size}"
            code = _EXPORT.format(file=str(folder / "log"), head=tuple(head), out=str(out))
            done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
            seconds, rounds, rows, peak = json.loads(done.stdout)
            assert rounds == size
            disk = sum(file.stat().st_size for file in out.rglob("*.parquet")) / 2**20
            sys.stdout.write(
                f"{size:>10,}{rows:>12,}{seconds:>9.1f}{size / seconds:>12,.0f}{disk:>12.1f}{peak:>9.0f}\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    main()
