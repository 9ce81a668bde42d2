"""A process that signs for the servers of its machine, so that they hold no private keys.

It answers the requests stated in ``remote_signer`` on a Unix socket open to its user or group. It checks what it signs:
``log`` signs checkpoints of its own log only, ``root`` only leaves that name or revoke keys, ``shuffler`` and
``referee`` any other signed statement. A compromised server can therefore sign deals and settlements while it is
compromised, but not change keys unless ``root`` is served.
"""

import os
import socket
import socketserver
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

import structlog

from referee.dealing.leaf import KEY_TYPE
from referee.log import Checkpoint, CheckpointError
from referee.server.keys.private_key import NamedSigner
from referee.server.keys.remote_signer import MAX_LINE, MAX_MESSAGE
from referee.threads import lasting

_ENVELOPE: Final = b"DSSEv1 "
_KEY_ENVELOPE: Final = b"DSSEv1 %d %s " % (len(KEY_TYPE), KEY_TYPE.encode("ascii"))

_log = structlog.get_logger("referee.agent")


class RefusalError(ValueError):
    """A request that is refused, and why."""


class SigningAgent:
    """Server on a socket that signs with the keys of some roles."""

    def __init__(self, path: Path, signers: Mapping[str, NamedSigner], *, group: int | None = None) -> None:
        """Open the socket; raise OSError where another agent answers or it cannot be made."""
        self._signers = dict(signers)
        self._path = path
        before = os.umask(0o177 if group is None else 0o117)
        try:
            self._server = _Server(path, self)
        finally:
            os.umask(before)
        if group is not None:
            os.chown(path, -1, group)
        self._thread = lasting(self._server.serve_forever, 0.1, name="signing-agent")

    def start(self) -> Self:
        """Answer requests."""
        self._thread.start()
        return self

    def close(self) -> None:
        """Close all connections and remove the socket."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self._server.disconnect_all()
        self._path.unlink(missing_ok=True)

    def answer(self, line: str) -> str:
        """Return the answer to a request line; never raise."""
        try:
            return f"OK {self._answer(line)}"
        except RefusalError as error:
            _log.warning("refused", reason=str(error))
            return f"NO {error}"

    def _answer(self, line: str) -> str:
        match line.split(" "):
            case ["KEY", role]:
                return self._signer(role).verifier_key
            case ["SIGN", role, text]:
                message = _message(text)
                signer = self._signer(role)
                check_message(role, message, origin=signer.name)
                return signer.sign(message).hex()
            case _:
                raise RefusalError("the request is not KEY <role> or SIGN <role> <hex>")

    def _signer(self, role: str) -> NamedSigner:
        if role not in self._signers:
            raise RefusalError(f"this agent has no key for {role[:40]!r}, only for {', '.join(self._signers)}")
        return self._signers[role]


def check_message(role: str, message: bytes, *, origin: str) -> None:
    """Verify that a role's key signs such messages; raise RefusalError otherwise.

    >>> check_message("log", b"a statement", origin="log.example/1")
    Traceback (most recent call last):
    ...
    referee.server.keys.signing_agent.RefusalError: the log's key signs checkpoints and nothing else
    """
    if role == "log":
        try:
            named = Checkpoint.parse(message.decode("utf-8")).origin
        except (CheckpointError, UnicodeDecodeError):
            raise RefusalError("the log's key signs checkpoints and nothing else") from None
        if named != origin:
            raise RefusalError(f"the log's key signs checkpoints of {origin!r}, not of {named[:100]!r}")
    elif not message.startswith(_ENVELOPE) or message.startswith(_KEY_ENVELOPE) is not (role == "root"):
        raise RefusalError(f"the {role}'s key signs no such statement")


def _message(text: str) -> bytes:
    try:
        message = bytes.fromhex(text)
    except ValueError:
        raise RefusalError("the message is not in hexadecimal digits") from None
    if len(message) > MAX_MESSAGE:
        raise RefusalError(f"the message has more than {MAX_MESSAGE} bytes")
    return message


class _Handler(socketserver.StreamRequestHandler):
    """Handler of one connection."""

    server: "_Server"

    def handle(self) -> None:
        self.server.connections.add(self.connection)
        try:
            while True:
                line = self.rfile.readline(MAX_LINE + 1)
                if not line.endswith(b"\n") or len(line) > MAX_LINE:
                    return
                answer = self.server.agent.answer(line.decode("ascii", "replace").rstrip("\r\n"))
                self.wfile.write(f"{answer}\n".encode("ascii", "replace"))
        except OSError:
            return  # the client disconnected, or the agent stops
        finally:
            self.server.connections.discard(self.connection)


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, path: Path, agent: SigningAgent) -> None:
        self.agent = agent
        self.connections: set[socket.socket] = set()
        _clear(path)
        super().__init__(str(path), _Handler)

    def disconnect_all(self) -> None:
        """Shut down every connection."""
        for one in list(self.connections):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


def _clear(path: Path) -> None:
    """Remove the socket that a killed process left; raise OSError where another process answers."""
    if not path.is_socket():
        return
    probe = socket.socket(socket.AF_UNIX)
    try:
        probe.connect(str(path))
    except OSError:
        path.unlink(missing_ok=True)
    else:
        raise OSError(f"{path}: another process answers there")
    finally:
        probe.close()
