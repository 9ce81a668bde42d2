"""The log that ``audit`` and ``rounds export`` read, wherever it is: a data folder, tiles, PostgreSQL or a service."""

import re
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Final

import typer

from referee.audit.as_of import AuditTime
from referee.audit.source import LogSource, TiledLog
from referee.audit.timeline import GRACE_MS
from referee.audit.trust import TrustedKeys
from referee.cli.options import AsOf, Database, fail
from referee.cli.service_access import NO_ACCESS, ServiceAccess
from referee.evidence.outside import pasted
from referee.evidence.vkey import VerifierKey
from referee.tiles import PlaceError, open_place

PUBLISHED_GRACE_MS: Final = GRACE_MS + 3_600_000
"""Grace of tiles under a URL: they may be published as seldom as once an hour."""
DATA_FOLDER: Final = "referee-data"
OPTIONS: Final = "options"
_STORES: Final = "*.sqlite3"
_KEYS: Final = "keys"
_CHECKPOINT: Final = "checkpoint"
_LOG_FILE: Final = "log.sqlite3"
_KINDS: Final = (
    f"A log is read from a data folder (with {_LOG_FILE}), from tiles in a folder (with the file {_CHECKPOINT}) or "
    "under a URL, from postgresql://..., or from a service as host:port"
)
_POSTGRESQL: Final = ("postgresql://", "postgres://")
_SERVICE: Final = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[^/\\:\s]+):[0-9]{1,5}")

LogKey = Annotated[str, typer.Option(metavar="KEY", help="The log's verifier key as you know it from elsewhere.")]
RootKeyText = Annotated[str, typer.Option(metavar="KEY", help="The root's verifier key as you know it from elsewhere.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedLog:
    """A log with its origin, the two keys to trust and the checkpoints that witnesses cosigned.

    ``place`` names the log on a command line. ``location`` is a URL at which other machines can read its tiles, None if
    there is none. ``is_live`` says that a server writes or publishes the log now, so that what is missing is late by
    the auditor's clock and not by a copy's; ``grace`` is the time in ms by which a leaf may miss its deadline.
    ``as_of`` is the time that the auditor gave, in ms since 1970 UTC, by which deadlines are judged.
    ``keys_from`` says where the keys are from: ``OPTIONS``, a folder, or a service. ``named_root`` is
    the root key that the place itself names, empty if it names none.
    """

    source: LogSource
    origin: str
    log_key: str
    root_key: str
    keys_from: str
    place: str
    cosigned: Iterable[bytes] = ()
    location: str | None = None
    named_root: str = ""
    is_live: bool = False
    grace: int = GRACE_MS
    as_of: int | None = None

    @property
    def trusted(self) -> TrustedKeys:
        """The keys to trust; raise KeyTextError if one is no key."""
        return TrustedKeys(log=self.log_key, root=self.root_key, named_root=self.named_root)

    def time(self, now: int) -> AuditTime:
        """Return the time of an audit at this time of the auditor's clock; a copy is judged as of its newest time."""
        as_of = now if self.is_live and self.as_of is None else self.as_of
        return AuditTime(now=now, as_of=as_of, grace=self.grace)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogOptions:
    """Options of a command that reads a whole log: where it is, its keys, and as of when it is judged."""

    context: typer.Context
    place: Annotated[
        str,
        typer.Argument(
            metavar="PLACE",
            help="Where the log is: a data folder, tiles in a folder or under a URL, postgresql://..., or a service as "
            "host:port. Without it the folder of --data.",
        ),
    ] = ""
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="FOLDER",
            help=f"Data folder with the log, {DATA_FOLDER} by default, or with another place's keys.",
        ),
    ] = None
    database: Database = None
    log_key: LogKey = ""
    root_key: RootKeyText = ""
    origin: Annotated[
        str, typer.Option(metavar="NAME", help="A published log's origin; otherwise the name of its log key.")
    ] = ""
    as_of: AsOf = None

    def open(self, access: ServiceAccess) -> AbstractContextManager[AuditedLog]:
        """Open the log for a block, as ``audited_log`` does; end the command if two places are given.

        The variable of --database is the server's setting, and does not count beside a place.
        """
        database = self.database
        if self.place and database is not None:
            source = self.context.get_parameter_source("database")
            if source is not None and source.name != "ENVIRONMENT":
                named = without_password(self.place) if "://" in self.place else self.place
                fail(
                    f"{named} and --database {without_password(database)} are two places: give one of them. "
                    "For a database's keys give --data FOLDER"
                )
            database = None
        return audited_log(
            self.place,
            self.data,
            database,
            log_key=self.log_key,
            root_key=self.root_key,
            origin=self.origin,
            access=access,
            as_of=self.as_of,
        )


