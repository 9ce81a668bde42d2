"""What is installed, held against what was tested together: run ``python -m tests.dependencies.audit``.

Every distribution that is installed is pinned in ``constraints.txt`` at the version that is there, and every file of it
is the one that its wheel brought. ``make audit-deps`` runs this, pip-licenses and pip-audit.
"""

import base64
import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Final

from packaging.utils import canonicalize_name

ROOT: Final = Path(__file__).parents[2]
CONSTRAINTS: Final = ROOT / "constraints.txt"
LOCK: Final = ROOT / "requirements.lock"
OF_INSTALLING: Final = frozenset({"pip", "setuptools", "wheel"})
"""What a new environment has by itself; nothing of it is shipped."""
_PIN: Final = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;\\]+)", re.MULTILINE)


def pins_of(text: str) -> dict[str, str]:
    """Return the version of each distribution that a file pins, by its normalised name."""
    return {canonicalize_name(name): version for name, version in _PIN.findall(text)}


def installed() -> list[Distribution]:
    """Return what is installed here, except this project's own distributions."""
    return [one for one in distributions() if not _is_own(one) and canonicalize_name(one.name) not in OF_INSTALLING]


def _is_own(one: Distribution) -> bool:
    given = json.loads(one.read_text("direct_url.json") or "{}")
    return bool(given.get("dir_info", {}).get("editable", False))


def changed_files(one: Distribution) -> Iterator[str]:
    """Yield the files of a distribution that are missing or whose bytes do not have the recorded hash."""
    for file in one.files or []:
        if file.hash is not None:
            path = Path(str(file.locate()))
            held = hashlib.new(file.hash.mode, path.read_bytes()).digest() if path.is_file() else b""
            if base64.urlsafe_b64encode(held).rstrip(b"=").decode() != file.hash.value:
                yield str(file)


def faults(found: Iterable[Distribution], pins: Mapping[str, str]) -> Iterator[str]:
    """Yield everything that is wrong with what is installed."""
    for one in found:
        pin = pins.get(canonicalize_name(one.name))
        if pin != one.version:
            pinned = f"constraints.txt pins {pin}" if pin else "constraints.txt does not pin it; run: make constraints"
            yield f"{one.name} {one.version} is installed, and {pinned}"
        yield from (f"{one.name} {one.version}: {file} is not what was installed" for file in changed_files(one))


def main() -> int:
    """Print what is wrong; return 0 if nothing is, else 1."""
    found = installed()
    wrong = list(faults(found, pins_of(CONSTRAINTS.read_text(encoding="utf-8"))))
    sys.stdout.writelines(f"WRONG: {line}\n" for line in wrong)
    sys.stdout.write(f"{len(found)} distributions installed, {len(wrong)} wrong\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
