"""What is installed, held against what was tested together: run ``python -m tests.dependencies.audit``.

Every distribution that is installed is pinned in ``constraints.txt`` at the version that is there; every file
of it is the one that its wheel brought; its licence is one that this project may be used beside. What an operator
installs is in ``requirements.lock`` at the same versions, each with the SHA-256 of every file that may be fetched
for it.

With ``--pip-audit PATH`` that program is asked for known vulnerabilities. Where it cannot reach its database, that is
said aloud, and is no answer: nothing found and not asked are given apart.
"""

import argparse
import base64
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
CONSTRAINTS: Final = ROOT / "constraints.txt"
LOCK: Final = ROOT / "requirements.lock"
OF_INSTALLING: Final = frozenset({"pip", "setuptools", "wheel"})
"""What a new environment has by itself; nothing of it is shipped."""

_PIN: Final = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;\\]+)")
_HASH: Final = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_ALLOWED: Final = re.compile(
    r"0BSD|(new |\d-clause )?bsd.*|apache.*|cc0-1\.0|isc.*|mit(-0| license)?|mozilla.*|mpl-2\.0|"
    r"psf-2\.0|public domain|python software foundation.*|unlicense|zlib|lgpl-3\.0-only|dfsg approved|osi approved",
    re.IGNORECASE,
)
"""Licences that oblige an operator of this project to nothing, or only to pass on what they received."""
_BESIDE: Final = re.compile(r"(gnu general public|gpl).*", re.IGNORECASE)
"""Licences of what only tests run: it is neither shipped nor linked."""


@dataclass(frozen=True, slots=True)
class Installed:
    """One distribution as it is installed."""

    name: str
    version: str
    licences: tuple[str, ...]
    """Each that its metadata names; all of them must be allowed, one of each choice."""
    changed: tuple[str, ...] = ()
    """Files that are not what the wheel brought."""


def plain(name: str) -> str:
    """Return a distribution's name as names are compared.

    >>> plain("Typing_Extensions"), plain("zope.interface")
    ('typing-extensions', 'zope-interface')
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def pins_of(text: str) -> dict[str, str]:
    """Return the version of each distribution that a file pins, by its normalised name."""
    found = (_PIN.match(line) for line in text.splitlines())
    return {plain(one[1]): one[2] for one in found if one is not None}


def hashes_of(text: str) -> dict[str, set[str]]:
    """Return the hashes that a lock has for each distribution."""
    found: dict[str, set[str]] = {}
    name = ""
    for line in text.splitlines():
        pin = _PIN.match(line)
        name = plain(pin[1]) if pin else name
        if name:
            found.setdefault(name, set()).update(_HASH.findall(line))
    return found


def installed() -> Iterator[Installed]:
    """Yield what is installed here, except this project's own distributions."""
    for one in distributions():
        if not _is_own(one) and plain(one.name) not in OF_INSTALLING:
            yield Installed(one.name, one.version, tuple(licences_of(one)), tuple(changed_files(one)))


def _is_own(one: Distribution) -> bool:
    given = one.read_text("direct_url.json")
    return bool(given) and json.loads(given or "{}").get("dir_info", {}).get("editable", False)


def licences_of(one: Distribution) -> Iterator[str]:
    """Yield the licences of a distribution's metadata: an expression, classifiers, or text."""
    metadata = one.metadata
    if "License-Expression" in metadata:
        expression = metadata["License-Expression"]
        yield from (part.strip(" ()") for part in re.split(r" AND ", expression))
        return
    classifiers = [
        text.rpartition(" :: ")[2] for text in metadata.get_all("Classifier", []) if text.startswith("License ::")
    ]
    if classifiers:
        yield from classifiers
    else:
        yield from (text.splitlines()[0] for text in metadata.get_all("License", [])[:1] if text)


def changed_files(one: Distribution) -> Iterator[str]:
    """Yield the files of a distribution that are missing or whose bytes do not have the recorded hash."""
    for file in one.files or []:
        if file.hash is None:
            continue
        try:
            held = hashlib.new(file.hash.mode, Path(str(file.locate())).read_bytes()).digest()
        except OSError:
            yield str(file)
            continue
        if base64.urlsafe_b64encode(held).rstrip(b"=").decode() != file.hash.value:
            yield str(file)


