"""The gateway for browsers, in front of the relay, so that a broken connection also breaks theirs to the server."""

from typing import Protocol

from referee.server.settings.limits import LimitSettings
from referee.server.settings.web import WebSettings
from referee_harness.refusal import HarnessError

_NOBODY = ""
"""Callers through this door count as callers of this machine."""


class Door(Protocol):
    """A gateway that is open."""

    port: int

    def close(self) -> None:
        """Nobody is let in any more."""


def open_door(port: int, *, target: str) -> Door:
    """Open a gateway on a loopback port to the server at ``target``, for pages of any origin.

    HarnessError where the extra ``web`` is not installed.
    """
    try:
        from referee.web import Gateway, Upstream  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        message = f"browsers need {error.name}; in the folder of the clone: pip install . './clients/harness[web]'"
        raise HarnessError(field="web_port", message=message) from None
    settings = WebSettings(listen=f"127.0.0.1:{port}", origins=("*",))
    upstream = Upstream(target=target, gateway_pass=_NOBODY)
    return Gateway(settings, upstream, limits=LimitSettings()).start()
