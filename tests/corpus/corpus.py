"""The frozen logs of each release, and what an audit with that release's rulesets says of them."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from referee.audit import MemoryLog
from referee.rulesets import Catalogue
from referee.rulesets.ruleset import parse_ruleset
from tests.driver.auditing import counted, terms_of

FOLDER: Final = Path(__file__).parent


def releases() -> list[str]:
    """List the releases whose logs are kept."""
    return sorted(one.parent.name for one in FOLDER.glob("*/verdicts.json"))


def rulesets_of(release: str) -> list[bytes]:
    """Return the ruleset files of a release."""
    return [file.read_bytes() for file in sorted((FOLDER / release / "rulesets").glob("*.toml"))]


def catalogue_of(release: str) -> Catalogue:
    """Return the rulesets of a release, as today's code reads them."""
    return Catalogue([parse_ruleset(source, file=f"{release}.toml") for source in rulesets_of(release)])


def rows_of(release: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield each log of a release with the verdict that was written with it."""
    verdicts = json.loads((FOLDER / release / "verdicts.json").read_text("utf-8"))
    for name, verdict in verdicts.items():
        yield json.loads((FOLDER / release / "logs" / f"{name}.json").read_text("utf-8")), verdict


def verdict_of(row: Mapping[str, Any], release: str) -> dict[str, Any]:
    """Audit a log: the digest of its leaves, what was checked, its levels and its findings."""
    entries = tuple(leaf.encode() for leaf in row["leaves"])
    log = MemoryLog(checkpoint=row["checkpoint"].encode(), entries=entries)
    keys = {name: row[name] for name in ("origin", "log_key", "root_key", "now")}
    report = counted(log, *terms_of(**keys, catalogue=catalogue_of(release)))
    said: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(report))
    members = ("size", "root", "rounds", "dealing_levels", "event_levels", "checked", "findings")
    digest = hashlib.sha256(b"".join(hashlib.sha256(leaf).digest() for leaf in entries)).hexdigest()
    found = {name: said.get(name) for name in members} | {"leaves_sha256": digest}
    return found | {"report_sha256": hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()}
