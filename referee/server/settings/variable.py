"""The environment variable of a setting; it imports nothing, so that any command can name it."""

from typing import Final

PREFIX: Final = "REFEREE_"


def variable_of(key: str) -> str:
    """Return the environment variable of a key.

    >>> variable_of("serve.drain_lead")
    'REFEREE_SERVE_DRAIN_LEAD'
    """
    return PREFIX + key.replace(".", "_").upper()
