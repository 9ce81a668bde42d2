"""The services that advise, as the settings say: in front of a process of their own or of another's, or refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import grpc

from referee.server.process.advice_child import AdviceAddress, AdviceChild, AdviceLine
from referee.server.process.advice_front import AdviceFront, refuse_advice
from referee.server.process.metrics import Metrics
from referee.server.process.opened_log import OpenedLog
from referee.server.process.options import ServerOptions
from referee.server.settings.advice import OFF, AdviceSettings
from referee.service.charter import Charter, file_of


class Report(Protocol):
    """Function that reports whether the services that advise are serving."""

    def __call__(self, *, is_serving: bool) -> None:
        """Report it."""


def charter_of(options: ServerOptions, log: OpenedLog) -> Charter:
    """Return what the process that advises must know of this server."""
    return Charter(
        origin=log.origin,
        suite=options.suite,
        shuffler_keys=tuple(log.counted("shuffler")),
        referee_keys=tuple(log.counted("referee")),
        rulesets=tuple([file_of(ruleset) for ruleset in options.catalogue]),
    )


class AdviceDoor:
    """The services that advise of one server process, and their line to the process that computes."""

    def __init__(self, options: ServerOptions, charter: Charter, *, report: Report) -> None:
        self._options, self._charter, self._report = options, charter, report
        self.line: AdviceLine | None = None
        self.front: AdviceFront | None = None

    @property
    def under_way(self) -> int:
        """Number of questions that the process has."""
        return 0 if self.front is None else self.front.under_way

    @property
    def pid(self) -> int | None:
        """Id of the process that this one started; None while there is none."""
        return self.line.pid if isinstance(self.line, AdviceChild) else None

    def add_to_server(self, server: grpc.Server, metrics: Metrics | None) -> None:
        """Add the services."""
        options, settings = self._options, self._options.configuration.advice
        folder = options.configuration.serve.rulesets
        if options.advise is not None:
            options.advise(server, self._charter, options.clock, Path(folder) if folder else None)
            return
        if settings.address == OFF:
            refuse_advice(server)
            return
        self.line = _line_of(settings, self._note, tables=folder)
        self.front = AdviceFront(
            self.line,
            self._charter,
            most=max(1, options.configuration.serve.threads // 4),
            seconds=settings.seconds,
            clock=options.clock,
            token=_token_of(settings),
            watch=metrics.advised if metrics else lambda _outcome, **_: None,
        )
        self.front.add_to_server(server)

    def start(self) -> None:
        """Begin to watch a process that others run."""
        if self.line is not None:
            self.line.start()

    def close(self) -> None:
        """End the line, and the process if this one started it."""
        if self.line is not None:
            self.line.close()

    def _note(self, is_serving: bool, why: str) -> None:  # noqa: FBT001 - called with positions
        del why  # which the line has logged
        self._report(is_serving=is_serving)


def _line_of(settings: AdviceSettings, on_change: Callable[[bool, str], None], *, tables: str) -> AdviceLine:
    if not settings.has_address:
        return AdviceChild(on_change=on_change, tables=tables)
    credentials = None
    if settings.ca:
        root, key, chain = (
            Path(name).read_bytes() if name else None for name in (settings.ca, settings.key, settings.certificate)
        )
        credentials = grpc.ssl_channel_credentials(root, key, chain)
    return AdviceAddress(settings.address, on_change=on_change, credentials=credentials, token=_token_of(settings))


def _token_of(settings: AdviceSettings) -> str:
    return Path(settings.token).read_text("utf-8").strip() if settings.token else ""
