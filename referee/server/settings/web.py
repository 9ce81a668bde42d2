"""Section ``[web]``: the gateway for browsers.

Only listed origins may call from pages served elsewhere, and only listed host names and this machine's own are
answered, which prevents DNS rebinding.

>>> [str(one) for one in WebSettings(listen="127.0.0.1:8080", origins=("https://play.example.com/",)).problems()]
['web.origins names https://play.example.com/, which is not an origin; write scheme://host or scheme://host:port']
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from referee.reach import is_loopback
from referee.server.settings.port import is_port
from referee.server.settings.problem import SettingProblem

_ORIGIN: Final = re.compile(r"https?://(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::[0-9]{1,5})?")
_HOST: Final = re.compile(r"\*|(?:\*\.)?[a-z0-9.-]+|\[[0-9a-f:]+\]")
_MIB: Final = 1024 * 1024
LOCAL: Final = ("localhost", "127.0.0.1", "[::1]")
"""Names of this machine."""


class WebSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Section ``[web]``; without ``listen`` there is no gateway."""

    listen: str = ""
    """Address for browsers (gRPC-Web, Connect and JSON over HTTP), as 127.0.0.1:8080; empty for none."""
    origins: tuple[str, ...] = ()
    """Origins of pages served elsewhere that may call, as https://play.example.com; * for any."""
    hosts: tuple[str, ...] = ()
    """Host names of this address besides this machine's own; * for any."""
    page: str = ""
    """Folder with a page to serve at the same address; empty for none."""
    connections: Annotated[int, Meta(ge=1)] = 1024
    """Open connections; requests on further ones are answered 503."""
    caller_connections: Annotated[int, Meta(ge=1)] = 512
    """Open connections of one caller; further ones are answered 503. A caller is an address, of an IPv6 address its
    first 64 bits: behind a proxy all callers are one, so raise this and the bytes there, and bound callers at the
    proxy."""
    caller_connects: Annotated[float, Meta(ge=0.1)] = 32
    """New connections a second of one caller, after a first burst of twice caller_connections; further ones are closed
    at once."""
    caller_bytes: Annotated[int, Meta(ge=_MIB)] = 16 * 1024 * 1024
    """Bytes of one caller's requests that are arriving or being answered, and of answers that it has not read; further
    requests of more than 64 kB are answered 429, and connections with unread answers are closed."""
    total_bytes: Annotated[int, Meta(ge=_MIB)] = 64 * 1024 * 1024
    """The same for all callers together."""

    @property
    def address(self) -> tuple[str, int]:
        """Host and port to listen on.

        >>> WebSettings(listen="8080").address, WebSettings(listen="[::1]:0").address
        (('127.0.0.1', 8080), ('::1', 0))
        """
        host, _, port = self.listen.rpartition(":")
        return host.strip("[]") or "127.0.0.1", int(port)

    @property
    def place(self) -> str:
        """The address as text with its host; empty for none.

        >>> WebSettings(listen="8080").place
        '127.0.0.1:8080'
        """
        return self.listen if ":" in self.listen or not self.listen else f"127.0.0.1:{self.listen}"

    def problems(self) -> Iterator[SettingProblem]:
        """Yield what prevents serving with these settings."""
        if self.listen and not _is_address(self.listen):
            yield SettingProblem(
                "web.listen", f"is {self.listen}, not an address", "write host:port, such as 127.0.0.1:8080"
            )
        elif self.listen and not is_loopback(self.address[0]) and not self.hosts:
            yield SettingProblem(
                "web.hosts",
                "is empty, but other machines can connect to the address",
                "list the host names in browsers' address lines, such as play.example.com, or * for any",
            )
        for origin in self.origins:
            if origin != "*" and not is_origin(origin):
                what = f"names {origin}, which is not an origin"
                yield SettingProblem("web.origins", what, "write scheme://host or scheme://host:port")
        for host in self.hosts:
            if not _HOST.fullmatch(host):
                yield SettingProblem(
                    "web.hosts", f"names {host}, which is not a host", "write a host without scheme and port"
                )
        if self.page and not Path(self.page, "index.html").is_file():
            yield SettingProblem(
                "web.page", f"is {self.page}, which has no index.html", "build the page or give its folder"
            )


def is_origin(text: str) -> bool:
    """Return whether a text is an origin of pages, which can be listed.

    >>> is_origin("http://localhost:5173"), is_origin("null")
    (True, False)
    """
    return _ORIGIN.fullmatch(text) is not None


def _is_address(text: str) -> bool:
    return is_port(text.rpartition(":")[2])
