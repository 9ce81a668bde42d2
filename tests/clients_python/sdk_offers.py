"""Table of what each SDK offers, in ``clients/README.md``: made from both SDKs' exports, with a reason for each gap.

Run ``python -m tests.clients_python.sdk_offers`` to renew the table; a test fails when it is stale. Reasons are in
``sdk_offers.toml``. Needs Node and the TypeScript SDK's packages, whose compiler lists its exports.
"""

import enum
import inspect
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import referee_client

CLIENTS: Final = Path(__file__).parents[2] / "clients"
PAGE: Final = CLIENTS / "README.md"
_BEGIN, _END = "<!-- made by tests.clients_python.sdk_offers -->\n", "<!-- end of what is made -->\n"
_ROUNDS: Final = ("MauBinhRound", "TienLenRound", "UltimateTexasRound")
_LANGUAGES: Final = ("python", "typescript")

Offers = Mapping[str, set[str]]
"""Members of each exported class, in Python's spelling where both SDKs have them; none of what is no class."""


def python_offers() -> Offers:
    """Return what ``referee_client`` exports."""
    exports = inspect.getmembers(referee_client)
    return {name: _members(value) for name, value in exports if name in referee_client.__all__}


def _members(value: object) -> set[str]:
    if not inspect.isclass(value) or issubclass(value, enum.Enum):
        return set()
    own = [base for base in value.__mro__ if base.__module__.startswith("referee")]
    names = {name for base in own for name in (*vars(base), *inspect.get_annotations(base))}
    return {name for name in names if not name.startswith("_")}


def typescript_offers() -> Offers:
    """Return what ``referee-client/node`` exports, which has all of ``referee-client``."""
    command = ["node", "exports.js"]
    made = subprocess.run(command, cwd=CLIENTS / "typescript", capture_output=True, text=True, check=True, timeout=300)
    return {name: set(members) for name, members in json.loads(made.stdout).items()}


def table(python: Offers, typescript: Offers) -> str:
    """Return the table; raise ValueError for a gap without a reason, or a reason without a gap."""
    reasons = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    classes: dict[str, str] = reasons["pairs"]["classes"]
    unused = {
        (language, group, name)
        for language in _LANGUAGES
        for group in reasons[language]
        for name in reasons[language][group]
    }
    rows: dict[tuple[str, ...], list[str]] = {}
    shared = []
    for title, group, ours, theirs in _groups(python, typescript, classes):
        renamed = {name: reasons["pairs"]["members"].get(f"{title}.{name}", camel(name)) for name in ours}
        both = sorted(name for name, other in renamed.items() if other in theirs)
        shared.append(f"| {title} | {', '.join(f'`{name}`' for name in both)} |")
        gaps = [("python", name) for name in sorted(ours) if name not in both]
        gaps += [("typescript", name) for name in sorted(theirs - set(renamed.values()))]
        for language, name in gaps:
            why = reasons[language].get(group, {}).get(name)
            if why is None:
                msg = f"{language} alone has {title}.{name}: say why in sdk_offers.toml, under [{language}.{group}]"
                raise ValueError(msg)
            unused.discard((language, group, name))
            rows.setdefault((_of(title, group), language, why), []).append(name)
    if unused:
        msg = f"sdk_offers.toml has reasons for what is no gap: {sorted(unused)}"
        raise ValueError(msg)
    lines = ["| in both SDKs | names, as Python spells them |", "|---|---|", *shared, ""]
    lines += ["| of | in Python alone | in TypeScript alone | why, and what to use instead |", "|---|---|---|---|"]
    for (title, language, why), names in rows.items():
        cells = ["", ""]
        cells[_LANGUAGES.index(language)] = ", ".join(f"`{name}`" for name in dict.fromkeys(names))
        lines.append(f"| {title} | {cells[0]} | {cells[1]} | {why} |")
    return "\n".join(lines) + "\n"


def _of(title: str, group: str) -> str:
    return "a round" if group == "round" else title


def _groups(
    python: Offers, typescript: Offers, classes: Mapping[str, str]
) -> Iterator[tuple[str, str, set[str], set[str]]]:
    """Yield the exports, then each class that both have, with the name of its reasons."""
    paired = set(classes.values())
    yield "exports", "exports", set(python) - set(classes), {name for name in typescript if name not in paired}
    for ours, theirs in classes.items():
        yield ours, "round" if ours in _ROUNDS else ours, python[ours], typescript[theirs]


def camel(name: str) -> str:
    """Return a name as TypeScript spells it.

    >>> camel("open_hand"), camel("RefereeError")
    ('openHand', 'RefereeError')
    """
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), name) if name.islower() else name


def page(made: str) -> str:
    """Return the page with this table."""
    before, _, rest = PAGE.read_text("utf-8").partition(_BEGIN)
    return before + _BEGIN + made + _END + rest.partition(_END)[2]


if __name__ == "__main__":
    PAGE.write_text(page(table(python_offers(), typescript_offers())), "utf-8")
    sys.stdout.write(f"{PAGE} is renewed\n")
