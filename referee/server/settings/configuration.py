"""Settings of a server: one struct for each section of the configuration file, one field with its default for each key.

``Configuration.problems`` checks what the types cannot express. No setting is a secret except a database URL with a
password: keys, certificates and passphrases are given as files. The server is given the same structs that the file
fills; ``deploy/referee.toml`` and the operator's reference are made from the docstrings and ranges of their fields.

>>> [str(problem) for problem in Configuration(serve=ServeSettings(services=("log", "poker"))).problems()]
["serve.services names 'poker'; legal names are rulesets, seating, shuffler, referee, advice, log"]
>>> Configuration().problems()
()
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final, Self

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from referee.dealing.header import TABLE_ID
from referee.evidence.vkey import KeyTextError
from referee.log.cosignature import QuorumError
from referee.server.settings.access import AccessSettings, listen_problems
from referee.server.settings.advice import AdviceSettings
from referee.server.settings.limits import LimitSettings
from referee.server.settings.port import is_port
from referee.server.settings.problem import SettingProblem, name_problems
from referee.server.settings.tls import TlsSettings
from referee.server.settings.web import WebSettings
from referee.server.settings.witnesses import WitnessSettings
from referee.storage import is_postgres

DEFAULT_ORIGIN: Final = "localhost/referee"
SERVICES: Final = ("rulesets", "seating", "shuffler", "referee", "advice", "log")
"""The names that ``serve.services`` accepts."""
SIGNER_SCHEME: Final = "unix:"


class SettingsSection(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A section of the configuration file."""


class ServeSettings(SettingsSection, frozen=True):
    """Section ``[serve]``: address, processes, threads and shutdown."""

    listen: str = "127.0.0.1:50051"
    """Address and port, or unix:/path; port 0 picks a free one. Other machines need [tls] and [access]."""
    services: tuple[str, ...] = SERVICES
    """Services of this process, any of those listed. Each needs only the private keys of its role."""
    threads: Annotated[int, Meta(ge=1, le=256)] = 8
    """Calls that run at once."""
    queue: Annotated[int, Meta(ge=1, le=100_000)] = 1024
    """Calls that may wait for a thread; further calls are rejected as OVERLOADED. As many more may be begun and their
    requests be on the way; the next one takes the place of the oldest, whose call is cancelled."""
    streams: Annotated[int, Meta(ge=1, le=100_000)] = 4096
    """Concurrent calls of one connection. gRPC resets further ones without a reason, and counts a call a moment longer
    than its client does, so that a client that holds back at this number is reset too: keep it well above queue and
    limits.calls_at_once, which refuse with a reason. A begun call takes some 100 kB; twice queue bounds all."""
    workers: Annotated[int, Meta(ge=1, le=64)] = 1
    """Processes that share the address, each pinned to a core."""
    apart: bool = False
    """true: each worker listens on a port of its own, counted up from the address's, for a load balancer."""
    rulesets: str = ""
    """Folder with custom rulesets, as TOML files; empty for none."""
    closed: str = ""
    """File with, on each line, the id or digest of a ruleset of which no further round is opened; read again while
    serving."""
    drain_lead: Annotated[float, Meta(ge=0, le=3_600)] = 2.0
    """Seconds from health NOT_SERVING to the last accepted call: longer than a load balancer's check interval. A call
    that arrives as a server without this time stops may end as CANCELLED, which the service config does not repeat."""
    drain_grace: Annotated[float, Meta(ge=0, le=3_600)] = 10.0
    """Seconds that accepted calls have when the server stops."""
    quiet: bool = False
    """true: no log line for each call."""


class LogSettings(SettingsSection, frozen=True):
    """Section ``[log]``: where the log is stored."""

    data: str = "referee-data"
    """Folder with the log and the keys. Back up its keys folder."""
    database: str = ""
    """Log in PostgreSQL, as postgresql://user@host/database, or with the hosts of a primary and its standbys
    postgresql://user@host1,host2/database; empty for a file in the data folder. Put a password in REFEREE_LOG_DATABASE
    or the database's password file instead."""
    origin: str = DEFAULT_ORIGIN
    """Name of a new log, part of every checkpoint; an existing log keeps its own."""
    instance: str = "referee"
    """Name under which this server says in the log what judges: version, files, rulesets. Give each of several servers
    of one log, but not each worker, a name of its own. It is published."""
    check_first: bool = False
    """true: check all leaves before serving. false: check the newest leaves, the tree's right edge and the leaves that
    the start uses, and the others behind it, at low priority; until then, each leaf is proved before it is used."""
    accept_loss: Annotated[int, Meta(ge=0)] = 0
    """Leaves that the keys have signed and the log has lost, to serve without them: exactly the number that a refused
    start names, 0 for none. Who kept a receipt of them can show the loss. Remove it after that start."""

    @property
    def folder(self) -> Path:
        """The folder with the keys and, without ``database``, the log."""
        return Path(self.data)


class KeySettings(SettingsSection, frozen=True):
    """Section ``[keys]``: where private keys are and what decrypts them."""

    root: str = ""
    """File of the root's private key, if it is kept elsewhere; needed at the first start and to change keys only."""
    passphrase_file: str = ""
    """File with the passphrase of encrypted keys (`referee keys encrypt`), readable by its owner only; or set
    REFEREE_PASSPHRASE. New keys are encrypted with it."""
    signer: str = ""
    """Process that holds the signing keys, as unix:/run/referee/signer.sock; empty for none. `referee keys agent` is
    one; a hardware module or a cloud key service can implement its protocol."""

    @property
    def root_file(self) -> Path | None:
        """File of the root's private key; None for the data folder."""
        return Path(self.root) if self.root else None


