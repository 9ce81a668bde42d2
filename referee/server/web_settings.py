"""What an operator chooses about the door for browsers: where it is, whose pages may use it, and which page it shows.

The law: nothing is open that was not named. Without ``listen`` there is no such door. A page served elsewhere may ask
only where its origin is listed; a name that leads to this machine is answered only where it is listed or is this
machine's own, so that no foreign page gets in by renaming itself.

>>> [str(problem) for problem in WebSettings(listen="127.0.0.1:8080", origins=("https://play.example.com/",)).problems()]
['web.origins names https://play.example.com/, which is no origin; write it as scheme://host or scheme://host:port']
"""

import re
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Final

import msgspec

from referee.server.setting_problem import SettingProblem

_ORIGIN: Final = re.compile(r"https?://(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::[0-9]{1,5})?")
_HOST: Final = re.compile(r"\*|(?:\*\.)?[a-z0-9.-]+|\[[0-9a-f:]+\]")
_MAX_PORT: Final = 65535
LOCAL: Final = ("localhost", "127.0.0.1", "[::1]")
"""What this machine calls itself."""


class WebSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The section ``[web]``."""

    listen: str = ""
    """Address and port for browsers, as ``127.0.0.1:8080`` or the port alone; empty for none."""
    origins: tuple[str, ...] = ()
    """Whose pages may ask besides those served here, as ``https://play.example.com``; ``*`` for any."""
    hosts: tuple[str, ...] = ()
    """The names that browsers reach this door by, besides this machine's own; ``*`` for any."""
    page: str = ""
    """A folder with a page to serve at the same address; empty for none."""
    connections: int = 1024
    """How many connections may stand at once; requests on those beyond are answered 503."""

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
        """The address as text, its host filled in; empty for none.

        >>> WebSettings(listen="8080").place
        '127.0.0.1:8080'
        """
        return self.listen if ":" in self.listen or not self.listen else f"127.0.0.1:{self.listen}"

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        host = self.address[0]
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"

    @property
    def names(self) -> tuple[str, ...]:
        """The hosts that it answers to."""
        return (*LOCAL, *self.hosts)

    def problems(self) -> tuple[SettingProblem, ...]:
        """All that it cannot be served with."""
        return tuple(self._problems())

    def _problems(self) -> Iterator[SettingProblem]:
        if self.listen and not _is_address(self.listen):
            yield SettingProblem("web.listen", f"is {self.listen}, no address", "write host:port, as 127.0.0.1:8080")
        elif self.listen and not self.is_local and not self.hosts:
            yield SettingProblem(
                "web.hosts",
                "names nobody, but other machines can reach the address",
                "name the hosts that browsers write in their address line, as play.example.com, or * for any",
            )
        for origin in self.origins:
            if origin != "*" and not _ORIGIN.fullmatch(origin):
                what = f"names {origin}, which is no origin"
                yield SettingProblem("web.origins", what, "write it as scheme://host or scheme://host:port")
        for host in self.hosts:
            if not _HOST.fullmatch(host):
                yield SettingProblem(
                    "web.hosts", f"names {host}, which is no host", "write a host without scheme and port"
                )
        if self.page and not Path(self.page, "index.html").is_file():
            yield SettingProblem(
                "web.page", f"is {self.page}, where no index.html is", "build the page or name its folder"
            )
        if self.connections < 1:
            yield SettingProblem("web.connections", f"is {self.connections}", "give a number from 1 up")


def _is_address(text: str) -> bool:
    port = text.rpartition(":")[2]
    return port.isdigit() and int(port) <= _MAX_PORT
