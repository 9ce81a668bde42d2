"""Options of servers that tests start in their own process, each setting given by its name alone."""

from pathlib import Path
from typing import Any

import msgspec

from referee.server.process.options import ServerOptions
from referee.server.settings.configuration import Configuration

SECTIONS = {field.name: field.type for field in msgspec.structs.fields(Configuration)}
FLAT = {
    field.name: section
    for section in ("telemetry", "keys", "log", "serve")
    for field in msgspec.structs.fields(SECTIONS[section])
}


def server_options(*, data: Path, **given: Any) -> ServerOptions:  # noqa: ANN401 - settings and parts of any type
    """Return the options of a server on a data folder that listens on a free port and stops without a lead.

    A name is a whole section, a key of ``serve``, ``log``, ``keys`` or ``telemetry``, or a part of ServerOptions.
    None leaves the default.
    """
    given = {name: value for name, value in given.items() if value is not None}
    given = {"listen": "127.0.0.1:0", "drain_lead": 0.0, "data": data} | given
    sections: dict[str, Any] = {name: given.pop(name) for name in SECTIONS if name in given}
    keys: dict[str, dict[str, Any]] = {}
    for name in [name for name in given if name in FLAT]:
        value = given.pop(name)
        keys.setdefault(FLAT[name], {})[name] = str(value) if isinstance(value, Path) else value
    sections |= {name: SECTIONS[name](**values) for name, values in keys.items()}
    parts: dict[str, Any] = given
    return ServerOptions(configuration=Configuration(**sections), **parts)
