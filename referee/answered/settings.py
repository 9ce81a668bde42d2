"""Settings of a house: who may know whose cards, and whom to ask about all other hands."""

from pathlib import Path

import msgspec

from referee.evidence.outside import OutsideError, read_toml


class AnsweredSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of the questions, as a TOML file has them.

    ``together`` are groups of keys in hex that may know one another's cards, such as the bots of one house or the seats
    of one owner: nothing is asked about two owners of a group. At the tables and tenants of ``table_talk`` players may
    talk about their cards: nothing is asked there. ``alone`` are the keys that are asked whether they knew all other
    hands, which costs dealt samples.
    """

    together: tuple[tuple[str, ...], ...] = ()
    table_talk: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()


def read_settings(file: Path) -> AnsweredSettings:
    """Read a TOML file; raise OutsideError if it is none or has other settings, OSError if it cannot be read."""
    try:
        return msgspec.convert(read_toml(file.read_bytes()), AnsweredSettings)
    except OutsideError as error:
        raise OutsideError(f"{file}: {error}", line=error.line) from None
    except msgspec.ValidationError as error:
        raise OutsideError(f"{file}: {error}; settings are together, table_talk and alone") from None
