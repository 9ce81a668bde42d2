"""A game of its own package is served, dealt, settled, logged, audited, exported, verified and replayed."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.fourth_game.fourth_house import HERE, ROOT, ROUNDS_OF_A_TABLE, SEATS, SECONDS, STAKE, House, run
from tests.fourth_game.fourth_reference import net_of, strength_of

RULESET = HERE / "src" / "bai_cao" / "bai_cao.classic.toml"
GENERATED = HERE / "src" / "bai_cao" / "v1"
DEMO_ROUNDS = 2
VENV = Path(sys.executable).parents[1]


def test_nothing_of_the_referee_names_the_game() -> None:
    """What serves the game below is the tree as it is; only the page for people names its example."""
    files = [path for room in ("referee", "protos") for path in (ROOT / room).rglob("*") if path.is_file()]
    texts = {path: path.read_bytes() for path in files if path.suffix in {".py", ".pyi", ".toml", ".proto", ".json"}}
    assert len(texts) > 100
    naming = [path for path, text in texts.items() if re.search(rb"(?i)bai[-_ ]?cao|b\xc3\xa0i c\xc3\xa0o", text)]
    assert naming == []


def test_settled_rounds_are_those_of_the_second_writing(fourth_house: House) -> None:
    rounds = fourth_house.played["rounds"]
    assert len(rounds) == len(SEATS) * ROUNDS_OF_A_TABLE
    for one in rounds:
        assert one["nets"] == net_of(one["hands"], STAKE)
        values = [strength_of(hand) for hand in one["hands"]]
        assert one["codes"] == ["THREE_FACES" if value == 10 else f"POINTS_{value}" for value in values]
        assert one["http"] == one["codes"]


def test_demo_plays_the_game(fourth_house: House) -> None:
    assert fourth_house.demo.count("SETTLE is leaf") == DEMO_ROUNDS
    assert all(name in fourth_house.demo for name in ("An", "Bình", "Chi", "Dũng"))


def test_log_is_audited_with_the_questions_of_the_game(fourth_house: House, environment: dict[str, str]) -> None:
    page = fourth_house.data / "page.html"
    options = ["--html", str(page), "--round", "table-3:2", "--json"]
    (audited,) = run(["audit", "--data", str(fourth_house.data), *fourth_house.keys, *options], environment=environment)
    report = json.loads(audited.output)
    assert (audited.code, report.get("findings", [])) == (0, [])
    assert (
        report["checked"]["replayed"]
        == report["checked"]["redealt"]
        == 1 + len(fourth_house.played["rounds"]) + DEMO_ROUNDS
    )
    assert {score["subject"].get("game") for score in report["statistics"]["scores"]} >= {"bai_cao"}
    assert "Bài Cào" in page.read_text("utf-8")


def test_round_is_exported_verified_and_replayed(
    fourth_house: House, environment: dict[str, str], tmp_path: Path
) -> None:
    bundle = str(tmp_path / "round.json")
    exported, verified, replayed = run(
        ["export", "table-6", "--data", str(fourth_house.data), "--out", bundle],
        ["verify", bundle, *fourth_house.keys],
        ["replay", "table-6", "1", "--data", str(fourth_house.data)],
        environment=environment,
    )
    assert (exported.code, verified.code, replayed.code) == (0, 0, 0)
    assert "everything in this round holds" in verified.output
    assert replayed.output.count("✓") == 2


def test_audit_without_the_package_names_the_unknown_ruleset(fourth_house: House) -> None:
    """The rules are not there to judge by, which is no fault of the log."""
    (audited,) = run(["audit", "--data", str(fourth_house.data), *fourth_house.keys], environment=dict(os.environ))
    assert audited.code == 0
    assert "RULESET_UNKNOWN" in audited.output
    assert "bai_cao.classic" in audited.output


def test_rulesets_are_listed_checked_and_described(environment: dict[str, str], tmp_path: Path) -> None:
    text = RULESET.read_text("utf-8")
    own = text.replace("bai_cao.classic", "bai_cao.house").replace("maximum = 6", "maximum = 7")
    (tmp_path / "fourth_house.toml").write_text(own, encoding="utf-8")
    listed, shown, described, checked = run(
        ["rulesets", "list"],
        ["rulesets", "show", "bai_cao.classic"],
        ["rulesets", "schema", "bai_cao"],
        ["rulesets", "check", str(tmp_path)],
        environment=environment,
    )
    assert "bai_cao.classic" in listed.output
    assert shown.output == text
    properties = json.loads(described.output)["$defs"]["bai_cao_ruleset"]["properties"]
    assert {"schema", "seats", "clocks", "round"} <= set(properties)
    assert checked.code == 2
    assert re.search(r"line \d+: Expected `int` <= 6, found 7", checked.errors)


def test_committed_code_is_what_the_proto_generates(tmp_path: Path) -> None:
    """A proto edited without ``make protos`` fails here."""
    plugin = f"--plugin=protoc-gen-mypy_grpc={VENV / 'bin' / 'protoc-gen-mypy_grpc'}"
    outputs = [f"--{kind}_out={tmp_path}" for kind in ("python", "pyi", "grpc_python", "mypy_grpc")]
    paths = [f"-I{ROOT / 'protos'}", f"-I{HERE / 'protos'}"]
    command = [sys.executable, "-m", "grpc_tools.protoc", *paths, plugin, *outputs, "bai_cao/v1/bai_cao.proto"]
    subprocess.run(command, check=True, capture_output=True, timeout=SECONDS)
    generated = {path.name: path.read_bytes() for path in (tmp_path / "bai_cao" / "v1").iterdir()}
    committed = {path.name: path.read_bytes() for path in GENERATED.iterdir() if path.is_file()}
    del committed["__init__.py"]
    assert generated == committed


def test_committed_descriptor_is_that_of_the_proto(tmp_path: Path) -> None:
    """A proto edited without ``referee games protos`` fails here."""
    for name in ("protos", "client"):
        shutil.copytree(HERE / name, tmp_path / name)
    (tmp_path / "src").mkdir()
    written = tmp_path / "client" / "descriptors.ts"
    written.unlink()
    command = [sys.executable, "-m", "referee", "games", "protos", "--folder", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True, timeout=SECONDS)
    assert written.read_bytes() == (HERE / "client" / "descriptors.ts").read_bytes()


def test_page_names_files_that_exist() -> None:
    text = (ROOT / "referee" / "games" / "README.md").read_text("utf-8")
    named = re.findall(r"`([a-z][\w./-]*(?:/|\.toml|\.proto|\.py))`", text)
    assert len(named) > 15
    assert [name for name in named if not (ROOT / name).exists() and not (HERE / name).exists()] == []
    assert len(text.split()) <= 700
