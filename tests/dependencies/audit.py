"""What is installed, held against what was tested together: run ``python -m tests.dependencies.audit``.

Every distribution that is installed is pinned in ``constraints.txt`` at the version that is there, and every file of it
is the one that its wheel brought. What an operator installs is in ``requirements.lock`` at the same versions, each with
the SHA-256 of every file that may be fetched for it. ``make audit-deps`` runs this, pip-licenses and pip-audit.
"""

import base64
import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]
CONSTRAINTS: Final = ROOT / "constraints.txt"
LOCK: Final = ROOT / "requirements.lock"
OF_INSTALLING: Final = frozenset({"pip", "setuptools", "wheel"})
"""What a new environment has by itself; nothing of it is shipped."""

_PIN: Final = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;\\]+)")
_HASH: Final = re.compile(r"--hash=sha256:([0-9a-f]{64})")


class Installed(NamedTuple):
    """One distribution as it is installed; ``changed`` are files that are not what the wheel brought."""

    name: str
    version: str
    changed: tuple[str, ...] = ()


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
            yield Installed(one.name, one.version, tuple(changed_files(one)))


def _is_own(one: Distribution) -> bool:
    given = one.read_text("direct_url.json")
    return bool(given) and json.loads(given or "{}").get("dir_info", {}).get("editable", False)


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
    """Yield everything that is wrong with what is installed and with the files that say what should be."""
    for one in found:
        name = plain(one.name)
        if name not in pins:
            yield f"{one.name} {one.version} is installed, and constraints.txt does not pin it; run: make constraints"
        elif pins[name] != one.version:
            yield f"{one.name} {one.version} is installed, and constraints.txt pins {pins[name]}"
        yield from (f"{one.name} {one.version}: {file} is not what was installed" for file in one.changed)
    for name, version in lock.items():
        if pins.get(name, version) != version:
            yield f"requirements.lock has {name} {version}, and constraints.txt {pins[name]}; run: make lock"
        if not hashes.get(name):
            yield f"requirements.lock has no hash of {name}; run: make lock"


def main() -> int:
    """Print what is wrong; return 0 if nothing is, else 1."""
    lock = LOCK.read_text(encoding="utf-8")
    found = list(installed())
    pins = pins_of(CONSTRAINTS.read_text(encoding="utf-8"))
    wrong = list(faults(found, pins=pins, lock=pins_of(lock), hashes=hashes_of(lock)))
    sys.stdout.writelines(f"WRONG: {line}\n" for line in wrong)
    sys.stdout.write(f"{len(found)} distributions installed, {len(pins_of(lock))} locked, {len(wrong)} wrong\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
