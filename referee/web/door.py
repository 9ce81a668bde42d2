"""The gateway that ``referee serve`` runs beside the server, and the connection between the two."""

import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from referee.server.process.address import listening
from referee.server.process.app import Application
from referee.server.settings.configuration import Configuration
from referee.web.forwarder import Upstream
from referee.web.gateway import Gateway


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """Connection of a server and its gateway: the socket between them, and the secret that the gateway shows."""

    configuration: Configuration
    folder: Path
    gateway_pass: str = field(repr=False)

    @property
    def sockets(self) -> list[str]:
        """Addresses at which the gateway calls the server."""
        return [f"unix:{self.folder / 'door'}"]

    def open(self, application: Application, *, is_port_shared: bool) -> str:
        """Start the gateway, which runs until the application closes; return its address.

        Raise AddressError if the address cannot be used.
        """
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
    """Prepare a gateway for the block without starting it."""
    folder = Path(tempfile.mkdtemp(prefix="referee-"))  # of mode 0700
    try:
        yield Door(configuration=configuration, folder=folder, gateway_pass=secrets.token_hex(16))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
