"""The installed files of this program, and their digest as a START names it.

The digest is made from the files on the disk and not from the hashes in RECORD, so that it shows an edited file. It
cannot show what runs: a person who can edit the files can edit the process.
"""

import base64
import hashlib
import json
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

import msgspec

import referee
from referee.dealing.leaf import EDITABLE

_MISSING: Final = "missing"
_FOLDER: Final = "referee/"


class InstalledFiles(msgspec.Struct, frozen=True):
    """The program's ``version``, the digest of its files or EDITABLE, and the files that are not as installed."""

    version: str
    digest: str
    changed: tuple[str, ...] = ()


def installed_files() -> InstalledFiles:
    """Read the installed files of this program."""
    try:
        found = distribution("referee")
    except PackageNotFoundError:
        return InstalledFiles(referee.__version__, EDITABLE)
    if _is_checkout(found):
        return InstalledFiles(referee.__version__, EDITABLE)
    lines, changed = [], []
    for file in found.files or ():
        path = file.as_posix()
        if file.hash is None or not path.startswith(_FOLDER) or path.endswith(".pyc"):
            continue
        hashed = _hash_of(Path(str(file.locate())))
        lines.append(f"{path} {hashed}\n".encode())
        if hashed == _MISSING or _as_recorded(hashed) != file.hash.value:
            changed.append(path)
    return InstalledFiles(referee.__version__, hashlib.sha256(b"".join(sorted(lines))).hexdigest(), (*sorted(changed),))


def _is_checkout(found: Distribution) -> bool:
    """Return whether the program runs from other files than those that an installer put in place."""
    direct = json.loads(found.read_text("direct_url.json") or "{}")
    is_editable = bool(direct.get("dir_info", {}).get("editable"))
    here, there = Path(referee.__file__).parent, Path(str(found.locate_file("referee")))
    return is_editable or found.read_text("RECORD") is None or here.resolve() != there.resolve()


def _hash_of(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return _MISSING


def _as_recorded(hashed: str) -> str:
    return base64.urlsafe_b64encode(bytes.fromhex(hashed)).decode().rstrip("=")
