"""Addresses on which this process listens: an error names the setting and the address that could not be used."""

import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from referee.evidence.printable import error_words


class AddressError(RuntimeError):
    """An address that cannot be listened on."""


@contextmanager
def listening(key: str, address: str, *, is_probed: bool = False) -> Iterator[None]:
    """Listen in the block on the address that a setting names; raise AddressError, with both, where that fails.

    ``is_probed`` binds the port first, for a library that does not say why it could not.
    """
    try:
        port = address.rpartition(":")[2]
        if is_probed and port.isdecimal() and port != "0" and not address.startswith("unix"):
            bound_socket(address).close()
        yield
    except (OSError, RuntimeError) as error:
        why = (error.strerror if isinstance(error, OSError) else "") or error_words(error)
        msg = f"{key} {address}: {why}; stop the process that has this address, or use another one"
        raise AddressError(msg) from error


def bound_socket(address: str, options: Sequence[int] = (socket.SO_REUSEADDR,)) -> socket.socket:
    """Return a socket with these options that is bound to ``host:port``; raise OSError if that is impossible."""
    host, _, port = address.rpartition(":")
    family, kind, proto, _, place = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)[0]
    bound = socket.socket(family, kind, proto)
    try:
        for option in options:
            bound.setsockopt(socket.SOL_SOCKET, option, 1)
        bound.bind(place)
    except OSError:
        bound.close()
        raise
    return bound
