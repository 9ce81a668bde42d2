"""Settings read from a file, the environment and flags, with the source of each value and every fault.

A flag overrides a variable, a variable the file, the file the default. All sources are checked whole, overridden values
and unknown keys included, so that one run reports every fault. The text of a variable or of ``--set`` is the value
itself for a text key; otherwise it is TOML, and a list may be separated by commas.

>>> read = read_settings(environ={"REFEREE_SERVE_THREADS": "4"}, flags={"serve.workers": 2})
>>> read.configuration.serve.workers, read.sources["serve.workers"], read.sources["serve.queue"]
(2, '--workers', 'default')
>>> read_settings(environ={"REFEREE_SERVE_THREDS": "4"})
Traceback (most recent call last):
...
referee.server.settings.reading.SettingsError: REFEREE_SERVE_THREDS: there is no such key; did you mean \
REFEREE_SERVE_THREADS?
"""

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import msgspec
from msgspec import inspect

from referee.evidence.outside import OutsideError, read_toml
from referee.evidence.printable import error_words
from referee.rulesets.ruleset import MAX_FAULTS, line_of_path
from referee.server.settings.configuration import Configuration
from referee.server.settings.problem import range_of
from referee.server.settings.variable import PREFIX, variable_of

DEFAULT: Final = "default"
_PASSWORD: Final = re.compile(r"(://[^:/@\s]*:)[^@/\s]*(?=@)|((?:^|[?&\s])password=)[^&\s]*")
_LINKS: Final = re.compile(r"(_SERVICE_HOST|_SERVICE_PORT(_[A-Z0-9_]+)?|_PORT(_[0-9]+_(TCP|UDP)(_[A-Z]+)?)?)$")
"""Variables that Kubernetes and Docker set for a service that is named like a section."""

FLAGS: Final = MappingProxyType({"web.listen": "--web", "web.origins": "--web-origin"})
"""The flags that are not called like their key."""


class SettingsError(ValueError):
    """Settings that prevent serving; ``faults`` has every one."""

    def __init__(self, faults: "Sequence[SettingsFault]") -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(map(str, faults)))


@dataclass(frozen=True, slots=True)
class SettingsFault:
    """One fault: its source, what is wrong, and what to do."""

    where: str
    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}; {self.remedy}"


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """Settings with the source of each key's value."""

    configuration: Configuration
    sources: Mapping[str, str]

    def shown(self) -> dict[str, Any]:
        """Return the value of every key as JSON types; a password in a URL or connection string is replaced by …."""
        sections = msgspec.to_builtins(self.configuration)
        parts = {key: key.partition(".") for key in KEYS}
        return {key: _without_password(sections[section][name]) for key, (section, _, name) in parts.items()}


@dataclass(slots=True)
class _Reading:
    """Values read so far, the strongest of each key, with their sources."""

    values: dict[str, tuple[Any, str]] = field(default_factory=dict)
    faults: list[SettingsFault] = field(default_factory=list)

    def take(self, key: str, value: object, where: str) -> None:
        """Add a value, which overrides earlier ones."""
        kind = KEYS[key]
        try:
            self.values[key] = msgspec.convert(value, kind), where
        except msgspec.ValidationError as error:
            what = f"is {value}" if range_of(kind) and type(value) in {int, float} else f"is wrong: {_plain(error)}"
            self.faults.append(SettingsFault(where, f"{key} {what}", _wanted(kind)))

    def unknown(self, named: str, where: str, known: Iterable[str]) -> None:
        """Report an unknown key."""
        near = difflib.get_close_matches(named, list(known), n=1)
        remedy = f"did you mean {near[0]}?" if near else "`referee config example` shows every key"
        self.faults.append(SettingsFault(where, "there is no such key", remedy))


_SECTIONS: Final = msgspec.structs.fields(Configuration)
KEYS: Final[Mapping[str, Any]] = MappingProxyType(
    {f"{section.name}.{one.name}": one.type for section in _SECTIONS for one in msgspec.structs.fields(section.type)}
)
"""The type of each key, by ``section.key``, in the order of the file."""
SECTIONS: Final = tuple(section.name for section in _SECTIONS)


def flag_of(key: str) -> str:
    """Return the flag of ``referee serve`` for a key.

    >>> flag_of("serve.listen"), flag_of("web.listen")
    ('--listen', '--web')
    """
    return FLAGS.get(key) or "--" + key.partition(".")[2].replace("_", "-")


def read_settings(
    *,
    file: Path | None = None,
    environ: Mapping[str, str] = MappingProxyType({}),
    flags: Mapping[str, object] = MappingProxyType({}),
    extra: Iterable[str] = (),
) -> LoadedSettings:
    """Read the settings of all sources; raise SettingsError with every fault.

    ``flags`` has values by ``section.key``; ``extra`` are the texts of ``--set``, each ``section.key=value``.
    """
    reading = _Reading()
    if file is not None:
        _read_file(file, reading)
    _read_environment(environ, reading)
    for key, value in flags.items():
        reading.take(key, value, flag_of(key))
    _read_extra(extra, reading)
    values = reading.values
    sections: dict[str, dict[str, Any]] = {section: {} for section in SECTIONS}
    for key, (value, _) in values.items():
        sections[key.partition(".")[0]][key.partition(".")[2]] = value
    configuration = Configuration(**{section.name: section.type(**sections[section.name]) for section in _SECTIONS})
    for problem in configuration.problems():
        what = f"{problem.key} {problem.what}"
        reading.faults.append(SettingsFault(_where(problem.key, values), what, problem.remedy))
    if reading.faults:
        raise SettingsError(list(dict.fromkeys(reading.faults)))
    return LoadedSettings(configuration, MappingProxyType({key: values.get(key, ("", DEFAULT))[1] for key in KEYS}))


