"""Numbers of ports in addresses."""

import re
from typing import Final

_PORT: Final = re.compile(r"[0-9]{1,5}", re.ASCII)
_MAX_PORT: Final = 65_535


def is_port(text: str) -> bool:
    """Return whether a text is the number of a port.

    >>> is_port("50051"), is_port("65536"), is_port("²")
    (True, False, False)
    """
    return _PORT.fullmatch(text) is not None and int(text) <= _MAX_PORT
