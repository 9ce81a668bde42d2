"""Addresses on which this process listens: an error names the setting and the address that could not be used."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager


class AddressError(RuntimeError):
    """An address that cannot be listened on."""


@contextmanager
def listening(key: str, address: str, *, is_probed: bool = False) -> Iterator[None]:
    """Listen in the block on the address that a setting names; raise AddressError, with both, where that fails.

    ``is_probed`` binds the port first, for a library that does not say why it could not.
    """
    try:
        if is_probed:
            _probe(address)
        yield
    except (OSError, RuntimeError) as error:
        why = (error.strerror if isinstance(error, OSError) else "") or str(error)
        msg = f"{key} {address}: {why}; stop the process that has this address, or use another one"
        raise AddressError(msg) from error


def _probe(address: str) -> None:
    host, _, port = address.rpartition(":")
    if address.startswith("unix") or not port.isdecimal() or port == "0":
        return
    family, kind, proto, _, place = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind, proto) as alone:
        alone.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        alone.bind(place)
