"""A ruleset is the bytes of one file: what cannot be read back exactly is refused, so no file says more than it does.

Read strictly: TOML, the fields of ``Header`` and of the game's rules type and none besides, and dumping the result
again equals what was read. The bet unit is proved (every payout times the unit is whole), and every code that a result
can show has a name. Identity is id, version and the SHA-256 of the bytes.

>>> parse_ruleset(b"game = 'whist'", file="house.toml")
Traceback (most recent call last):
...
referee.rulesets.ruleset.RulesetError: house.toml: Object missing required field `id`
"""

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, TypeAlias, TypeVar

import msgspec

from referee.rulesets.line import line_of_path
from referee.rulesets.registry import GAMES, GameRules

_TOML_LINE: Final = re.compile(r" *\(at line ([0-9]+), column [0-9]+\)")
_PATH: Final = re.compile(r" - at `(?:key in )?\$\.?([^`]*)`")
_UNKNOWN: Final = re.compile(r"unknown field `([^`]*)`")
_T = TypeVar("_T")

_Text: TypeAlias = Annotated[str, msgspec.Meta(min_length=1)]


class RulesetError(ValueError):
    """A file that is no ruleset: ``file``, ``reason``, and the ``line`` (from 1) where it is known."""

    def __init__(self, *, file: str, reason: str, line: int | None = None) -> None:
        self.file, self.reason, self.line = file, reason, line
        super().__init__(f"{file}: {reason}" if line is None else f"{file}, line {line}: {reason}")


class Name(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What people call something, in Vietnamese and in English."""

    vi: _Text
    en: _Text


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The part of a file that every game's has. ``names`` go by table, then by code."""

    id: Annotated[str, msgspec.Meta(pattern=r"\A[a-z0-9_]{1,32}\.[a-z0-9_]{1,64}\Z")]
    version: Annotated[str, msgspec.Meta(pattern=r"\A(0|[1-9][0-9]{0,5})(\.(0|[1-9][0-9]{0,5})){2}\Z")]
    game: str
    bet_unit: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
    title: Name
    names: dict[str, dict[str, Name]]


@dataclass(frozen=True, slots=True)
class Ruleset:
    """A ruleset as loaded; equal when id, version and digest are.

    ``rules`` is the game's own type, ``names`` go by table (``category``, ``reason``) and code, ``source`` are the
    file's bytes and ``digest`` their SHA-256.
    """

    id: str
    version: str
    digest: bytes
    game: str
    bet_unit: int = field(compare=False)
    title: Name = field(compare=False, repr=False)
    names: Mapping[str, Mapping[str, Name]] = field(compare=False, repr=False)
    rules: GameRules = field(compare=False, repr=False)
    source: bytes = field(compare=False, repr=False)

    @property
    def version_numbers(self) -> tuple[int, ...]:
        """The version as numbers, which compare as versions do."""
        return tuple(int(number) for number in self.version.split("."))


def parse_ruleset(source: bytes, *, file: str) -> Ruleset:
    """The ruleset that a file's bytes state; RulesetError names the file, the reason and, where known, the line."""
    data = read_toml(source, file=file)
    common = {key: value for key, value in data.items() if key in Header.__struct_fields__}
    own = {key: value for key, value in data.items() if key not in Header.__struct_fields__}
    header = convert(common, Header, source=source, file=file)
    rules_type = GAMES.get(header.game)
    if rules_type is None:
        reason = f"game {header.game!r} is unknown; known are {', '.join(GAMES)}"
        raise RulesetError(file=file, reason=reason, line=line_of_path(["game"], source.decode()))
    if header.id.partition(".")[0] != header.game:
        reason = f"the id {header.id!r} must begin with its game, {header.game}.; a round's header names no other game"
        raise RulesetError(file=file, reason=reason, line=line_of_path(["id"], source.decode()))
    rules = convert(own, rules_type, source=source, file=file)
    _prove_bet_unit(header, rules, source=source, file=file)
    _check_names(header, rules, source=source, file=file)
    return Ruleset(
        id=header.id,
        version=header.version,
        digest=hashlib.sha256(source).digest(),
        game=header.game,
        bet_unit=header.bet_unit,
        title=header.title,
        names=header.names,
        rules=rules,
        source=source,
    )


def read_toml(source: bytes, *, file: str) -> dict[str, Any]:
    """The tables of a TOML file; RulesetError when it is none."""
    try:
        return tomllib.loads(source.decode())
    except UnicodeDecodeError as error:
        line = source[: error.start].count(b"\n") + 1
        raise RulesetError(file=file, reason="not UTF-8 text", line=line) from error
    except tomllib.TOMLDecodeError as error:
        found = _TOML_LINE.search(str(error))
        reason = "not TOML: " + _TOML_LINE.sub("", str(error))
        raise RulesetError(file=file, reason=reason, line=int(found[1]) if found else None) from error


def convert(data: dict[str, Any], shape: type[_T], *, source: bytes, file: str) -> _T:
    """The data in its shape; RulesetError unless it has that shape and dumping the result gives the data again."""
    try:
        made = msgspec.convert(data, shape)
    except msgspec.ValidationError as error:
        where, unknown = _PATH.search(str(error)), _UNKNOWN.search(str(error))
        path = re.sub(r"\[([0-9]+)\]", r".\1", where[1]).split(".") if where else []
        line = line_of_path([*path, unknown[1]] if unknown else path, source.decode())
        raise RulesetError(file=file, reason=str(error), line=line) from error
    if _spelled_out(made) != _spelled_out(data):
        raise RulesetError(file=file, reason="reading it and writing it again gives other data")
    return made


def _spelled_out(data: object) -> bytes:
    """The data as text in which 1, 1.0 and true differ and the order of keys does not count."""
    return msgspec.json.encode(data, order="sorted")


def _prove_bet_unit(header: Header, rules: GameRules, *, source: bytes, file: str) -> None:
    broken = sorted({str(payout) for payout in rules.payouts if (payout * header.bet_unit).denominator != 1})
    if broken:
        reason = f"a stake of one bet_unit ({header.bet_unit}) does not pay a whole amount at {', '.join(broken)}"
        raise RulesetError(file=file, reason=reason, line=line_of_path(["bet_unit"], source.decode()))


def _check_names(header: Header, rules: GameRules, *, source: bytes, file: str) -> None:
    given = {f"{table}.{code}" for table, names in header.names.items() for code in names}
    wanted = {f"{table}.{code}" for table, codes in rules.named_codes.items() for code in codes}
    if missing := sorted(wanted - given):
        line = _line_of_name(missing[0], source)
        raise RulesetError(file=file, reason=f"names lacks {', '.join(missing)}", line=line)
    if extra := sorted(given - wanted):
        line = _line_of_name(extra[0], source)
        raise RulesetError(file=file, reason=f"names has {', '.join(extra)}, which no result can show", line=line)


def _line_of_name(name: str, source: bytes) -> int | None:
    """The line of a name, or of the table that it should stand in."""
    return line_of_path(["names", *name.split(".")], source.decode())
