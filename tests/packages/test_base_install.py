"""The base and the extra ``cli``, each installed alone: what they bring, what they can do, what they ask for."""

import json
import re
from pathlib import Path

import pytest

from tests.packages.wheelhouse import ROOT, Environment, wheels_for

BASE_ROOMS = (
    *("audit", "cards", "dealing", "evidence", "games", "hands", "log", "money", "reach"),
    *("rulesets", "suspicion", "tiles", "transcript", "verdict"),
)
BASE_INSTALL = {"referee", "pynacl", "cffi", "pycparser", "msgspec", "orjson"}
FIXTURES = ROOT / "tests" / "vectors" / "audit"

IMPORTED = """
import importlib, pkgutil, sys
PAGES = {f"referee.audit.{name}" for name in ("page.page", "page.rendering", "dispute.page")}  # need Jinja2
for room in sys.argv[1:]:
    package = importlib.import_module(f"referee.{room}")
    print(package.__name__)
    for module in pkgutil.walk_packages(getattr(package, "__path__", ()), f"{package.__name__}."):
        if module.name not in PAGES:
            importlib.import_module(module.name)
            print(module.name)
"""
AUDITED = """
import json, pathlib, sys
from referee.audit import AuditTerms, AuditTime, MemoryLog, TrustedKeys, audit_log
from referee.rulesets import load_builtin

given = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()[0])
report = audit_log(
    MemoryLog(checkpoint=given["checkpoint"].encode(), entries=tuple(leaf.encode() for leaf in given["leaves"])),
    AuditTerms(origin=given["origin"], catalogue=load_builtin()),
    TrustedKeys(log=given["log_key"], root=given["root_key"]),
    AuditTime(now=given["now"]),
)
checked = report.checked
print(json.dumps([report.is_clean, len(report.findings), checked.replayed, checked.redealt]))
"""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheels of the base, and of the libraries that it and the extra cli need."""
    return wheels_for(tmp_path_factory, "referee[cli]")


@pytest.fixture(scope="module")
def base(wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Return an environment in which ``pip install referee`` was run."""
    return Environment(tmp_path_factory.mktemp("base"), wheels, "referee")


@pytest.fixture(scope="module")
def with_cli(wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Return an environment in which ``pip install 'referee[cli]'`` was run."""
    return Environment(tmp_path_factory.mktemp("cli"), wheels, "referee[cli]")


def test_base_brings_the_verifying_libraries_and_nothing_else(base: Environment):
    assert base.installed() == BASE_INSTALL


def test_every_base_room_imports_with_the_base_alone(base: Environment):
    done = base.run("-c", IMPORTED, *BASE_ROOMS)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.split()) > 100


def test_base_alone_replays_and_verifies_a_log(base: Environment):
    done = base.run("-c", AUDITED, str(FIXTURES / "healthy.jsonl"))
    assert done.returncode == 0, done.stderr
    is_clean, findings, replayed, redealt = json.loads(done.stdout)
    assert (is_clean, findings) == (True, 0)
    assert replayed > 0
    assert redealt > 0


def test_base_alone_finds_what_is_wrong_with_a_log(base: Environment, tmp_path: Path):
    fixture = tmp_path / "changed.jsonl"
    given = json.loads((FIXTURES / "healthy.jsonl").read_text(encoding="utf-8").splitlines()[0])
    given["leaves"][2], given["leaves"][3] = given["leaves"][3], given["leaves"][2]
    fixture.write_text(json.dumps(given), encoding="utf-8")
    done = base.run("-c", AUDITED, str(fixture))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0] is False


@pytest.mark.parametrize("arguments", [[], ["--help"], ["verify", "bundle.json"]])
def test_command_without_the_extra_cli_says_which_to_install(base: Environment, arguments: list[str]):
    done = base.run("-m", "referee", *arguments)
    command = " ".join(["referee", *(word for word in arguments[:1] if word.isalpha())])
    assert done.stderr == f"{command} needs the extra [cli]; in the folder of the clone: pip install '.[cli]'\n"
    assert (done.returncode, done.stdout) == (2, "")


def test_extra_cli_brings_no_library_that_serves(with_cli: Environment):
    installed = with_cli.installed()
    assert {"typer", "rich", "jinja2", "numpy", "fsspec"} <= installed
    assert not {"grpcio", "protobuf", "sqlalchemy", "structlog", "prometheus-client"} & installed


@pytest.mark.parametrize(
    "command",
    [["serve"], ["serve", "--help"], ["keys", "rotate", "log"], ["replay", "felt", "1"], ["publish", "out"]],
    ids=" ".join,
)
def test_command_without_the_extra_server_says_which_to_install(with_cli: Environment, command: list[str]):
    done = with_cli.run("-m", "referee", *command)
    installing = "in the folder of the clone: pip install '.[server]'"
    assert done.stderr == f"referee {command[0]} needs the extra [server]; {installing}\n"
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize(
    "command",
    [["rulesets", "list"], ["odds", "tien_len.mien_nam"], ["verify", "--help"], ["audit", "--help"], ["--help"]],
    ids=" ".join,
)
def test_extra_cli_alone_carries_out_its_commands(with_cli: Environment, command: list[str]):
    done = with_cli.run("-m", "referee", *command)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_extra_cli_alone_audits_published_tiles(with_cli: Environment, tmp_path: Path):
    """Tiles that are not there are looked for with the cli's own libraries: the answer names them, not an extra."""
    keys = ["--log-key", "log.example/1+b3280dcf+ASkB4KOw5+xopCdgaHgIPP2zGO5iQWFmvzy1Rl7t92VI"]
    keys += ["--root-key", "log.example/1/root+0f4df9c8+AeonsBu3iK1LWcMzQQbamN8MWXH5MhWXPiMNTM7T9bZ1"]
    done = with_cli.run("-m", "referee", "audit", str(tmp_path), *keys)
    assert done.returncode == 2
    assert re.search(r"checkpoint", done.stderr)