def faults(
    found: Iterable[Installed], *, pins: Mapping[str, str], lock: Mapping[str, str], hashes: Mapping[str, set[str]]
) -> Iterator[str]:
    """Everything that is wrong with what is installed and with the files that say what should be."""
    for one in found:
        name = plain(one.name)
        if name not in pins:
            yield f"{one.name} {one.version} is installed, and constraints.txt does not pin it; run: make constraints"
        elif pins[name] != one.version:
            yield f"{one.name} {one.version} is installed, and constraints.txt pins {pins[name]}"
        yield from (f"{one.name} {one.version}: {file} is not what was installed" for file in one.changed)
        yield from _licence_faults(one, is_shipped=name in lock)
    for name, version in lock.items():
        if pins.get(name, version) != version:
            yield f"requirements.lock has {name} {version}, and constraints.txt {pins[name]}; run: make lock"
        if not hashes.get(name):
            yield f"requirements.lock has no hash of {name}; run: make lock"


def _licence_faults(one: Installed, *, is_shipped: bool) -> Iterator[str]:
    if not one.licences:
        yield f"{one.name} {one.version} names no licence"
    for licence in one.licences:
        choices = [choice.strip(" ()") for choice in re.split(r" OR ", licence)]
        is_allowed = any(_ALLOWED.fullmatch(choice) for choice in choices)
        is_beside = not is_shipped and any(_BESIDE.fullmatch(choice) for choice in choices)
        if not is_allowed and not is_beside:
            yield f"{one.name} {one.version} is under {licence!r}, which is not allowed"


def vulnerabilities(program: str, constraints: Path) -> tuple[list[str], str]:
    """Return the vulnerabilities of the pinned releases, and why they are unknown, empty if they are known."""
    command = [program, "--no-deps", "--disable-pip", "--format", "json", "--requirement", str(constraints)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return [], str(error)
    return answer_of(done.stdout, done.stderr)


def answer_of(output: str, errors: str) -> tuple[list[str], str]:
    """Parse pip-audit's output; see ``vulnerabilities``.

    >>> answer_of('{"dependencies": [{"name": "a", "skip_reason": "not found"}]}', "")
    ([], 'its database answered for 0 of 1 distributions: not found')
    """
    try:
        given = json.loads(output)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return [], (errors.strip().splitlines() or ["it said nothing"])[-1]
    skipped = [one["skip_reason"] for one in given if "skip_reason" in one]
    known = [
        f"{one['name']} {one['version']}: {fault['id']}, mended in {', '.join(fault['fix_versions']) or 'no release'}"
        for one in given
        for fault in one.get("vulns", ())
    ]
    if not skipped:
        return known, ""
    return known, f"its database answered for {len(given) - len(skipped)} of {len(given)} distributions: {skipped[0]}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what is wrong; return 0 if nothing is, else 1."""
    parser = argparse.ArgumentParser(description="Holds what is installed against what was tested together.")
    parser.add_argument("--pip-audit", default="", help="the program that asks for known vulnerabilities")
    program = parser.parse_args(arguments).pip_audit
    lock = LOCK.read_text(encoding="utf-8")
    found = list(installed())
    pins = pins_of(CONSTRAINTS.read_text(encoding="utf-8"))
    given = list(faults(found, pins=pins, lock=pins_of(lock), hashes=hashes_of(lock)))
    known, unknown = vulnerabilities(program, CONSTRAINTS) if program else ([], "no --pip-audit was given")
    for line in (*given, *known):
        sys.stdout.write(f"WRONG: {line}\n")
    if unknown:
        sys.stdout.write(f"NOT ASKED: known vulnerabilities; {unknown}\n")
    sys.stdout.write(f"{len(found)} distributions installed, {len(pins_of(lock))} locked, {len(given + known)} wrong\n")
    return 1 if given or known else 0


if __name__ == "__main__":
    sys.exit(main())
