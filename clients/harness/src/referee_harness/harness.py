"""A server on loopback, with scripted decks, a clock and a list of faults."""

import logging
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, Self

import structlog

from referee.adviser.servicers import advise_in_process
from referee.rulesets import Catalogue, load_builtin
from referee.server.process.app import Application
from referee.server.process.options import ServerOptions
from referee.server.settings.access import AccessSettings
from referee.server.settings.configuration import Configuration, LogSettings, ServeSettings
from referee.server.settings.tls import TlsSettings
from referee_harness import vectors
from referee_harness.clock import Clock
from referee_harness.door import Door, open_door
from referee_harness.faults import Fault, FaultBook, FaultInterceptor, require_method
from referee_harness.relay import Relay
from referee_harness.script import Script
from referee_harness.script_book import ANY_TABLE, NEXT_ROUND, ScriptBook

ORIGIN: Final = "harness.invalid/scripted"
_FREE: Final = "127.0.0.1:0"


class Harness:
    """A server that deals scripted decks. It runs inside ``with``, or between ``start`` and ``close``.

    ``grpc`` is its address. Without ``data`` its log is in a temporary folder that is deleted with it. ``luck`` chooses
    the unscripted cards; the same luck and the same calls deal the same cards. With ``web_port``, 0 for a free
    one, browsers can ask as well, from pages of any origin; that needs the extra ``web``. ``access`` and ``tls`` are
    the server's own settings: callers with roles and tenants, and certificates. Unless the process has configured
    structlog, the server logs warnings and errors only.
    """

    def __init__(  # noqa: PLR0913 - what a test may choose
        self,
        *,
        port: int = 0,
        data: Path | None = None,
        catalogue: Catalogue | None = None,
        clock: Clock | None = None,
        luck: int = 0,
        web_port: int | None = None,
        access: AccessSettings | None = None,
        tls: TlsSettings | None = None,
    ) -> None:
        self.clock = clock or Clock()
        self.catalogue = catalogue or load_builtin()
        self._scripts = ScriptBook(self.catalogue, luck=luck)
        self._temporary = tempfile.mkdtemp(prefix="referee-harness-") if data is None else ""
        self.data = Path(self._temporary) if data is None else data
        self._relay = Relay(port=port)
        self._faults = FaultBook(self._relay.cut)
        self._application: Application | None = None
        self._web_port = web_port
        self._access, self._tls = access or AccessSettings(), tls or TlsSettings()
        self._door: Door | None = None

    @property
    def grpc(self) -> str:
        """The address of the services, as ``127.0.0.1:50051``; the same after a restart."""
        return f"127.0.0.1:{self._relay.port}"

    @property
    def web(self) -> str:
        """Where browsers ask, as ``http://127.0.0.1:8080``: gRPC-Web, Connect and JSON; empty where they cannot."""
        return "" if self._door is None else f"http://127.0.0.1:{self._door.port}"

    @property
    def application(self) -> Application:
        """The server as it runs now."""
        if self._application is None:
            raise RuntimeError("the harness does not run")
        return self._application

    @property
    def keys(self) -> dict[str, str]:
        """The verifier keys of the log and its root, which a verifier of receipts needs."""
        public = self.application.keys.public
        return {"log": public["log"].text, "root": public["root"].text}

    def start(self) -> Self:
        """Start the server."""
        if not structlog.is_configured():
            structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
        self._start()
        self._relay.start()
        if self._web_port is not None:
            self._door = open_door(self._web_port, target=self.grpc)
        return self

    def close(self) -> None:
        """Stop the server and delete a temporary log."""
        if self._door is not None:
            self._door.close()
            self._door = None
        self._relay.close()
        if self._application is not None:
            self._application.close()
            self._application = None
        if self._temporary:
            shutil.rmtree(self._temporary, ignore_errors=True)

    def restart(self) -> None:
        """Another server runs on the same log and address, as after a crash: connections are broken meanwhile."""
        self.application.close()
        self._relay.cut()
        self._start()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    def script(self, script: Mapping[str, Any], *, table_id: str = ANY_TABLE, round_number: int = NEXT_ROUND) -> None:
        """Script the deal of a round: the table's next one, any table's next one, or the numbered one.

        HarnessError where the script cannot be meant.
        """
        self._scripts.add(Script.read(script), table_id=table_id, round_number=round_number)

    def script_vector(self, name: str, *, table_id: str = ANY_TABLE) -> dict[str, Any]:
        """Script the next round's deal from a named vector and return it; raise HarnessError if there is none."""
        self.script({"vector": name}, table_id=table_id)
        return vectors.find(name)

    def fault(self, **fault: Any) -> None:  # noqa: ANN401 - what Fault.read takes
        """Add a fault that waits to strike; raise HarnessError if it is not valid or no method has its name."""
        asked = Fault.read(fault)
        require_method(asked, self.application.services)
        self._faults.add(asked)

    def cut(self, *, down_ms: int = 0) -> None:
        """Every connection is broken now, and none is taken for that long."""
        self._relay.cut(down_ms)

    def reset(self) -> None:
        """No script and no fault waits; the log and the time are as they were."""
        self._scripts.forget()
        self._faults.forget()

    @property
    def waiting(self) -> dict[str, Any]:
        """What waits: ``scripts``, how many no round was opened for yet, and ``faults`` that will still strike."""
        return {"scripts": self._scripts.waiting, "faults": [asdict(fault) for fault in self._faults.waiting]}

    def _start(self) -> None:
        configuration = Configuration(
            serve=ServeSettings(listen=_FREE, drain_lead=0.0),
            log=LogSettings(data=str(self.data), origin=ORIGIN),
            access=self._access,
            tls=self._tls,
        )
        options = ServerOptions(
            configuration=configuration,
            catalogue=self.catalogue,
            clock=self.clock,
            fixture_seed=self._scripts.seed_of,
            interceptors=[FaultInterceptor(self._faults)],
            advise=advise_in_process,
        )
        self._application = Application(options).start()
        self._relay.target = self._application.port
