"""A process that opens the cards of tables along one course: ``PLACE KIND COUNT``.

``KIND`` is a kind of the bench's UNSEAL, the tables are called 0 to COUNT - 1 and dealt. It prints for each
table OPENED or the reason of a refusal, and asks again where another writer held the store.
"""

import sys
from pathlib import Path

from referee.log import SlotError
from referee.storage import StoreBusyError, Writer, is_postgres, open_store
from tests.storage.log_bench import Bench


def _open(writer: Writer, bench: Bench, kind: str, table: str) -> str:
    while True:
        try:
            writer.append(bench.append(kind, table))
        except SlotError as error:
            return error.reason.value
        except StoreBusyError:
            continue
        return "OPENED"


def main() -> None:
    """Open the tables in turn."""
    place, kind, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    bench = Bench()
    with bench.writing(open_store(Path(place), database=place if is_postgres(place) else None)) as (_, writer):
        for table in range(count):
            print(_open(writer, bench, kind, str(table)), flush=True)  # noqa: T201 - what the parent reads


if __name__ == "__main__":
    main()
