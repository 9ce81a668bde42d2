"""What forbids a release: ``python -m tests.packages.release`` prints each fault and exits with 1 if there is one."""

# ruff: noqa: T201 - a script that prints

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import referee

ROOT: Final = Path(__file__).parents[2]
_CONTACT: Final = re.compile(r"^Write in private to: (.*)$", re.MULTILINE)
_ADDRESS: Final = re.compile(r"[^\s@()]+@[^\s@()]+\.[^\s@()]+|https://\S+")
_SECTION: Final = r"^## {version}, .*?(\d{{4}}-\d{{2}}-\d{{2}})"


def faults(root: Path, version: str) -> Iterator[str]:
    """Yield what is missing in the pages of a tree before this version may be released."""
    contact = _CONTACT.search((root / "SECURITY.md").read_text("utf-8"))
    if contact is None or _ADDRESS.fullmatch(contact[1].strip()) is None:
        yield "SECURITY.md: give an e-mail address or an https form after 'Write in private to:'"
    section = re.compile(_SECTION.format(version=re.escape(version)), re.MULTILINE)
    if section.search((root / "CHANGELOG.md").read_text("utf-8")) is None:
        yield f"CHANGELOG.md: give the section of {version} its date, as in '## {version}, 2027-01-31'"


def main() -> int:
    """Print the faults of this tree; return the exit code."""
    found = list(faults(ROOT, referee.__version__))
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
