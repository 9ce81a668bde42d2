"""A store has the schema of this program once every step that it lacks was taken, in order and in one transaction.

The law: version n is what the first n steps leave behind, for a new store as for an old one, so there is one way to
every schema. A released step never changes; a change of the schema is a new step at the end. Steps only ever add:
leaves, hashes and marks stay as they were. A store of a later version than this program knows is refused.

It refuses to know which database it speaks to, and transactions, which whoever calls has begun.
"""

from collections.abc import Callable
from typing import Final

from sqlalchemy import Connection, inspect

from referee.storage.schema import CONTRIBUTION, COSIGNED, HEAD, LEAF, MARK, NODE, ROUND, SCHEMA_VERSION
from referee.storage.store import StoreError

Step = Callable[[Connection], None]


def _make_log(connection: Connection) -> None:
    for table in (HEAD, LEAF, NODE, ROUND, MARK):
        table.create(connection)


def _say_version(connection: Connection) -> None:
    SCHEMA_VERSION.create(connection)
    connection.execute(SCHEMA_VERSION.insert().values(id=1, version=2, openings=0))
    connection.execute(HEAD.update().values(format=2))


def _keep_contributions(connection: Connection) -> None:
    CONTRIBUTION.create(connection)


def _keep_cosigned(connection: Connection) -> None:
    COSIGNED.create(connection)


STEPS: Final[tuple[Step, ...]] = (
    _make_log,
    _say_version,
    _keep_contributions,
    _keep_cosigned,
)
"""Step n, counted from 1, makes version n out of version n - 1."""
CONTRIBUTIONS_SINCE: Final = STEPS.index(_keep_contributions) + 1
"""The version that has seats' seeds."""
COSIGNED_SINCE: Final = STEPS.index(_keep_cosigned) + 1
"""The version that has checkpoints with cosignatures."""
VERSION: Final = len(STEPS)
"""The version that this program writes."""


def version_of(connection: Connection) -> int:
    """The version of the schema that stands in the database, 0 where there is none."""
    tables = inspect(connection)
    if tables.has_table(SCHEMA_VERSION.name):
        return int(connection.execute(SCHEMA_VERSION.select()).one().version)
    return 1 if tables.has_table(HEAD.name) else 0


def migrate(connection: Connection) -> int:
    """The version that the store had; it has ``VERSION`` now. Raises StoreError where it is a later one.

    The caller's transaction must keep other writers out.
    """
    found = version_of(connection)
    check_version(found)
    for step in STEPS[found:]:
        step(connection)
    # Counting makes every opening a commit, which a store may need; a row that stays the same would not be written.
    openings = SCHEMA_VERSION.c.openings + 1
    connection.execute(SCHEMA_VERSION.update().values(version=VERSION, openings=openings))
    return found


def check_version(version: int) -> None:
    """Nothing where this program can work with a store of that version; StoreError otherwise."""
    if version > VERSION:
        msg = f"the store has schema version {version}, and this program knows none after {VERSION}"
        raise StoreError(msg)
