"""``referee games new`` writes a package that passes the tests of every game as it is written."""

import base64
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool

from referee.service.registry import GAME_SERVICES
from tests.command import referee
from tests.v1.game_shapes import shape_faults

ROOT = Path(__file__).parents[2]
SECONDS = 240


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("new") / "tarot_noir"
    written = referee("games", "new", "tarot_noir", "--folder", str(folder))
    assert written.returncode == 0, written.stderr
    return folder


def test_package_passes_its_tests_as_it_is_written(package: Path, tmp_path: Path) -> None:
    installed = tmp_path / "installed"
    offline = ("--no-index", "--no-build-isolation", "--no-deps", "--disable-pip-version-check", "--quiet")
    command = [sys.executable, "-m", "pip", "install", *offline, "--target", str(installed), str(package)]
    subprocess.run(command, check=True, timeout=SECONDS)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "-rA", "tests"]
    environment = os.environ | {"PYTHONPATH": str(installed)}
    done = subprocess.run(
        command, cwd=package, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, done.stdout
    passed = set(re.findall(r"^PASSED .*::(test_\w+)$", done.stdout, re.MULTILINE))
    assert {"test_rounds_settle_and_conserve_money", "test_round_is_served_settled_logged_and_audited"} <= passed


def test_what_tools_leave_in_a_clone_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The caches of a type checker and of tests, a build's folders: they hold anything, and are nobody's example."""
    example = tmp_path / "tests" / "fourth_game"
    shutil.copytree(ROOT / "tests" / "fourth_game", example, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    (tmp_path / "referee").mkdir()
    for name in (".mypy_cache", "__pycache__", "bai_cao.egg-info", "node_modules"):
        (example / "src" / name).mkdir(exist_ok=True)
        for file in ("left.py", "left.bin"):
            (example / "src" / name / file).write_bytes(b"\xf8\x00")
    monkeypatch.setattr("referee.testing.package.resources.files", lambda _: tmp_path / "referee")
    monkeypatch.setattr("referee.testing.package._generate", lambda _: None)
    written = referee("games", "new", "tarot_noir", "--folder", tmp_path / "new")
    assert written.returncode == 0, written.stderr
    assert (tmp_path / "new" / "src" / "tarot_noir" / "round.py").is_file()
    assert list((tmp_path / "new").rglob("left.*")) == []


def test_messages_of_a_new_game_have_the_shape_of_all_games(package: Path, tmp_path: Path) -> None:
    """Numbers, types and names, and what may be absent."""
    protos = package / "protos"
    compiler = ["-m", "grpc_tools.protoc", f"-I{protos}", f"-I{ROOT / 'protos'}", "--include_imports"]
    written = tmp_path / "descriptors"
    file = protos / "tarot_noir/v1/tarot_noir.proto"
    subprocess.run(
        [sys.executable, *compiler, f"--descriptor_set_out={written}", str(file)], check=True, timeout=SECONDS
    )
    pool = DescriptorPool()
    for read in FileDescriptorSet.FromString(written.read_bytes()).file:
        pool.AddSerializedFile(read.SerializeToString())
    new = pool.FindServiceByName("tarot_noir.v1.TarotNoirService")
    assert shape_faults([*(service.descriptor for service in GAME_SERVICES.values()), new]) == []


def test_package_has_a_client_in_typescript_with_the_descriptor_of_its_proto(package: Path) -> None:
    written = (package / "client" / "tarot_noir.ts").read_text("utf-8")
    assert 'export const tarotNoir = defineGame<TarotNoirEvent, TarotNoirOutcome>({\n  name: "tarot_noir",' in written
    text = "".join(re.findall(r'^  "(.*)",$', (package / "client" / "descriptors.ts").read_text("utf-8"), re.MULTILINE))
    described = FileDescriptorProto.FromString(base64.b64decode(text, validate=True))
    assert [service.name for service in described.service] == ["TarotNoirService"]


def test_name_of_the_example_is_nowhere_left(package: Path) -> None:
    files = [path for path in package.rglob("*") if path.is_file() and path.suffix != ".pyc"]  # its tests have run
    assert {path.suffix for path in files} >= {".md", ".py", ".toml", ".proto", ".ts"}
    for path in files:
        text = f"{path.relative_to(package)} {path.read_text('utf-8')}"
        assert not re.search(r"(?i:bai.?cao)|B\u00e0i C\u00e0o", text), path


@pytest.mark.parametrize("name", ["tien_len", "Whist", "two words", "2cards", "a__b", "../out"])
def test_name_that_no_new_game_can_have_is_refused(name: str, tmp_path: Path) -> None:
    done = referee("games", "new", name, "--folder", str(tmp_path / "new"))
    assert done.returncode == 2
    assert "cannot name a new game" in done.stderr
    assert not (tmp_path / "new").exists()


def test_a_folder_with_files_is_left_as_it_is(package: Path) -> None:
    before = (package / "README.md").read_text("utf-8")
    done = referee("games", "new", "tarot_noir", "--folder", str(package))
    assert done.returncode == 2
    assert "is not empty" in done.stderr
    assert (package / "README.md").read_text("utf-8") == before


def test_games_are_listed() -> None:
    listed = referee("games", "list")
    assert [line.split()[0] for line in listed.stdout.splitlines()] == ["mau_binh", "tien_len", "ultimate_texas"]
