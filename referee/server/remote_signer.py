"""Signs by asking another process, over a Unix socket: a signer that this process never holds the private key of.

The law: a request is one line of ASCII, its answer another one::

    KEY <role>              ->  OK <verifier key>
    SIGN <role> <hex>       ->  OK <signature, 128 hexadecimal digits>
                            ->  NO <why>            for anything else

A role is ``root``, ``log``, ``shuffler`` or ``referee``; what is signed is at most 65,536 bytes. A connection carries
any number of requests, one after another. Whatever answers so can stand there: a hardware module, a cloud's key
service. What it answers is verified: a signature that is none never leaves here.

A signer that cannot be asked, does not answer in time or refuses is SignerUnavailableError, and is asked anew the next
time; one that was started again is found at once.
"""

import socket
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NoReturn

import structlog

from referee.evidence.ed25519 import SignerUnavailableError, is_signature
from referee.evidence.vkey import KeyTextError, VerifierKey

SIGNER_SCHEME: Final = "unix:"
MAX_MESSAGE: Final = 65_536
MAX_LINE: Final = 2 * MAX_MESSAGE + 64
_ANSWER_SECONDS: Final = 5.0

_log = structlog.get_logger("referee.signer")


@dataclass(slots=True)
class _Line:
    """One connection to the signer, made when it is needed."""

    path: Path
    seconds: float
    _socket: socket.socket | None = None
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, request: str) -> str:
        """What the signer says after OK; SignerUnavailableError otherwise."""
        with self._guard:
            was_open = self._socket is not None
            answer = self._asked_or_refused(request, again=was_open)
            if answer is None:  # it hung up, and may have been started again since
                answer = self._asked_or_refused(request, again=False)
        word, _, rest = (answer or "").partition(" ")
        if word != "OK":
            _refuse(f"the signer at {self.path} refuses: {rest if word == 'NO' else (answer or '')[:100]}", None)
        return rest

    def close(self) -> None:
        """The connection is closed."""
        with self._guard:
            self._hang_up()

    def _asked_or_refused(self, request: str, *, again: bool) -> str | None:
        """The answer; None where there was none and it is worth asking ``again``."""
        try:
            return self._asked(request)
        except OSError as error:
            self._hang_up()
            if again and not isinstance(error, TimeoutError):
                return None
            _refuse(f"the signer at {self.path} cannot be asked: {error.strerror or error}", error)

    def _asked(self, request: str) -> str:
        if self._socket is None:
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self._socket.settimeout(self.seconds)
            self._socket.connect(str(self.path))
        self._socket.sendall(f"{request}\n".encode("ascii"))
        answer = b""
        while not answer.endswith(b"\n"):
            part = self._socket.recv(4096)
            if not part or len(answer) > MAX_LINE:
                msg = "it hung up"
                raise ConnectionResetError(msg)
            answer += part
        return answer.decode("ascii", "replace").rstrip("\n")

    def _hang_up(self) -> None:
        if self._socket is not None:
            with suppress(OSError):
                self._socket.close()
            self._socket = None


def _refuse(why: str, cause: OSError | None) -> NoReturn:
    """The log says why, and whoever asked hears that there is no signature."""
    _log.warning("not signed", error=why)
    raise SignerUnavailableError(why) from cause


class RemoteSigner:
    """Signs for one role by asking. ``name``, ``key`` and ``public_key`` are what verifiers know it by."""

    def __init__(self, role: str, line: _Line, key: VerifierKey) -> None:
        self._role = role
        self._line = line
        self.key = key
        self.name = key.name
        self.public_key = key.public_key

    @property
    def verifier_key(self) -> str:
        """The public key as C2SP verifier key text."""
        return self.key.text

    def sign(self, message: bytes) -> bytes:
        """The Ed25519 signature of the message, 64 bytes; SignerUnavailableError where there is none to be had."""
        answer = self._line.ask(f"SIGN {self._role} {message.hex()}")
        try:
            signature = bytes.fromhex(answer)
        except ValueError:
            signature = b""
        if not is_signature(signature, message, self.public_key):
            _refuse(f"the signer at {self._line.path} answers no signature by {self.verifier_key}", None)
        return signature


class AgentClient:
    """Another process that signs. Each role is asked on a connection of its own."""

    def __init__(self, address: str, *, seconds: float = _ANSWER_SECONDS) -> None:
        self._path = Path(address.removeprefix(SIGNER_SCHEME))
        self._seconds = seconds
        self._signers: dict[str, RemoteSigner] = {}
        self._lines: list[_Line] = []

    def signer(self, role: str) -> RemoteSigner:
        """What signs for a role; SignerUnavailableError where the process cannot be asked which key that is."""
        if role not in self._signers:
            line = _Line(self._path, self._seconds)
            self._lines.append(line)
            text = line.ask(f"KEY {role}")
            try:
                key = VerifierKey.parse(text)
            except KeyTextError as error:
                _refuse(f"the signer at {self._path} names no key for {role}: {error}", None)
            self._signers[role] = RemoteSigner(role, line, key)
        return self._signers[role]

    def close(self) -> None:
        """No connection is open."""
        for line in self._lines:
            line.close()
