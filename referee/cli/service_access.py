"""Options of a command that calls a service: the authorities it trusts, and the credentials of the caller."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from referee.cli.options import fail
from referee.evidence.outside import OutsideError, pasted, read_text

TOKEN_VARIABLE: Final = "REFEREE_TOKEN"  # noqa: S105 - a name, no token
_MOST_TOKEN: Final = 64 << 10

Address = Annotated[str, typer.Argument(metavar="HOST:PORT", help="A running server.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceAccess:
    """The values of the options; ``authorities``, ``certificate`` and ``key`` are the contents of PEM files."""

    is_tls: bool = False
    authorities: bytes | None = None
    certificate: bytes | None = None
    key: bytes | None = None
    token: str = ""

    @property
    def options(self) -> str:
        """Names of the given options that only a service can use; empty without any."""
        files = {"--ca": self.authorities, "--cert": self.certificate}
        given = [name for name, data in files.items() if data is not None]
        return ", ".join(given or ["--tls"] * self.is_tls)


NO_ACCESS: Final = ServiceAccess()


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceOptions:
    """Options of a command that calls a service."""

    tls: Annotated[
        bool, typer.Option("--tls", help="The service speaks TLS, under an authority that this machine trusts.")
    ] = False
    ca: Annotated[
        Path | None, typer.Option("--ca", help="The service speaks TLS, under one of the authorities in this PEM file.")
    ] = None
    cert: Annotated[
        Path | None, typer.Option("--cert", help="This caller's certificate (PEM), where the service asks for one.")
    ] = None
    cert_key: Annotated[Path | None, typer.Option("--cert-key", help="The private key of --cert (PEM).")] = None
    # As with a passphrase, no flag takes a token as its value: the list of processes would show it.
    token_file: Annotated[
        Path | None, typer.Option("--token-file", help=f"A file with this caller's token; or {TOKEN_VARIABLE}.")
    ] = None

    def read(self) -> ServiceAccess:
        """Read the files of the options; end the command if one cannot be read or the options contradict each other."""
        if (self.cert is None) != (self.cert_key is None):
            fail("--cert and --cert-key belong together: give both")
        token = os.environ.get(TOKEN_VARIABLE, "") if self.token_file is None else _read_token(self.token_file)
        return ServiceAccess(
            is_tls=self.tls or self.ca is not None or self.cert is not None,
            authorities=None if self.ca is None else _read(self.ca, "--ca"),
            certificate=None if self.cert is None else _read(self.cert, "--cert"),
            key=None if self.cert_key is None else _read(self.cert_key, "--cert-key"),
            token=pasted(token),
        )


def _read_token(file: Path) -> str:
    """Read a token's file, with or without a byte order mark and white space around; end the command otherwise."""
    try:
        token = pasted(read_text(file.read_bytes(), most=_MOST_TOKEN))
    except OutsideError as error:
        fail(f"--token-file {file}: {error}")
    except OSError as error:
        fail(f"--token-file {file}: {error.strerror}")
    if not token.isascii() or not token or len(token.split()) > 1:
        fail(f"--token-file {file}: it is empty, or has more than one token's line in it")
    return token


def _read(file: Path, option: str) -> bytes:
    try:
        data = file.read_bytes()
    except OSError as error:
        fail(f"{option} {file}: {error.strerror}")
    if not data.isascii() or not data.strip():
        fail(f"{option} {file}: it is empty or no text file")
    return data