def _without_password(value: Any) -> Any:  # noqa: ANN401 - whatever a key holds
    if isinstance(value, str):
        return _PASSWORD.sub(lambda found: (found[1] or found[2]) + "…", value)
    if isinstance(value, list):
        return [_without_password(one) for one in value]
    return value


def _where(key: str, values: Mapping[str, tuple[Any, str]]) -> str:
    """Return where a key was set, or else another key of its section, or else the default."""
    section = f"{key.partition('.')[0]}."
    others = (one for other, one in values.items() if other.startswith(section))
    return (values.get(key.partition("[")[0]) or next(others, ("", DEFAULT)))[1]


def _read_file(file: Path, reading: _Reading) -> None:
    try:
        data = file.read_bytes()
        tables = read_toml(data)
    except OSError as error:
        reading.faults.append(
            SettingsFault(str(file), f"cannot be read: {error_words(error)}", "give another file with --config")
        )
        return
    except OutsideError as error:
        where = str(file) if error.line is None else f"{file}, line {error.line}"
        reading.faults.append(SettingsFault(where, f"is {error}", "`referee config example` shows the syntax"))
        return
    text = data.decode("utf-8-sig")
    for section, table in tables.items():
        if len(reading.faults) >= MAX_FAULTS:
            reading.faults.append(SettingsFault(str(file), "has more faults", "mend these first"))
            return
        where = _place(file, [section], text)
        if section not in SECTIONS:
            reading.unknown(section, f"{where}: {section}", SECTIONS)
        elif not isinstance(table, dict):
            reading.faults.append(SettingsFault(where, f"{section} is a section", f"write [{section}], its keys below"))
        else:
            for name, value in table.items():
                key, at = f"{section}.{name}", _place(file, [section, name], text)
                if key in KEYS:
                    reading.take(key, value, at)
                else:
                    own = [one.partition(".")[2] for one in KEYS if one.startswith(f"{section}.")]
                    reading.unknown(name, f"{at}: {key}", own)


def _read_environment(environ: Mapping[str, str], reading: _Reading) -> None:
    known = {variable_of(key): key for key in KEYS}
    for name, text in sorted(environ.items()):
        if name in known:
            reading.take(known[name], value_of(text, KEYS[known[name]]), name)
        elif name.startswith(tuple(f"{PREFIX}{section.upper()}_" for section in SECTIONS)) and not _LINKS.search(name):
            reading.unknown(name, name, known)
        elif whole := [one for one, key in known.items() if name == PREFIX + key.partition(".")[2].upper()]:
            remedy = f"the section is part of the name: {' or '.join(whole)}"
            reading.faults.append(SettingsFault(name, "there is no such variable", remedy))


def _read_extra(extra: Iterable[str], reading: _Reading) -> None:
    for text in extra:
        key, equals, value = text.partition("=")
        if not equals:
            reading.faults.append(SettingsFault(f"--set {key}", "sets nothing", "write --set section.key=value"))
        elif key.strip() not in KEYS:
            reading.unknown(key.strip(), f"--set {key.strip()}", KEYS)
        else:
            reading.take(key.strip(), value_of(value.strip(), KEYS[key.strip()]), f"--set {key.strip()}")


def value_of(text: str, kind: object) -> object:
    """Parse a variable's text for a key of this type; return the text itself where it does not parse.

    >>> value_of("12", int), value_of("12", str), value_of("a, b", tuple[str, ...]), value_of("x", int)
    (12, '12', ['a', 'b'], 'x')
    """
    known = inspect.type_info(kind)
    if isinstance(known, inspect.StrType):
        return text
    if isinstance(known, _LISTS) and not text.lstrip().startswith("["):
        return [part.strip() for part in text.split(",") if part.strip()]
    try:
        return read_toml(f"value = {text}".encode())["value"]
    except ValueError:  # also of a text that has no bytes in UTF-8
        return text


_LISTS: Final = (inspect.VarTupleType, inspect.ListType, inspect.SetType, inspect.FrozenSetType)


def _place(file: Path, path: Sequence[str], text: str) -> str:
    line = line_of_path(path, text)
    return str(file) if line is None else f"{file}, line {line}"


def _plain(error: msgspec.ValidationError) -> str:
    return str(error).replace("`", "")


def _wanted(kind: object) -> str:
    """Describe the legal values of a key of this type."""
    known = inspect.type_info(kind)
    if isinstance(known, inspect.IntType | inspect.FloatType):
        whole = " whole" if isinstance(known, inspect.IntType) else ""
        return f"write a{whole} number{range_of(kind)}"
    if isinstance(known, _LISTS):
        return 'write a list, such as ["one", "two"]'
    if isinstance(known, inspect.LiteralType):
        return f"write one of {', '.join(map(str, known.values))}"
    return _WORDS.get(type(known), "`referee config example` shows an example")


_WORDS: Final = {inspect.BoolType: "write true or false", inspect.StrType: "write text, in quotes"}
