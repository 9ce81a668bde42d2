r"""Ruleset: the bytes of one TOML file, read strictly, so that every field of a file has an effect.

A file has the fields of ``RulesetHeader`` and those of its game's rules type in its schema, and no others; writing the
result out again gives the same data. Every payout times the bet unit is whole, and every code that a result can show
has a name. Identity is id, version and the SHA-256 of the bytes.

>>> parse_ruleset(b"schema = 1\ngame = 'whist'\nid = 'whist.club'\nbet_unit = 0", file="a.toml")  # doctest: +ELLIPSIS
Traceback (most recent call last):
...
referee.rulesets.ruleset.RulesetError: a.toml, line 2: game 'whist' is unknown; known are mau_binh, tien_len, ...
a.toml, line 4: Expected `int` >= 1, found 0
a.toml: missing required field `version`
a.toml: missing required field `title`
a.toml: missing required field `names`
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, TypeAlias

import msgspec

from referee.evidence import outside
from referee.evidence.outside import OutsideError
from referee.games import GAMES, GameRules
from referee.games.stakes import UnitBets
from referee.rulesets.shape import FileFault, faults_of, newest_schema, spelled_out

MAX_FAULTS: Final = 50
"""Faults of a file that an error lists."""

_Text: TypeAlias = Annotated[str, msgspec.Meta(min_length=1)]


class RulesetError(ValueError):
    """A file that is no ruleset: ``file``, and its ``faults`` as pairs of line and reason, in the order of lines.

    Lines are counted from 1; a line is None if it is not known. The message has one line for each fault.
    """

    def __init__(self, file: str, faults: Iterable[tuple[int | None, str]]) -> None:
        self.file, self.faults = file, tuple(faults)
        where = [file if line is None else f"{file}, line {line}" for line, _ in self.faults]
        super().__init__("\n".join(f"{place}: {reason}" for place, (_, reason) in zip(where, self.faults, strict=True)))

    @property
    def line(self) -> int | None:
        """Line of the first fault, None if it is not known."""
        return self.faults[0][0]

    @property
    def reason(self) -> str:
        """Reason of the first fault."""
        return self.faults[0][1]

    def __reduce__(self) -> tuple[object, ...]:
        return RulesetError, (self.file, self.faults)


class Name(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A name for people, in Vietnamese and in English."""

    vi: _Text
    en: _Text


class RulesetHeader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The part of a file that is the same in every game. ``names`` go by table, then by code.

    ``schema`` is the version of the shape that the file is written in: it has no field that a later schema adds.
    """

    schema: Annotated[int, msgspec.Meta(ge=1, description="Version of the shape that the file is written in.")]
    id: Annotated[
        str,
        msgspec.Meta(
            pattern=r"^[a-z0-9_]{1,32}\.[a-z0-9_]{1,64}$(?!\n)",
            description="Name of the ruleset, which begins with its game and a dot.",
        ),
    ]
    version: Annotated[
        str,
        msgspec.Meta(
            pattern=r"^(0|[1-9][0-9]{0,5})(\.(0|[1-9][0-9]{0,5})){2}$(?!\n)",
            description="Version of the ruleset, such as 1.0.0. A changed file needs a new version.",
        ),
    ]
    game: Annotated[str, msgspec.Meta(description="Name of the game.")]
    bet_unit: Annotated[
        int,
        msgspec.Meta(ge=1, le=1_000_000, description="What stakes are multiples of, so that every payout is whole."),
    ]
    title: Name
    names: dict[str, dict[str, Name]]


@dataclass(frozen=True, slots=True)
class Ruleset:
    """A ruleset as loaded; two are equal when their id, version and digest are.

    ``rules`` is the game's own type, ``names`` go by table (``category``, ``reason``) and code, ``source`` are the
    file's bytes and ``digest`` their SHA-256; ``file`` is its path, or its name where it is built in.
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
    file: str = field(compare=False, repr=False)

    @property
    def version_numbers(self) -> tuple[int, ...]:
        """Version as numbers, which compare as versions do."""
        return tuple(int(number) for number in self.version.split("."))