class TelemetrySettings(SettingsSection, frozen=True):
    """Section ``[telemetry]``: metrics and traces."""

    metrics: str = ""
    """Address for Prometheus, as 127.0.0.1:9464; further workers use the next ports. Empty for none."""
    trace: bool = False
    """true: OpenTelemetry spans are sent over OTLP, configured by the OTEL_EXPORTER_OTLP_* variables."""


class Configuration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All settings of a server."""

    serve: ServeSettings = ServeSettings()
    log: LogSettings = LogSettings()
    keys: KeySettings = KeySettings()
    witnesses: WitnessSettings = WitnessSettings()
    telemetry: TelemetrySettings = TelemetrySettings()
    tls: TlsSettings = TlsSettings()
    access: AccessSettings = AccessSettings()
    limits: LimitSettings = LimitSettings()
    advice: AdviceSettings = AdviceSettings()
    web: WebSettings = WebSettings()

    def of_worker(self, index: int) -> Self:
        """Return the configuration of one of several workers: its own addresses."""
        serve, telemetry, web = self.serve, self.telemetry, self.web
        if index and telemetry.metrics:
            telemetry = replace(telemetry, metrics=_next_port(telemetry.metrics, index))
        if index and serve.apart:
            serve = replace(serve, listen=_next_port(serve.listen, index))
            web = replace(web, listen=_next_port(web.place, index) if web.listen else "")
        return replace(self, serve=serve, telemetry=telemetry, web=web)

    def problems(self) -> tuple[SettingProblem, ...]:
        """Return everything that prevents serving, in the order of the sections."""
        return (
            *_of_serving(self.serve),
            *_of_log(self.log),
            *_of_keys(self.keys),
            *_of_witnesses(self.witnesses),
            *_of_address("telemetry.metrics", self.telemetry.metrics),
            *self.tls.problems(),
            *self.access.problems(),
            *_of_reach(self),
            *self.limits.problems(),
            *self.advice.problems(),
            *self.web.problems(),
        )


def _of_serving(settings: ServeSettings) -> Iterator[SettingProblem]:
    yield from name_problems("serve.closed", settings.closed)
    known = f"legal names are {', '.join(SERVICES)}"
    if not settings.services:
        yield SettingProblem("serve.services", "is empty", known)
    for name in settings.services:
        if name not in SERVICES:
            yield SettingProblem("serve.services", f"names {name!r}", known)
    yield from _of_address("serve.listen", settings.listen)
    if settings.listen.startswith("unix:") and settings.workers > 1:
        yield SettingProblem(
            "serve.listen",
            "is a Unix socket, which several workers cannot share",
            "give an address such as 127.0.0.1:50051, or one worker",
        )


def _of_reach(settings: Configuration) -> Iterator[SettingProblem]:
    found: list[SettingProblem] = []
    for key, listen in (("serve.listen", settings.serve.listen), ("web.listen", settings.web.place)):
        if listen and not any(_of_address(key, listen)):
            found += listen_problems(listen, tls=settings.tls, access=settings.access)
    yield from dict.fromkeys(found)


def _of_log(settings: LogSettings) -> Iterator[SettingProblem]:
    if not settings.data:
        yield SettingProblem("log.data", "is empty", "give the folder of the log and the keys")
    if settings.database and not is_postgres(settings.database):
        yield SettingProblem(
            "log.database", "is not the URL of a PostgreSQL database", "write postgresql://user@host/database"
        )
    if not settings.origin:
        yield SettingProblem("log.origin", "is empty", "name the log, for example example.com/referee")
    if TABLE_ID.fullmatch(settings.instance) is None:
        what = f"is {settings.instance!r}, which is no name of a server"
        yield SettingProblem("log.instance", what, "use 1 to 64 of A-Z a-z 0-9 . _ -")


def _of_keys(settings: KeySettings) -> Iterator[SettingProblem]:
    if settings.signer and not settings.signer.removeprefix(SIGNER_SCHEME).startswith("/"):
        yield SettingProblem(
            "keys.signer", f"is {settings.signer!r}", "give a socket such as unix:/run/referee/signer.sock"
        )
    elif settings.signer and not settings.signer.startswith(SIGNER_SCHEME):
        yield SettingProblem("keys.signer", f"is {settings.signer!r}", f"write {SIGNER_SCHEME}{settings.signer}")


def _of_witnesses(settings: WitnessSettings) -> Iterator[SettingProblem]:
    if len(settings.urls) != len(settings.keys):
        yield SettingProblem(
            "witnesses.keys",
            f"has {len(settings.keys)} keys for {len(settings.urls)} addresses",
            "give the verifier key of each witness, in the order of witnesses.urls",
        )
        return
    try:
        settings.parsed()
    except (KeyTextError, QuorumError, ValueError) as error:
        yield SettingProblem("witnesses", "are impossible", str(error))


def _of_address(key: str, address: str) -> Iterator[SettingProblem]:
    host, _, port = address.rpartition(":")
    if address.startswith("unix:"):
        if address == "unix:":
            yield SettingProblem(key, "is unix:, which has no path", "write unix:/path")
        return
    if address and not (host and is_port(port)):
        yield SettingProblem(key, f"is {address!r}", "write host:port, such as 127.0.0.1:50051")
    if not address and key == "serve.listen":
        yield SettingProblem(key, "is empty", "write host:port, such as 127.0.0.1:50051")


def _next_port(listen: str, step: int) -> str:
    """Return the address with a port that many steps on; port 0 stays 0.

    >>> _next_port("127.0.0.1:50051", 1), _next_port("127.0.0.1:0", 1)
    ('127.0.0.1:50052', '127.0.0.1:0')
    """
    host, _, port = listen.rpartition(":")
    return f"{host}:{int(port) + step if int(port) else 0}"
