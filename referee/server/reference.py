"""The operator's reference, made from the code: every setting, every metric and every member of a call's log line.

Run ``python -m referee.server.reference > referee/server/REFERENCE.md``; a test fails when the page is stale.

>>> next(settings())[:2]
('serve.listen', '"127.0.0.1:50051"')
"""

import re
import sys
from collections.abc import Iterator
from importlib import resources
from types import MappingProxyType, SimpleNamespace
from typing import Any, Final, cast

from referee.server.process.metrics import LogCollector, Metrics
from referee.server.settings.reading import KEYS
from referee.server.settings.variable import variable_of
from referee.service.call import Call
from referee.storage import Reader

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
_KEY: Final = re.compile(r"# ([a-z_]+) = (.*)")


def settings() -> Iterator[tuple[str, str, str]]:
    """Yield each key with its default and its meaning, as the example file says them."""
    section, words = "", list[str]()
    text = resources.files("referee.server").joinpath("deploy/referee.toml").read_text(encoding="utf-8")
    for line in text.splitlines():
        found = _KEY.fullmatch(line)
        if line.startswith("["):
            section, words = line.strip("[]"), []
        elif found and f"{section}.{found[1]}" in KEYS:
            yield f"{section}.{found[1]}", found[2], " ".join(words)
            words = []
        else:
            words.append(line.removeprefix("#").strip())


def metrics() -> Iterator[tuple[str, str, str, str]]:
    """Yield each metric with its type, its labels and its meaning, by name."""
    made = Metrics()
    made.ended(Call(method="/a.B/C", request_id="", caller="", arrived=0.0, reason="R", role="r"))
    made.registry.register(LogCollector(cast("Reader", _EmptyLog()), clock=lambda: 0))
    for family in sorted(made.registry.collect(), key=lambda family: family.name):
        if family.name.startswith("referee_"):
            labels = sorted({label for sample in family.samples for label in sample.labels} - {"le"})
            suffix = "_total" if family.type == "counter" else ""
            yield f"{family.name}{suffix}", family.type, ", ".join(labels), family.documentation


class _EmptyLog:
    """A log whose every metric can be read."""

    def head(self) -> Any:  # noqa: ANN401 - it has the one member that is read
        return SimpleNamespace(size=0)

    newest_cosigned = head

    def overdue_rounds(self, _now: int, _most: int) -> list[object]:
        return []

    def unrevealed_rounds(self, _most: int) -> list[object]:
        return []


def page() -> str:
    """Return the page, in Markdown."""
    lines = [
        "# The operator's reference",
        "",
        "Made from the code by `python -m referee.server.reference`; do not edit it.",
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
    sys.stdout.write(page())