def parse_ruleset(source: bytes, *, file: str) -> Ruleset:
    """Return the ruleset that a file's bytes state; raise RulesetError with every fault of the file."""
    data = read_toml(source, file=file)
    common = {key: value for key, value in data.items() if key in RulesetHeader.__struct_fields__}
    own = {key: value for key, value in data.items() if key not in common}
    game = GAMES.get(str(data.get("game")))
    rules_type = None if game is None else game.rules_type
    faults = faults_of(common, RulesetHeader, schema=1)
    if rules_type is None and "game" in data:
        faults.append(FileFault(("game",), f"game {data['game']!r} is unknown; known are {', '.join(GAMES)}"))
    elif rules_type is not None and isinstance(schema := data.get("schema"), int):
        newest = newest_schema(rules_type)
        if schema > newest:
            faults.append(FileFault(("schema",), f"schema {schema} is unknown; this release reads 1 to {newest}"))
        else:
            faults += faults_of(own, rules_type, schema=schema)
    if faults or rules_type is None:
        raise error_of(faults, source=source, file=file)
    header, rules = msgspec.convert(common, RulesetHeader), msgspec.convert(own, rules_type)
    faults = [*_identity_faults(header), *_bet_unit_faults(header, rules), *_name_faults(header, rules)]
    if spelled_out(rules, schema=header.schema) != own:
        faults.append(FileFault((), "reading it and writing it again gives other data"))
    if faults:
        raise error_of(faults, source=source, file=file)
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
        file=file,
    )


def read_toml(source: bytes, *, file: str) -> dict[str, Any]:
    """Return the tables of a TOML file; raise RulesetError for any other text."""
    try:
        return outside.read_toml(source)
    except OutsideError as error:
        raise RulesetError(file, [(error.line, str(error))]) from error


def error_of(faults: Iterable[FileFault], *, source: bytes, file: str) -> RulesetError:
    """Return the error for the first faults of a file, at most MAX_FAULTS, in the order of its lines."""
    text, faults = source.decode("utf-8-sig"), list(faults)
    lines = [(line_of_path(fault.path, text), fault.reason) for fault in faults[:MAX_FAULTS]]
    lines.sort(key=lambda fault: (fault[0] is None, fault[0] or 0))
    if len(faults) > MAX_FAULTS:
        lines.append((None, f"{len(faults) - MAX_FAULTS} more faults; mend these first"))
    return RulesetError(file, lines)


def _identity_faults(header: RulesetHeader) -> list[FileFault]:
    if header.id.partition(".")[0] == header.game:
        return []
    reason = f"the id {header.id!r} must begin with its game, {header.game}.; a round's header names no other game"
    return [FileFault(("id",), reason)]


def _bet_unit_faults(header: RulesetHeader, rules: GameRules) -> list[FileFault]:
    unit, faults = header.bet_unit, list[FileFault]()
    broken = sorted({str(payout) for payout in rules.payouts if (payout * unit).denominator != 1})
    if broken:
        reason = f"a stake of one bet_unit ({unit}) does not pay a whole amount at {', '.join(broken)}"
        faults.append(FileFault(("bet_unit",), reason))
    for name, bet in (rules.unit_bets if isinstance(rules, UnitBets) else {}).items():
        if bet % unit:
            near = " or ".join(str(multiple) for multiple in (bet - bet % unit, bet - bet % unit + unit) if multiple)
            reason = f"{name} {bet} is no multiple of the bet_unit {unit}, so nobody can bet it; write {near}"
            faults.append(FileFault(tuple(name.split(".")), reason))
    return faults


def _name_faults(header: RulesetHeader, rules: GameRules) -> list[FileFault]:
    present = {(table, code) for table, names in header.names.items() for code in names}
    required = {(table, str(code)) for table, codes in rules.named_codes.items() for code in codes}
    missing = [FileFault(("names", *name), f"names lacks {'.'.join(name)}") for name in sorted(required - present)]
    extra = [
        FileFault(("names", *name), f"names has {'.'.join(name)}, which no result can show")
        for name in sorted(present - required)
    ]
    return missing + extra


def line_of_path(path: Sequence[str], text: str) -> int | None:
    r"""Return the line (from 1) of the deepest part of a path that starts a line; None if no part does.

    A number in the path is an index (from 0) in an array of tables.

    >>> line_of_path(["values", "1", "units"], "[[values]]\nunits = 1\n\n[[values]]\nunits = 2")
    5
    """
    lines = [line.strip() for line in text.splitlines()]
    for length in range(len(path), 0, -1):
        start = _line_of_table(path[:length], lines)
        if start is not None:
            key = _line_of_key(path[length], lines[start:]) if length < len(path) else None
            return start + (key or 0)
    return _line_of_key(path[0], lines) if path else None


def _line_of_table(path: Sequence[str], lines: Sequence[str]) -> int | None:
    """Return the line (from 1) of a table's header; a number in the path selects one of an array of tables."""
    name = ".".join(part for part in path if not part.isdigit())
    index = next((int(part) for part in reversed(path) if part.isdigit()), 0)
    headers = [number for number, line in enumerate(lines, start=1) if line in {f"[{name}]", f"[[{name}]]"}]
    return headers[index] if index < len(headers) else None


def _line_of_key(key: str, lines: Sequence[str]) -> int | None:
    """Return the first line that sets this key before another table begins; None if there is none."""
    for number, line in enumerate(lines, start=1):
        if line.startswith("["):
            return None
        if line.partition("=")[0].strip() == key:
            return number
    return None
