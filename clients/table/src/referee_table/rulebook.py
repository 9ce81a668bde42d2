"""The rules of a ruleset as a page shows them, written from its data: a house's variant as well.

``words.json`` of a game has its ``sections`` in reading order, and in ``said`` the sentences that several places use. A
text is one of

- ``{"vi": .., "en": ..}``, where ``{values.ordinary}`` is a field of the data, ``0`` the first of a list, ``#`` how
  many it has and ``*`` the span of its items' fields; a word behind a colon says how a field is written;
- ``{"by": field, value: text, .., "else": text}``; ``{"find": list, field: value, .., "then": text, "else": text}``;
- ``{"name": "table.CODE"}`` and ``{"said": code}``;
- ``{"join": between, "of": texts}``, or ``{"join": between, "each": list, "of": text}``.

A text with a field that the data lacks is empty, and a row with an empty value is left out. A row with ``each`` is
written for each item of a list or table.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from referee_table.words import SHARED, Text, Words

MOST_FEATURES: Final = 3
"""How many differences the sentence of a ruleset names."""
_FIELD: Final = re.compile(r"\{([\w.#*]+)(?::(\w+))?\}")
_EMPTY: Final = {"vi": "", "en": ""}


class Rulebook:
    """The texts of a ruleset. ``names`` are those of its codes, by table."""

    def __init__(self, data: Mapping[str, Any], words: Words, names: Words) -> None:
        self._data, self._words, self._names = data, words, names

    def features(self) -> list[Text]:
        """Return sentences on what rulesets of this game differ in, the most important first."""
        return [self._text({"said": code}, self._data) for code in self._words["features"]]

    def sections(self) -> list[dict[str, Any]]:
        """Return the sections that have rows, in reading order; each row has a label, a value, and example cards."""
        sections = []
        for section in (*self._words["sections"], SHARED["clocks"]):
            if section == "ladder":
                code, title, rows = "LADDER", SHARED["rules"]["LADDER"], self._ladder()
            else:
                code, title = section["code"], self._text(section["title"], self._data)
                rows = [row for template in section["rows"] for row in self._rows(template)]
            if rows:
                capital = {language: text[:1].upper() + text[1:] for language, text in title.items()}
                sections.append({"code": code, "title": capital, "rows": rows})
        return sections

    def _ladder(self) -> list[dict[str, Any]]:
        """Return the hands from the strongest down."""
        names, cards = self._names["category"], SHARED["ladder"]
        order = reversed(self._data["ranking"]["rules"]["order"])
        return [
            {"label": names[one], "value": _EMPTY} | ({"cards": cards[one].split()} if one in cards else {})
            for one in order
        ]

    def _rows(self, row: Words) -> Iterator[dict[str, Any]]:
        for scope in self._scopes(row["each"]) if "each" in row else [self._data]:
            value = self._text(row.get("value"), scope)
            if "cards" in row or value["en"]:
                cards = {"cards": row["cards"].split()} if "cards" in row else {}
                yield {"label": self._text(row["label"], scope), "value": value} | cards

    def _scopes(self, path: str, within: Mapping[str, Any] | None = None) -> Iterator[Mapping[str, Any]]:
        """Yield the data with each item of a list or table in it: as ``item``, its key as ``key``, and its fields."""
        items = _at(within or self._data, path)
        pairs = items.items() if isinstance(items, Mapping) else [("", item) for item in _listed(items)]
        for key, item in pairs:
            yield {**self._data, **(item if isinstance(item, Mapping) else {}), "key": key, "item": item}

    def _text(self, text: Any, scope: Mapping[str, Any]) -> Text:  # noqa: ANN401 - one of the kinds of texts
        written = _EMPTY
        match text:
            case {"by": field}:
                written = self._text(text.get(str(_at(scope, field)), text["else"]), scope)
            case {"find": path, "then": then}:
                wanted = {name: value for name, value in text.items() if name not in {"find", "then", "else"}}
                found = [inner for inner in self._scopes(path) if wanted.items() <= inner["item"].items()]
                written = self._text(then, found[0]) if found else self._text(text["else"], scope)
            case {"name": name}:
                table, code = _filled(name, "en", scope).split(".")
                written = self._name(table, code.upper())
            case {"said": code}:
                written = self._text(self._words["said"][code], scope)
            case {"join": between, "of": of}:
                scopes = self._scopes(text["each"], scope) if "each" in text else None
                parts = (
                    [self._text(one, scope) for one in of]
                    if scopes is None
                    else [self._text(of, one) for one in scopes]
                )
                written = _joined(between, parts)
            case {"vi": _, "en": _}:
                written = {language: _filled(words, language, scope) for language, words in text.items()}
        return written

    def _name(self, table: str, code: str) -> Text:
        for names in (self._names, self._words, SHARED):
            if found := names.get(table, {}).get(code):
                return {"vi": found["vi"], "en": found["en"]}
        return {"vi": code, "en": code}


def difference(book: Rulebook, alike: Sequence[Rulebook]) -> Text:
    """Return a sentence on how a ruleset differs from those of its game, or what marks the only one."""
    features = list(zip(book.features(), *[other.features() for other in alike], strict=True))
    apart = [own for own, *others in features if len({text["en"] for text in others}) > 1]
    chosen = (apart or [own for own, *_ in features])[:MOST_FEATURES]
    sentence = _joined("; ", chosen)
    return {language: f"{text[:1].upper()}{text[1:]}." for language, text in sentence.items()}


def _joined(between: str, texts: Sequence[Text]) -> Text:
    return {language: between.join(text[language] for text in texts) for language in ("vi", "en")}


def _listed(items: Any) -> list[Any]:  # noqa: ANN401 - of the data
    return items if isinstance(items, list) else []


def _at(scope: Any, path: str) -> Any:  # noqa: ANN401 - of the data
    """Return the field at a path of names; None if there is none."""
    for step in path.split("."):
        if isinstance(scope, Mapping):
            scope = scope.get(step)
        elif isinstance(scope, list) and step == "#":
            scope = len(scope)
        elif isinstance(scope, list) and step == "*":
            scope = {key: _span([item[key] for item in scope]) for key in (scope[0] if scope else ())}
        elif isinstance(scope, list):
            scope = scope[0]
        else:
            return None
    return scope


def _span(values: Sequence[Any]) -> str:
    return str(values[0]) if len(set(values)) == 1 or isinstance(values[0], str) else f"{min(values)}-{max(values)}"


def _filled(words: str, language: str, scope: Mapping[str, Any]) -> str:
    """Return words with the fields of the data that they name; empty if the data lacks one."""
    parts, end = [], 0
    for found in _FIELD.finditer(words):
        value, kind = _at(scope, found[1]), found[2] or ""
        if value is None or isinstance(value, Mapping) or (kind == "stakes" and not isinstance(value, int)):
            return ""
        parts += [words[end : found.start()], _written(value, kind, language)]
        end = found.end()
    return "".join([*parts, words[end:]])


def _written(value: Any, kind: str, language: str) -> str:  # noqa: ANN401 - of the data
    match kind:
        case "stakes":
            return "1 stake" if value == 1 else f"{value} stakes"
        case "odds" | "ratio":
            return str(value).replace("/", " : " if kind == "odds" else ":")
        case "times":
            return " / ".join(f"{one}x" for one in value)
        case "percent":
            text = f"{value / 10:g} %"
            return text.replace(".", ",") if language == "vi" else text
        case _:
            return str(value)
