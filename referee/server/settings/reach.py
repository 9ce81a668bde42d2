"""Addresses to which only this machine can connect."""

import ipaddress


def is_of_this_machine(listen: str) -> bool:
    """Return whether only this machine can connect to an address: a Unix socket or the loopback interface.

    >>> [is_of_this_machine(one) for one in ("unix:/run/r", "[::1]:1", "localhost:1", "127.0.0.9:1", "[::]:1", "a:1")]
    [True, True, True, True, False, False]
    """
    return listen.startswith(("unix:", "unix-abstract:")) or is_loopback(listen.rpartition(":")[0].strip("[]"))


def is_loopback(host: str) -> bool:
    """Return whether a host name or IP address is of the loopback interface."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