@contextmanager
def audited_log(  # noqa: PLR0913 - one parameter an option
    place: str,
    data: Path | None,
    database: str | None = None,
    *,
    log_key: str = "",
    root_key: str = "",
    origin: str = "",
    access: ServiceAccess = NO_ACCESS,
    as_of: int | None = None,
) -> Iterator[AuditedLog]:
    """Open the log at a place for the block; end the command if there is no log or it cannot be read.

    A place is a data folder, a folder or URL with tiles, a PostgreSQL URL, or a service as host:port. An empty place
    means ``database``, or the data folder if ``database`` is None. Keys that are not given are read from the place if
    it is a data folder or a service. For any other place they are read from ``data``, which must then be given.
    Deadlines are judged by ``as_of``, in ms since 1970 UTC.
    """
    keys = log_key, root_key
    is_service = "://" not in place and not Path(place).exists() and _SERVICE.fullmatch(place) is not None
    if access.options and not is_service:
        fail(f"{access.options}: only for a service, which is given as host:port")
    if not place:
        opened = _stored(data or Path(DATA_FOLDER), database, *keys)
    elif is_service:
        opened = _served(place, access, *keys)
    elif "://" not in place and (any(Path(place).glob(_STORES)) or (Path(place) / _KEYS).is_dir()):
        opened = _stored(Path(place), None, *keys)
    else:
        _check_kind(place)
        is_database = place.startswith(_POSTGRESQL)
        if data is None and not all(keys):
            name = "a log in PostgreSQL" if is_database else place
            fail(
                f"{name} has no keys beside it: give --log-key and --root-key as the operator publishes them, or "
                "--data with the data folder whose keys are to be used"
            )
        folder = data or Path(DATA_FOLDER)
        opened = _stored(folder, place, *keys) if is_database else _published(place, folder, origin, *keys)
    with opened as log:
        yield replace(log, as_of=as_of)


def _check_kind(place: str) -> None:
    """End the command if a place that is no data folder and no service is no URL and no folder of tiles either."""
    path = Path(place)
    if "://" in place or (path / _CHECKPOINT).exists():
        return
    fault = f"{place}: there is no such place"
    if path.is_dir():
        fault = f"{place} is a folder without a log: it has neither {_LOG_FILE} nor the file {_CHECKPOINT}"
    elif path.exists():
        fault = f"{place} is a file, and a log is no single file; `referee verify` proves the bundle of one round"
    fail(f"{fault}. {_KINDS}")


def without_password(database: str) -> str:
    """Return a database's URL for a message, without its password and its parameters.

    >>> without_password("postgresql://auditor:secret@db/games?password=secret")
    'postgresql://auditor:***@db/games'
    """
    from referee.storage import log_place  # noqa: PLC0415 - the extra server

    return log_place(Path(), database).removeprefix("the database ")


def _is_served(data: Path) -> bool:
    """Return whether a server runs on the folder; none does where Python has no fcntl, as on Windows."""
    try:
        from referee.server.folder_lock import is_in_use  # noqa: PLC0415 - the extra server
    except ModuleNotFoundError as error:
        if error.name != "fcntl":
            raise
        return False
    return is_in_use(data)


@contextmanager
def _stored(data: Path, database: str | None, log_key: str, root_key: str) -> Iterator[AuditedLog]:
    from referee.cli.stored_log import StoredLog, root_key_of, stored_log  # noqa: PLC0415 - the extra server

    with stored_log(data, database) as reader:
        log_key, root_key, keys_from = _keys(data, log_key, root_key)
        is_live = _is_served(data) if database is None else reader.is_in_use()
        source = StoredLog(reader, reader.head().checkpoint)
        yield AuditedLog(
            source=source,
            origin=reader.origin,
            log_key=log_key,
            root_key=root_key,
            keys_from=keys_from,
            place=str(data) if database is None else without_password(database),
            cosigned=source.cosigned(),
            named_root=root_key_of(data) if database is None else "",
            is_live=is_live,
        )


@contextmanager
def _served(address: str, access: ServiceAccess, log_key: str, root_key: str) -> Iterator[AuditedLog]:
    from referee.cli.served_log import served_log  # noqa: PLC0415 - the extra server

    with served_log(address, access) as source:
        yield AuditedLog(
            source=source,
            origin=source.keys.origin,
            log_key=log_key or source.keys.log_key,
            root_key=root_key or source.keys.root_key,
            keys_from=OPTIONS if log_key and root_key else f"the service {address}",
            place=address,
            cosigned=source.cosigned(),
            named_root=source.keys.root_key,
            is_live=True,
        )


@contextmanager
def _published(location: str, data: Path, origin: str, log_key: str, root_key: str) -> Iterator[AuditedLog]:
    log_key, root_key, keys_from = _keys(data, log_key, root_key)
    try:
        yield AuditedLog(
            source=TiledLog(open_place(location)),
            origin=origin or VerifierKey.parse(log_key).name,
            log_key=log_key,
            root_key=root_key,
            keys_from=keys_from,
            place=location,
            location=location if "://" in location else None,
            is_live="://" in location,
            grace=PUBLISHED_GRACE_MS if "://" in location else GRACE_MS,
        )
    except PlaceError as error:
        fail(f"{location}: {error}")


def _keys(data: Path, log_key: str, root_key: str) -> tuple[str, str, str]:
    """Return the two keys and where they are from; read a key that is empty from a data folder."""
    log_key, root_key = pasted(log_key), pasted(root_key)
    if log_key and root_key:
        return log_key, root_key, OPTIONS
    from referee.cli.stored_log import public_keys  # noqa: PLC0415 - the extra server

    keys = public_keys(data, remedy="; or give --log-key and --root-key")
    return log_key or keys["log"], root_key or keys["root"], str(data / _KEYS)
