"""Settings of a server: one struct for each section of the configuration file, one field with its default for each key.

``Configuration.problems`` checks what the types cannot express. No setting is a secret except a database URL with a
password: keys, certificates and passphrases are given as files. ``deploy/referee.toml`` describes every key.

>>> [str(problem) for problem in Configuration(serve=ServeSettings(services=("log", "poker"))).problems()]
["serve.services names 'poker'; legal names are rulesets, seating, shuffler, referee, log"]
>>> Configuration().problems()
()
"""

from collections.abc import Iterator
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from referee.evidence.vkey import KeyTextError
from referee.log.cosignature import QuorumError
from referee.server.settings.access import AccessSettings, listen_problems
from referee.server.settings.advice import AdviceSettings
from referee.server.settings.limits import LimitSettings
from referee.server.settings.problem import SettingProblem
from referee.server.settings.tls import TlsSettings
from referee.server.settings.web import WebSettings
from referee.server.settings.witnesses import WitnessSettings, witnesses_of
from referee.storage import is_postgres

DEFAULT_ORIGIN: Final = "localhost/referee"
SERVICES: Final = ("rulesets", "seating", "shuffler", "referee", "log")
"""The names that ``serve.services`` accepts."""
SIGNER_SCHEME: Final = "unix:"


class SettingsSection(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A section of the configuration file."""


class ServeSettings(SettingsSection, frozen=True):
    """Section ``[serve]``: address, processes, threads and shutdown."""

    listen: str = "127.0.0.1:50051"
    services: tuple[str, ...] = SERVICES
    threads: Annotated[int, Meta(ge=1, le=256)] = 8
    queue: Annotated[int, Meta(ge=1, le=100_000)] = 1024
    streams: Annotated[int, Meta(ge=1, le=100_000)] = 4096
    workers: Annotated[int, Meta(ge=1, le=64)] = 1
    apart: bool = False
    rulesets: str = ""
    drain_lead: Annotated[float, Meta(ge=0, le=3_600)] = 2.0
    drain_grace: Annotated[float, Meta(ge=0, le=3_600)] = 10.0
    quiet: bool = False


class LogSettings(SettingsSection, frozen=True):
    """Section ``[log]``: where the log is stored."""

    data: str = "referee-data"
    database: str = ""
    origin: str = DEFAULT_ORIGIN
    accept_loss: Annotated[int, Meta(ge=0)] = 0


class KeySettings(SettingsSection, frozen=True):
    """Section ``[keys]``: where private keys are and what decrypts them."""

    root: str = ""
    passphrase_file: str = ""
    signer: str = ""


class TelemetrySettings(SettingsSection, frozen=True):
    """Section ``[telemetry]``: metrics and traces."""

    metrics: str = ""
    trace: bool = False


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
            *self.web.problems(),
        )


def _of_serving(settings: ServeSettings) -> Iterator[SettingProblem]:
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
        witnesses_of(settings)
    except (KeyTextError, QuorumError, ValueError) as error:
        yield SettingProblem("witnesses", "are impossible", str(error))


def _of_address(key: str, address: str) -> Iterator[SettingProblem]:
    host, _, port = address.rpartition(":")
    if address.startswith("unix:"):
        return
    if address and (not host or not port.isascii() or not port.isdigit() or int(port) > 65_535):  # noqa: PLR2004 - ports
        yield SettingProblem(key, f"is {address!r}", "write host:port, such as 127.0.0.1:50051")
    if not address and key == "serve.listen":
        yield SettingProblem(key, "is empty", "write host:port, such as 127.0.0.1:50051")
