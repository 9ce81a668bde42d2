r"""The package as it is installed: the client, and the rooms of the referee that it checks answers with.

The law: in this tree the client imports the rooms from ``referee``, so there is one of each; in the wheel they stand in
``referee_client/_rooms`` and are imported from there. So whoever installs the client installs no server, and none of
what a server needs. Nothing is changed but names in imports. The rooms are pure: they judge, hash and prove.

>>> rewritten("from referee.cards import Card\n")
'from referee_client._rooms.cards import Card\n'
>>> rewritten('_METHOD = "/referee.v1.LogService/GetKeys"\n')
'_METHOD = "/referee.v1.LogService/GetKeys"\n'
"""

import re
import shutil
from pathlib import Path

HERE = Path(__file__).parent
REFEREE = HERE.parents[1] / "referee"
ROOMS = (
    *("cards", "evidence", "money", "verdict", "hands", "games", "dealing", "rulesets", "transcript", "log"),
    "v1",
)
_IMPORT = re.compile(r"^(\s*(?:>>> )?(?:from|import) )referee(?=\.)", re.MULTILINE)
_FILES = re.compile(r'(?<=files\(")referee(?=\.)')
_INSIDE = "referee_client._rooms"
_HEAD = '"""Rooms of the referee, as they stood when this was built."""\n'


def write_package(folder: Path) -> Path:
    """The package, written below a folder; its own folder."""
    package = folder / "referee_client"
    skipped = shutil.ignore_patterns("__pycache__")
    shutil.copytree(HERE / "src" / "referee_client", package, ignore=skipped)
    for room in ROOMS:
        shutil.copytree(REFEREE / room, package / "_rooms" / room, ignore=skipped)
    (package / "_rooms" / "__init__.py").write_text(_HEAD, encoding="utf-8")
    for file in [*package.rglob("*.py"), *package.rglob("*.pyi")]:
        file.write_text(rewritten(file.read_text(encoding="utf-8")), encoding="utf-8")
    return package


def rewritten(source: str) -> str:
    """A module's text with the rooms imported from where they stand in the package."""
    return _FILES.sub(_INSIDE, _IMPORT.sub(rf"\g<1>{_INSIDE}", source))
