"""``referee verify``: a bundle that ``referee export`` wrote is proved by itself."""

import json
from pathlib import Path

import pytest

from referee.server.keys.folder import read_public_keys
from tests.command import referee
from tests.demo_log import DemoLog


@pytest.fixture(scope="module")
def played(demo_log: DemoLog) -> Path:
    """Return a folder with the demo's log."""
    return demo_log.data


@pytest.fixture
def keys(played: Path) -> list[str]:
    """Return the keys to verify by, as options."""
    public = read_public_keys(played / "keys")
    return ["--log-key", public["log"], "--root-key", public["root"]]


@pytest.mark.parametrize("table", ["demo.mau_binh.classic", "demo.tien_len.mien_nam", "demo.ultimate_texas.casino"])
def test_exported_round_is_proved(played: Path, keys: list[str], tmp_path: Path, table: str):
    bundle = tmp_path / "round.json"
    assert referee("export", table, "--data", str(played), "--out", str(bundle)).returncode == 0
    done = referee("verify", str(bundle), *keys)
    assert "everything in this round holds" in done.stdout
    assert done.returncode == 0


def test_changed_round_is_not(played: Path, keys: list[str], tmp_path: Path):
    bundle = tmp_path / "round.json"
    referee("export", "demo.mau_binh.classic", "--data", str(played), "--out", str(bundle))
    given = json.loads(bundle.read_text(encoding="utf-8"))
    given["leaves"][-1]["leaf"], given["leaves"][-2]["leaf"] = given["leaves"][-2]["leaf"], given["leaves"][-1]["leaf"]
    bundle.write_text(json.dumps(given), encoding="utf-8")
    done = referee("verify", str(bundle), *keys)
    assert "ROOT_MISMATCH" in done.stdout
    assert done.returncode == 1


def test_file_that_is_no_bundle_is_said_to_be_none(keys: list[str], tmp_path: Path):
    (tmp_path / "file").write_text("{}", encoding="utf-8")
    done = referee("verify", str(tmp_path / "file"), *keys)
    assert "no bundle of a round" in done.stderr
    assert done.returncode == 2
