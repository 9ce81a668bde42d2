"""Keys that are not the log's, keys that nobody gave, and places where no log is: each says what to do next."""

import json
from pathlib import Path

import pytest

from referee.server.keys.folder import read_public_keys
from referee.server.keys.private_key import KeySigner
from tests.cli.printing import printed
from tests.command import referee, refused
from tests.demo_log import DemoLog

STRANGER = KeySigner("stranger.example/root", b"r" * 32).verifier_key
NOWHERE = "postgresql://me:secret@127.0.0.1:1/none"


def id_of(key: str) -> str:
    return "+".join(key.split("+")[:2])


@pytest.fixture(scope="module")
def public(demo_log: DemoLog) -> dict[str, str]:
    """Return the public keys of the demo's log."""
    return read_public_keys(demo_log.data / "keys")


@pytest.fixture(params=["root", "log"])
def stranger(request: pytest.FixtureRequest, public: dict[str, str]) -> tuple[list[str], str, list[str]]:
    """Return keys of which one is not the log's, the code of the finding, and what its text names."""
    option = f"--{request.param}-key"
    other = STRANGER if request.param == "root" else KeySigner(public["log"].partition("+")[0], b"l" * 32).verifier_key
    wrong = {role: public[role] for role in ("log", "root")} | {request.param: other}
    keys = ["--log-key", wrong["log"], "--root-key", wrong["root"]]
    code = "ROOT_KEY_MISMATCH" if request.param == "root" else "CHECKPOINT_REFUSED"
    return keys, code, ["is this the right key?", option, id_of(other), id_of(public[request.param])]


def test_wrong_key_is_one_finding_with_both_keys(demo_log: DemoLog, stranger, bundle: Path) -> None:
    keys, code, parts = stranger
    for command in (["audit", demo_log.data], ["verify", bundle]):
        done = referee(*command, *keys, "--json")
        (finding,) = json.loads(done.stdout)["findings"]
        assert (done.returncode, finding["code"]) == (1, code)
        assert [part for part in parts if part not in finding["detail"]] == []
        assert "is this the right key?" in " ".join(referee(*command, *keys).stdout.split())


@pytest.mark.slow("builds a Node project")
def test_typescript_verifier_asks_whether_the_key_is_right(stranger, bundle: Path, typescript) -> None:
    keys, code, parts = stranger
    option = keys.index(parts[1])
    (finding,) = json.loads(typescript(str(bundle), *keys[option : option + 2], "--json").stdout)["findings"]
    assert finding["code"] == code
    assert [part for part in parts if part not in finding["detail"]] == []


def test_keys_of_another_log_are_never_taken_silently(demo_log: DemoLog, tmp_path: Path, monkeypatch) -> None:
    """A default data folder in the working folder has keys, and neither a database nor tiles are read with them."""
    (tmp_path / "tiles").mkdir()
    (tmp_path / "tiles" / "checkpoint").write_bytes(b"")
    (tmp_path / "referee-data").symlink_to(demo_log.data)
    monkeypatch.chdir(tmp_path)
    for place in (NOWHERE, "tiles", "http://127.0.0.1:1/log"):
        message, named = refused("audit", place), "a log in PostgreSQL" if place == NOWHERE else place
        assert f"{named} has no keys beside it: give --log-key and --root-key" in message
        assert "secret" not in message


def test_audit_says_where_its_keys_are_from(demo_log: DemoLog, keys: list[str], tmp_path: Path) -> None:
    published = tmp_path / "tiles"
    printed("publish", published, "--data", demo_log.data)
    beside = printed("audit", published, "--data", demo_log.data)
    assert f"keys from {demo_log.data / 'keys'}, so this proves only that the log agrees with itself" in beside
    assert f"log key  {keys[1]}" in beside
    assert "both keys as given" in printed("audit", published, *keys)


def test_place_without_a_log_names_the_kinds_of_places(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file.json").write_text("{}", "utf-8")
    for name, fault in (
        ("nope", "nope: there is no such place"),
        ("empty", "is a folder without a log"),
        ("file.json", "is a file, and a log is no single file"),
    ):
        message = refused("audit", tmp_path / name)
        assert "root.key" not in message
        for words in (fault, "a data folder", "tiles in a folder", "under a URL", "postgresql://...", "host:port"):
            assert words in message


def test_place_and_a_database_are_not_audited_as_one(demo_log: DemoLog) -> None:
    """A place on the command line outranks the server's variable, which nobody gave to this command."""
    database = "postgresql://auditor:secret@127.0.0.1:1/games"
    message = refused("audit", demo_log.data, "--database", database)
    assert str(demo_log.data) in message
    assert "--database postgresql://auditor:***@127.0.0.1:1/games" in message
    assert "secret" not in message
    assert referee("audit", demo_log.data, REFEREE_LOG_DATABASE=database).returncode == 0


@pytest.mark.parametrize("table", ["demo.mau_binh.classic", "demo.tien_len.mien_nam", "demo.ultimate_texas.casino"])
def test_exported_round_is_proved(demo_log: DemoLog, keys: list[str], tmp_path: Path, table: str):
    file = tmp_path / "round.json"
    printed("export", table, "--data", demo_log.data, "--out", file)
    assert "everything in this round holds" in printed("verify", file, *keys)


def test_changed_round_is_not(keys: list[str], bundle: Path):
    given = json.loads(bundle.read_text(encoding="utf-8"))
    given["leaves"][-1]["leaf"], given["leaves"][-2]["leaf"] = given["leaves"][-2]["leaf"], given["leaves"][-1]["leaf"]
    bundle.write_text(json.dumps(given), encoding="utf-8")
    done = referee("verify", bundle, *keys)
    assert (done.returncode, "ROOT_MISMATCH" in done.stdout) == (1, True)


def test_file_that_is_no_bundle_is_said_to_be_none(keys: list[str], tmp_path: Path):
    (tmp_path / "file").write_text("{}", encoding="utf-8")
    assert "no bundle of a round" in refused("verify", tmp_path / "file", *keys)
