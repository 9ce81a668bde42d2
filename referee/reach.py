"""Addresses to which only this machine can connect, and the way to others: directly, or through a proxy that is set.

gRPC sends calls through the HTTP proxy that a variable of the environment names, also calls to this machine. No proxy
is of use there, so channels to this machine are opened with ``direct_options``.
"""

import ipaddress
import os
from collections.abc import Mapping
from typing import Final

_SCHEMES: Final = ("dns:///", "dns:", "ipv4:", "ipv6:")
PROXY_VARIABLES: Final = ("grpc_proxy", "https_proxy", "http_proxy")
"""Variables from which gRPC takes a proxy; the first that is set counts."""
_EXCEPTIONS: Final = ("no_grpc_proxy", "no_proxy")


def is_of_this_machine(address: str) -> bool:
    """Return whether only this machine can connect to an address: a Unix socket or the loopback interface.

    >>> [is_of_this_machine(one) for one in ("unix:/run/r", "[::1]:1", "localhost:1", "127.0.0.9:1", "[::]:1", "a:1")]
    [True, True, True, True, False, False]
    >>> is_of_this_machine("dns:///localhost:1")
    True
    """
    return address.startswith(("unix:", "unix-abstract:")) or is_loopback(_host_of(address))


def is_loopback(host: str) -> bool:
    """Return whether a host name or IP address is of the loopback interface."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def direct_options(address: str) -> list[tuple[str, int]]:
    """Return the options of a gRPC channel that keep calls to this machine away from a proxy; none for others.

    >>> direct_options("127.0.0.1:50051"), direct_options("play.example.com:443")
    ([('grpc.enable_http_proxy', 0)], [])
    """
    return [("grpc.enable_http_proxy", 0)] if is_of_this_machine(address) else []


def proxy_words(address: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return words for an error that name the variable by which calls to an address take a proxy; empty if none do.

    >>> proxy_words("play.example.com:443", {"http_proxy": "http://proxy:3128"})
    'the call goes through the proxy of the variable http_proxy; to go without it, name play.example.com in no_proxy'
    >>> proxy_words("play.example.com:443", {"http_proxy": "http://proxy:3128", "no_proxy": "localhost,.example.com"})
    ''
    """
    name = next((one for one in PROXY_VARIABLES if environment.get(one)), "")
    excepted = next((environment[one] for one in _EXCEPTIONS if environment.get(one)), "")
    host = _host_of(address)
    if not name or is_of_this_machine(address) or any(host.endswith(one.strip()) for one in excepted.split(",") if one):
        return ""
    return f"the call goes through the proxy of the variable {name}; to go without it, name {host} in no_proxy"


def _host_of(address: str) -> str:
    scheme = next((one for one in _SCHEMES if address.startswith(one)), "")
    return address.removeprefix(scheme).rpartition(":")[0].strip("[]")
