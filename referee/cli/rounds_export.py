"""The folder of an export of rounds: one export at a time, and what a command says of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from referee.audit.page.text import unfinished_words
from referee.cli.options import fail
from referee.evidence.printable import counted, printable
from referee.rounds.export import Exported
from referee.server.folder_lock import LeaderLock


@contextmanager
def only_export(out: Path) -> Iterator[None]:
    """Make a folder and keep other exports out of it; end the command if one is running, or for a fault of the disk."""
    lock = LeaderLock(out / "lock")
    try:
        out.mkdir(parents=True, exist_ok=True)
        if not lock.take():
            fail(f"another export to {out} is running; wait for its end")
        yield
    except OSError as error:
        fail(f"{out}: {error.strerror}")
    finally:
        lock.leave()


def export_lines(done: Exported, out: Path) -> list[str]:
    """Return lines about what an export wrote."""
    rows = ", ".join(f"{count:,} {table}" for table, count in done.rows.items()) or "no rows"
    running = f"{counted(done.running, 'round')} still {'runs' if done.running == 1 else 'run'}"
    lines = [f"{rows} of leaves {done.start:,} to {done.size:,} in {printable(str(out))}; {running}"]
    if done.unfinished:
        lines.append(unfinished_words(done.unfinished))
    lines.append(f"root {done.root}: `referee audit` says of the same root whether what the leaves say is true")
    if done.unread_count:
        leaves = "1 leaf" if done.unread_count == 1 else f"{done.unread_count:,} leaves"
        lines.append(f"{leaves} gave no row; `referee audit` says what is wrong:")
        lines += [f"  leaf {index}: {printable(why)}" for index, why in done.unread]
    return lines
