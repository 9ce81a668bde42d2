"""A log that commands read from a data folder or from PostgreSQL."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from referee.cli.options import fail
from referee.log import Slot, SlotKey
from referee.server.keys.folder import read_public_keys
from referee.server.keys.private_key import KeyFileError
from referee.storage import DataLossError, Reader, open_reader, trouble_of
from referee.tiles import BrokenLogError

_PAGE: Final = 1_000


@dataclass(frozen=True, slots=True)
class StoredLog:
    """Log source of an audit that reads a store under one of the log's checkpoints."""

    reader: Reader
    checkpoint: bytes

    def leaves(self, start: int, stop: int) -> Iterator[bytes]:
        """Yield the leaves from ``start`` to before ``stop``, in order."""
        return self.reader.iterate(start, stop)

    def cosigned(self) -> Iterator[bytes]:
        """Yield the cosigned checkpoints that the store keeps, smallest first."""
        start = 0
        while page := self.reader.cosigned(start, _PAGE):
            yield from (one.note for one in page)
            start = page[-1].size + 1


@contextmanager
def stored_log(data: Path, database: str | None = None) -> Iterator[Reader]:
    """Open the log for the block; end the command if there is no log or it cannot be read."""
    try:
        with closing(open_reader(data, database=database)) as reader:
            yield reader
    except DataLossError as error:
        fail(trouble_text(error))


def trouble_text(error: Exception) -> str:
    """Describe an error of a store; if the log contradicts itself, say that it is damaged and what to do."""
    if not isinstance(error, DataLossError | BrokenLogError):
        return str(error)
    return f"{error}. The log is damaged: {trouble_of(DataLossError()).remedy}"


def public_keys(data: Path, *, remedy: str = "") -> dict[str, str]:
    """Read the verifier key of each role from a data folder; end the command if one cannot be read."""
    try:
        return read_public_keys(data / "keys")
    except KeyFileError as error:
        fail(f"{error}{remedy}")


def root_key_of(data: Path) -> str:
    """Return the root's verifier key of a data folder, empty if its public keys cannot be read."""
    try:
        return read_public_keys(data / "keys")["root"]
    except KeyFileError:
        return ""


def find_round(reader: Reader, table_id: str, round_number: int) -> Slot:
    """Find a round by number, the table's latest if the number is 0; end the command if there is no such round."""
    try:
        found = reader.round(SlotKey(table_id, round_number)) if round_number else reader.latest_round(table_id)
    except ValueError as error:
        fail(str(error))
    if found is None:
        fail(f"table {table_id} has no such round")
    return found
