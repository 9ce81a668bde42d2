"""The gateway for browsers that ``referee serve --web`` runs beside the server."""

import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from referee.cli.options import fail
from referee.extras import install
from referee.server.process.address import listening
from referee.server.process.app import Application
from referee.server.settings.configuration import Configuration


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """Connection of a server and its gateway: the socket between them, and the secret that the gateway shows.

    ``folder`` holds the socket; it is None without a gateway.
    """

    configuration: Configuration
    folder: Path | None
    gateway_pass: str = field(default="", repr=False)

    @property
    def sockets(self) -> list[str]:
        """Addresses at which the gateway calls the server; none without a gateway."""
        return [] if self.folder is None else [f"unix:{self.folder / 'door'}"]

    def open(self, application: Application, *, is_port_shared: bool) -> str:
        """Start the gateway, which runs until the application closes; return its address, empty without a gateway.

        Raise AddressError if the address cannot be used.
        """
        if self.folder is None:
            return ""
        from referee.web import Gateway, Upstream  # noqa: PLC0415 - an extra

        settings = self.configuration
        upstream = Upstream(target=self.sockets[0], gateway_pass=self.gateway_pass)
        with listening("web.listen", settings.web.place):
            gateway = Gateway(
                settings.web,
                upstream,
                limits=settings.limits,
                tls=settings.tls,
                is_port_shared=is_port_shared,
                grace=settings.serve.drain_grace,
            ).start()
        application.add_gateway(gateway.close)
        return f"{settings.web.place.rpartition(':')[0]}:{gateway.port}"


@contextmanager
def door_for(configuration: Configuration) -> Iterator[Door]:
    """Prepare a gateway for the block without starting it; end the command if the extra ``web`` is not installed."""
    if not configuration.web.listen:
        yield Door(configuration=configuration, folder=None)
        return
    try:
        import referee.web  # noqa: F401, PLC0415 - an extra
    except ModuleNotFoundError as error:
        fail(f"--web needs {error.name}; {install('web')}")
    folder = Path(tempfile.mkdtemp(prefix="referee-"))  # of mode 0700
    try:
        yield Door(configuration=configuration, folder=folder, gateway_pass=secrets.token_hex(16))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
