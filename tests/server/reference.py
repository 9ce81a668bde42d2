"""The operator's reference, made from the code: every setting, every metric and every member of a call's log line.

Run ``python -m tests.server.reference > referee/server/REFERENCE.md``, and with the argument ``example`` for
``deploy/referee.toml``; a test fails when a file is stale.

>>> next(settings())[:2]
('serve.listen', '"127.0.0.1:50051"')
"""

import ast
import inspect
import itertools
import json
import sys
import textwrap
from collections.abc import Iterator
from types import MappingProxyType
from typing import Final, cast

import msgspec

from referee.rulesets import load_builtin
from referee.server.process.metrics import LOG_GAUGES, Metrics
from referee.server.settings.configuration import Configuration
from referee.server.settings.problem import range_of
from referee.server.settings.variable import variable_of
from referee.service.call import Call

LOG_LINE: Final = MappingProxyType(
    {
        "event": "`answered`, `refused` or `failed`",
        "timestamp": "when the call ended, UTC",
        "level": "`info`, or `error` where the server is at fault",
        "worker": "number of the process, with several workers",
        "method": "the method, such as `/referee.v1.LogService/GetKeys`",
        "code": "gRPC status code",
        "reason": "reason of a refusal, as in `error_reason.proto`",
        "ms": "milliseconds that the call ran",
        "waited_ms": "milliseconds that it waited for a thread",
        "request_bytes": "size of the request",
        "response_bytes": "size of the answer",
        "caller": "name of the caller; its address, if callers are not authenticated",
        "role": "role of an authenticated caller",
        "tenant": "its tenant",
        "peer": "its address",
        "request_id": "the caller's `x-request-id`, or one that the server made",
        "leaves": "indices of the leaves that the call wrote",
    }
)
"""Members of the JSON line of a call, in the order of the page."""
_HEAD: Final = """\
# The configuration of `referee serve --config referee.toml`: every key with its default, commented out.
#
# A flag overrides a variable, a variable this file, this file the default. Each key has the variable
# REFEREE_<SECTION>_<KEY>, such as REFEREE_SERVE_THREADS=16, and the flag --set section.key=value;
# `referee serve --help` lists the keys with flags of their own. Relative paths start at the server's
# working directory.
#
# `referee config check` reports every fault, `referee config show` the values in use and their sources,
# `referee doctor` whether this machine can serve with them.
"""


def settings() -> Iterator[tuple[str, str, str]]:
    """Yield each key with its default, as TOML, and its meaning: the field's docstring and its range."""
    for key, default, words, allowed in _fields():
        yield key, default, f"{words} {allowed}".rstrip()


def example() -> str:
    """Return the example file, which is ``deploy/referee.toml``: every key with its default, commented out."""
    lines = [_HEAD.rstrip()]
    for key, default, words, allowed in _fields():
        section, _, name = key.partition(".")
        if f"[{section}]" not in lines:
            lines += ["", f"[{section}]"]
        lines += textwrap.wrap(f"# {words}", 120, subsequent_indent="# ", break_on_hyphens=False)
        lines += [f"# {allowed}"] if allowed else []
        lines.append(f"# {name} = {default}")
    return "\n".join(lines) + "\n"


def _fields() -> Iterator[tuple[str, str, str, str]]:
    """Yield each key with its default, the docstring of its field, and its range unless that is "at least 0"."""
    for section in msgspec.structs.fields(Configuration):
        words = _docstrings(section.type)
        for field in msgspec.structs.fields(section.type):
            default = json.dumps(msgspec.to_builtins(field.default))
            allowed = range_of(field.type).removeprefix(" of").strip().capitalize()
            is_said = allowed and allowed != "At least 0"
            yield f"{section.name}.{field.name}", default, words[field.name], f"{allowed}." if is_said else ""


def _docstrings(section: type) -> dict[str, str]:
    """Return the docstring below each field of a class, on one line."""
    (made,) = ast.parse(textwrap.dedent(inspect.getsource(section))).body
    return {
        field.target.id: " ".join(words.value.value.split())
        for field, words in itertools.pairwise(cast("ast.ClassDef", made).body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(words, ast.Expr)
        and isinstance(words.value, ast.Constant)
        and isinstance(words.value.value, str)
    }


def metrics() -> Iterator[tuple[str, str, str, str]]:
    """Yield each metric with its type, its labels and its meaning, by name."""
    made = Metrics()
    made.ended(Call(method="/a.B/C", request_id="", caller="", arrived=0.0, reason="R", role="r"))
    made.returned(next(iter(load_builtin())), (1,))
    rows = [(name, "gauge", "", words) for name, words in LOG_GAUGES.items()]
    for family in made.registry.collect():
        if family.name.startswith("referee_"):
            labels = sorted({label for sample in family.samples for label in sample.labels} - {"le"})
            suffix = "_total" if family.type == "counter" else ""
            rows.append((f"{family.name}{suffix}", family.type, ", ".join(labels), family.documentation))
    yield from sorted(rows, key=lambda row: row[0].removesuffix("_total"))


def page() -> str:
    """Return the page, in Markdown."""
    lines = [
        "# The operator's reference",
        "",
        "Made from the code by `python -m tests.server.reference`; do not edit it.",
        "",
        "## Settings",
        "",
        "Each is a key of the configuration file, a variable, and `--set KEY=VALUE`. `referee config example` prints",
        "the file.",
        "",
        "| key | variable | default | meaning |",
        "|---|---|---|---|",
        *(f"| `{key}` | `{variable_of(key)}` | `{value}` | {_cell(words)} |" for key, value, words in settings()),
        "",
        "## Metrics",
        "",
        "`--metrics ADDRESS` serves them for Prometheus, each worker at a port of its own. No label is a table, a",
        "round or a caller.",
        "",
        "| metric | type | labels | meaning |",
        "|---|---|---|---|",
        *(f"| `{name}` | {kind} | {labels} | {_cell(words)} |" for name, kind, labels, words in metrics()),
        "",
        "## The log line of a call",
        "",
        "One JSON object a line on standard error. It never has a card, a seed, a key or a token.",
        "",
        "| member | meaning |",
        "|---|---|",
        *(f"| `{name}` | {words} |" for name, words in LOG_LINE.items()),
    ]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(example() if sys.argv[1:] == ["example"] else page())
