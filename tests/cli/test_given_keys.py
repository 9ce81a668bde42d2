"""Keys that are not the log's, keys that nobody gave, and places where no log is: each says what to do next."""

import json
from pathlib import Path

import pytest

from referee.server.keys.folder import read_public_keys
from referee.server.keys.private_key import KeySigner
from tests.command import referee
from tests.demo_log import DemoLog
from tests.node_project import build, install
from tests.verifier.verifier_project import PROJECT, run

STRANGER = KeySigner("stranger.example/root", b"r" * 32).verifier_key
NOWHERE = "postgresql://me:secret@127.0.0.1:1/none"


def id_of(key: str) -> str:
    return "+".join(key.split("+")[:2])


@pytest.fixture(scope="module")
def public(demo_log: DemoLog) -> dict[str, str]:
    """Return the public keys of the demo's log."""
    return read_public_keys(demo_log.data / "keys")


@pytest.fixture
def bundle(demo_log: DemoLog, tmp_path: Path) -> Path:
    """Export a round."""
    file = tmp_path / "round.json"
    assert referee("export", "demo.mau_binh.classic", "--data", demo_log.data, "--out", file).returncode == 0
    return file


def test_wrong_root_key_is_one_finding_with_both_keys(demo_log: DemoLog, public: dict[str, str], bundle: Path) -> None:
    keys = ["--log-key", public["log"], "--root-key", STRANGER]
    for command in (["audit", demo_log.data], ["verify", bundle]):
        done = referee(*command, *keys, "--json")
        (finding,) = json.loads(done.stdout)["findings"]
        assert (done.returncode, finding["code"]) == (1, "ROOT_KEY_MISMATCH")
        assert "is this the right key?" in finding["detail"]
        assert "--root-key" in finding["detail"]
        assert id_of(STRANGER) in finding["detail"]
        assert id_of(public["root"]) in finding["detail"]
        assert "is this the right key?" in " ".join(referee(*command, *keys).stdout.split())


def test_wrong_log_key_is_one_finding_with_both_keys(demo_log: DemoLog, public: dict[str, str], bundle: Path) -> None:
    name = public["log"].partition("+")[0]
    other = KeySigner(name, b"l" * 32).verifier_key
    for command in (["audit", demo_log.data], ["verify", bundle]):
        done = referee(*command, "--log-key", other, "--root-key", public["root"], "--json")
        (finding,) = json.loads(done.stdout)["findings"]
        assert (done.returncode, finding["code"]) == (1, "CHECKPOINT_REFUSED")
        assert "is this the right key?" in finding["detail"]
        assert "--log-key" in finding["detail"]
        assert id_of(other) in finding["detail"]
        assert id_of(public["log"]) in finding["detail"]


@pytest.mark.slow("builds a Node project")
def test_typescript_verifier_asks_whether_the_key_is_right(public: dict[str, str], bundle: Path) -> None:
    if why := install(PROJECT):
        pytest.skip(f"the TypeScript verifier is not asked: {why}")
    build(PROJECT, "build")
    other = KeySigner(public["log"].partition("+")[0], b"l" * 32).verifier_key
    for option, given, named, code in (
        ("--root-key", STRANGER, public["root"], "ROOT_KEY_MISMATCH"),
        ("--log-key", other, public["log"], "CHECKPOINT_REFUSED"),
    ):
        found = json.loads(run("node", "dist/cli.js", str(bundle), option, given, "--json").stdout)
        (finding,) = found["findings"]
        assert finding["code"] == code
        assert all(part in finding["detail"] for part in ("is this the right key?", option, id_of(given), id_of(named)))


def test_keys_of_another_log_are_never_taken_silently(
    demo_log: DemoLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A default data folder in the working folder has keys, and neither a database nor tiles are read with them."""
    (tmp_path / "tiles").mkdir()
    (tmp_path / "tiles" / "checkpoint").write_bytes(b"")
    (tmp_path / "referee-data").symlink_to(demo_log.data)
    monkeypatch.chdir(tmp_path)
    for place in (NOWHERE, "tiles", "http://127.0.0.1:1/log"):
        refused = referee("audit", place)
        assert refused.returncode == 2
        named = "a log in PostgreSQL" if place == NOWHERE else place
        assert f"{named} has no keys beside it: give --log-key and --root-key" in refused.stderr
        assert "secret" not in refused.stderr


def test_audit_says_where_its_keys_are_from(demo_log: DemoLog, public: dict[str, str], tmp_path: Path) -> None:
    published = tmp_path / "tiles"
    assert referee("publish", published, "--data", demo_log.data).returncode == 0
    done = referee("audit", published, "--data", demo_log.data)
    assert done.returncode == 0
    assert f"keys from {demo_log.data / 'keys'}, so this proves only that the log agrees with itself" in done.stdout
    given = referee("audit", published, "--log-key", public["log"], "--root-key", public["root"])
    assert "both keys as given" in given.stdout


def test_place_without_a_log_names_the_kinds_of_places(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file.json").write_text("{}", "utf-8")
    for name, fault in (
        ("nope", "nope: there is no such place"),
        ("empty", "is a folder without a log"),
        ("file.json", "is a file, and a log is no single file"),
    ):
        refused = referee("audit", tmp_path / name)
        assert refused.returncode == 2
        assert fault in refused.stderr
        assert "root.key" not in refused.stderr
        for kind in ("a data folder", "tiles in a folder", "under a URL", "postgresql://...", "host:port"):
            assert kind in refused.stderr


def test_place_and_a_database_are_not_audited_as_one(demo_log: DemoLog) -> None:
    """A place on the command line outranks the server's variable, which nobody gave to this command."""
    database = "postgresql://auditor:secret@127.0.0.1:1/games"
    done = referee("audit", demo_log.data, "--database", database)
    assert done.returncode == 2
    assert str(demo_log.data) in done.stderr
    assert "--database postgresql://auditor:***@127.0.0.1:1/games" in done.stderr
    assert "secret" not in done.stderr
    assert referee("audit", demo_log.data, REFEREE_LOG_DATABASE=database).returncode == 0
