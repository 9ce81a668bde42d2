"""The digest of the installed files, against one made here from a RECORD by the words of the vectors' README."""

import base64
import hashlib
import json
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest

import referee
from referee.dealing.leaf import EDITABLE
from referee.log import installed

FILES = {
    "referee/__init__.py": b'__version__ = "0.1.0"\n',
    "referee/games/a.py": b"A = 1\n",
    "referee/games.toml": b"[a]\n",
}
NOT_COUNTED = {
    "referee/__pycache__/a.cpython-313.pyc": b"code",
    "referee-0.1.0.dist-info/METADATA": b"Name: referee\n",
    "referee_extra/b.py": b"",
}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install the files in a folder, and let the program be there."""
    rows = []
    for name, data in {**FILES, **NOT_COUNTED}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        value = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        rows.append(f"{name},sha256={value},{len(data)}")
    folder = tmp_path / "referee-0.1.0.dist-info"
    (folder / "RECORD").write_text("\n".join([*rows, "referee/games/unhashed.py,,", f"{folder.name}/RECORD,,", ""]))
    monkeypatch.setattr(installed, "distribution", lambda _name: PathDistribution(folder))
    monkeypatch.setattr(referee, "__file__", str(tmp_path / "referee" / "__init__.py"))
    return tmp_path


def digest_of(files: dict[str, bytes | None]) -> str:
    lines = sorted(
        f"{name} {'missing' if data is None else hashlib.sha256(data).hexdigest()}\n" for name, data in files.items()
    )
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def test_digest_follows_from_record_alone_where_no_file_was_edited(site: Path) -> None:
    found = installed.installed_files()
    assert (found.digest, found.changed) == (digest_of({**FILES}), ())
    recorded = (site / "referee-0.1.0.dist-info" / "RECORD").read_text().splitlines()
    hashed = [one.split(",")[:2] for one in recorded if one.startswith("referee/") and "sha256" in one]
    lines = [
        f"{name} {base64.urlsafe_b64decode(value.removeprefix('sha256=') + '=').hex()}\n"
        for name, value in hashed
        if not name.endswith(".pyc")
    ]
    assert len(lines) == len(FILES)
    assert found.digest == hashlib.sha256("".join(sorted(lines)).encode()).hexdigest()


def test_edited_and_missing_files_change_the_digest_and_are_named(site: Path) -> None:
    (site / "referee/games/a.py").write_bytes(b"A = 2\n")
    (site / "referee/games.toml").unlink()
    found = installed.installed_files()
    assert found.changed == ("referee/games.toml", "referee/games/a.py")
    assert found.digest == digest_of({**FILES, "referee/games/a.py": b"A = 2\n", "referee/games.toml": None})


def test_files_that_are_not_counted_change_nothing(site: Path) -> None:
    before = installed.installed_files()
    for name in NOT_COUNTED:
        (site / name).write_bytes(b"other")
    assert installed.installed_files() == before


@pytest.mark.parametrize("why", ["editable", "elsewhere", "unrecorded"])
def test_checkout_has_no_digest(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str) -> None:
    folder = site / "referee-0.1.0.dist-info"
    if why == "editable":
        (folder / "direct_url.json").write_text(json.dumps({"url": "file:///src", "dir_info": {"editable": True}}))
    elif why == "elsewhere":
        monkeypatch.setattr(referee, "__file__", str(tmp_path / "checkout" / "referee" / "__init__.py"))
    else:
        (folder / "RECORD").unlink()
    assert installed.installed_files().digest == EDITABLE
