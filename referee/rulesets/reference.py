"""Reference of the fields that a game's rulesets have: as JSON Schema for editors, as a page for people.

Both are generated from the types that read the files, so they always agree with them.
"""

import types
import typing
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

import msgspec

from referee.games import GAMES
from referee.rulesets.ruleset import RulesetHeader
from referee.rulesets.shape import FIRST_SCHEMA, Member, bare_type, legal_values, members_of, notes_of, spelled_out

_SOURCES: Final = ("source", "quote")
"""Fields that nearly every table has; the page explains them once."""


_INTRODUCTION: Final = """\
# Fields of a ruleset

A ruleset is one TOML file. It has all fields of its game in the schema that it names, and no other: none may be left
out, so that a file says everything that it means. `referee rulesets check FOLDER` reports every fault with its line,
`referee rulesets schema GAME` prints the same fields as JSON Schema for an editor.
`referee rulesets show GAME.house_example` prints an example that uses every knob that houses ask for.

Nearly every table has two more fields, which the tables below leave out: `source`, the text that it is taken from, and
`quote`, the sentence in that text's own words. `names` gives every code that a result can show a name in Vietnamese and
English, by table and code. The last column has the schema that added a field. A file of an earlier schema must not have
the field, and means the value beside the schema's number.

This page is written by `referee rulesets fields`.
"""


class UnknownGameError(LookupError):
    """No game has this name."""


class Row(NamedTuple):
    """One row of the page: a path of keys, its legal values, its meaning and the schema that added it.

    The schema is followed by the value that files of earlier schemas mean, if there are any.
    """

    path: str
    value: str
    meaning: str
    since: str


def json_schema(game: str) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of the game's ruleset files; raise UnknownGameError for any other game."""
    fields = [
        (member.name, member.hint, member.default)
        for table in (RulesetHeader, _rules_type(game))
        for member in members_of(table)
    ]
    shape = msgspec.defstruct(f"{game}_ruleset", fields, forbid_unknown_fields=True, kw_only=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(shape)}


def field_page(games: Iterable[str]) -> str:
    """Return the fields of some games' ruleset files as a Markdown page; raise UnknownGameError for any other game."""
    parts = [_INTRODUCTION]
    for game in games:
        rows = [*_rows(RulesetHeader, ""), *_rows(_rules_type(game), "")]
        lines = [f"| `{row.path}` | {row.value} | {row.meaning} | {row.since} |" for row in rows]
        parts.append(
            "\n".join([f"## {game}", "", "| field | value | meaning | schema |", "|---|---|---|---|", *lines, ""])
        )
    return "\n".join(parts)


def _rules_type(game: str) -> type[msgspec.Struct]:
    law = GAMES.get(game)
    if law is None:
        raise UnknownGameError(f"no game is called {game!r}; there are {', '.join(GAMES)}")
    rules_type: type[msgspec.Struct] = law.rules_type
    return rules_type


def _rows(table: type[msgspec.Struct], path: str, outer: str = str(FIRST_SCHEMA)) -> Iterator[Row]:
    """Yield the rows of a table's fields; ``outer`` is the schema that added the table."""
    for member in members_of(table):
        if member.name in _SOURCES:
            continue
        place = f"{path}{member.name}"
        yield from _rows_of(member.hint, place, _since(member, outer))


def _since(member: Member, outer: str) -> str:
    """Write the schema that added a field, and its default if its table is older."""
    if member.since == FIRST_SCHEMA:
        return outer
    meant = spelled_out(member.default, schema=member.since)
    return f"{member.since}; before: `{msgspec.json.encode(meant).decode()}`"


def _rows_of(hint: Any, path: str, since: str) -> Iterator[Row]:  # noqa: ANN401 - any type that msgspec reads
    bare, notes = bare_type(hint), notes_of(hint)
    origin, parts = typing.get_origin(bare), typing.get_args(bare)
    schema = since.partition(";")[0]
    if isinstance(bare, type) and issubclass(bare, msgspec.Struct):
        yield Row(path, "table", _doc(bare), since)
        yield from _rows(bare, f"{path}.", schema)
    elif origin in (typing.Union, types.UnionType):
        config = parts[0].__struct_config__
        tags = ", ".join(f"`{part.__struct_config__.tag}`" for part in parts)
        yield Row(f"{path}.{config.tag_field}", f"one of {tags}", "Kind of the table.", since)
        for part in parts:
            yield Row(path, f"table, {config.tag_field} `{part.__struct_config__.tag}`", _doc(part), since)
            yield from _rows(part, f"{path}.", schema)
    elif origin is tuple and issubclass(_class_of(parts[0]), msgspec.Struct):
        yield Row(path, "array of tables", _doc(_class_of(parts[0])), since)
        yield from _rows(bare_type(parts[0]), f"{path}[].", schema)
    else:
        yield Row(path, _value(bare, notes), notes.get("description", ""), since)


def _value(bare: Any, notes: dict[str, Any]) -> str:  # noqa: ANN401 - as above
    """Describe the values that a field other than a table may have."""
    origin, parts = typing.get_origin(bare), typing.get_args(bare)
    if legal := legal_values(bare):
        return "one of " + ", ".join(f"`{value}`" for value in legal)
    if origin is tuple:
        return f"array, each {_value(bare_type(parts[0]), notes_of(parts[0]))}"
    if origin is dict:
        return f"table of {_value(bare_type(parts[1]), notes_of(parts[1]))}".replace("table of table of", "tables of")
    if _class_of(bare) is int:
        least, most = notes.get("ge"), notes.get("le")
        return "whole number" + ("" if least is None else f" from {least}") + ("" if most is None else f" to {most}")
    return {bool: "`true` or `false`", str: "text"}.get(_class_of(bare), "names")


def _class_of(hint: Any) -> type:  # noqa: ANN401 - as above
    bare = bare_type(hint)
    return bare if isinstance(bare, type) else object


def _doc(kind: type) -> str:
    """Return the first paragraph of a class's docstring, on one line and escaped for a Markdown table."""
    text = (kind.__doc__ or "").strip().partition("\n\n")[0]
    return " ".join(text.split()).replace("|", "\\|")
