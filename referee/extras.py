"""Commands that install what is missing, from the folder of a clone: no index has these packages yet.

>>> install("server")
"in the folder of the clone: pip install '.[server]'"
>>> install("demo")
"in the folder of the clone: pip install '.[demo]' ./clients/python"
"""

from types import MappingProxyType
from typing import Final

_BESIDE: Final = MappingProxyType({"demo": " ./clients/python"})
"""Folders of the clone that are installed in one command with an extra, so that no index is asked for them."""


def install(extra: str) -> str:
    """Return the words that say how to install an extra of this package."""
    return f"in the folder of the clone: pip install '.[{extra}]'{_BESIDE.get(extra, '')}"
