"""A server that knows its callers, and tokens made without a line of the project's."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from referee.server.process.app import Application
from referee.server.settings.access import AccessSettings, Issuer
from referee.server.settings.advice import AdviceSettings
from tests.driver.refusal import ending_of
from tests.server.access.mint import NOW, Mint
from tests.server.options import server_options


class Bearer(grpc.UnaryUnaryClientInterceptor):
    """Sends a token with every call of a channel."""

    def __init__(self, token: str) -> None:
        self._token = token

    def intercept_unary_unary(self, continuation: Any, details: Any, request: Any) -> Any:  # noqa: ANN401 - grpc's own
        """Add the token to the call."""
        metadata = [*(details.metadata or ()), ("authorization", f"Bearer {self._token}")]
        return continuation(details._replace(metadata=metadata), request)


class Guarded:
    """A server that knows its callers, on a stopped clock."""

    NOW = NOW

    def __init__(self, folder: Path, **settings: Any) -> None:  # noqa: ANN401 - what server_options takes
        self.now = NOW
        self.mint = Mint()
        made: dict[str, Any] = {
            "access": AccessSettings(issuers=(Issuer(key=self.mint.key),)),
            "listen": "127.0.0.1:0",
            "sweep": False,
            "advice": AdviceSettings(seconds=300),
        }
        self.app = Application(server_options(data=folder, clock=lambda: self.now, **made | settings)).start()
        self.channel = grpc.insecure_channel(
            f"127.0.0.1:{self.app.port}", [("grpc.max_send_message_length", -1), ("grpc.max_metadata_size", 1 << 20)]
        )

    def bearing(self, token: str) -> grpc.Channel:
        """Return a channel whose calls send the token."""
        return grpc.intercept_channel(self.channel, Bearer(token))

    def ask(self, method: str, request: bytes = b"", *, token: str = "", **how: Any) -> tuple[str, str]:  # noqa: ANN401
        """How a call ends: its status code, and its reason where it is refused."""
        metadata = [("authorization", f"Bearer {token}")] if token else []
        call: Any = self.channel.unary_unary(method)
        return ending_of(call, request, **{"metadata": metadata, "timeout": 30} | how)

    def close(self) -> None:
        """Stop the server."""
        self.channel.close()
        self.app.close()


@contextmanager
def guard(folder: Path, **settings: Any) -> Iterator[Guarded]:  # noqa: ANN401 - what server_options takes
    """Run a server that authenticates callers for the block."""
    guarded = Guarded(folder, **settings)
    try:
        yield guarded
    finally:
        guarded.close()


@pytest.fixture(scope="module")
def guarded(tmp_path_factory) -> Iterator[Guarded]:
    """Start a server on an empty folder that accepts one issuer's tokens for every tenant."""
    with guard(tmp_path_factory.mktemp("guarded")) as server:
        yield server
