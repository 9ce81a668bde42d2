"""Compare the protos with those of the newest release tag, as ``COMPATIBILITY.md`` promises.

Run ``python protos/breaking.py [FOLDER]`` for the repository that holds the folder, this one by default: it exits with
``buf breaking``'s code, and with 0 if no release has been tagged. A release tag is ``v`` and a version, such as
``v1.2.3``; pre-releases (``v1.2.3rc1``) are not compared with.

>>> newest_release(["v0.9.0", "v0.10.0", "v1.0.0rc1", "draft"])
'v0.10.0'
"""

# ruff: noqa: INP001 - a script beside what it reads
# ruff: noqa: T201 - a script that prints

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

PROTOS: Final = Path(__file__).parent
_RELEASE: Final = re.compile(r"v(\d+)\.(\d+)\.(\d+)")


def newest_release(tags: Iterable[str]) -> str:
    """Return the tag of the highest version; empty if no tag is a release."""
    releases = [match for match in map(_RELEASE.fullmatch, tags) if match]
    return max(releases, key=lambda match: tuple(map(int, match.groups())))[0] if releases else ""


def main(protos: Path) -> int:
    """Compare the protos of a folder with those of the repository's newest release; return the exit code."""
    tag = newest_release(_git(protos, "tag", "--list", "v*").split())
    if not tag:
        print("No release has been tagged: there is nothing to compare the protos with.")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        top, prefix = _git(protos, "rev-parse", "--show-toplevel", "--show-prefix").split()
        _git(Path(top), "archive", "--format=tar", f"--output={folder}/released.tar", f"{tag}:{prefix}")
        buf = Path(sys.executable).with_name("buf")
        command = [str(buf), "breaking", "--against", f"{folder}/released.tar"]
        code = subprocess.run(command, cwd=protos, check=False).returncode  # noqa: S603 - our own command
    print(f"The protos break what {tag} promised." if code else f"The protos keep what {tag} promised.")
    return code


def _git(folder: Path, *words: str) -> str:
    command = ["git", "-C", str(folder), *words]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout  # noqa: S603 - our own command


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else PROTOS))
