"""The SDK for TypeScript plays a game of a package, of which a client is given an object alone."""

import json
import shutil
from pathlib import Path
from typing import Any, Final

import pytest

from tests import node_project
from tests.fourth_game.fourth_house import HERE, STAKE, keys_of, run, serving
from tests.fourth_game.fourth_reference import net_of
from tests.web.web_client import CLIENT, built

RULESET: Final = "bai_cao.classic"
OPTIONS: Final = {
    "target": "ES2022",
    "module": "NodeNext",
    "moduleResolution": "NodeNext",
    "strict": True,
    "noUncheckedIndexedAccess": True,
    "exactOptionalPropertyTypes": True,
    "verbatimModuleSyntax": True,
    "isolatedModules": True,
    "types": ["node"],
    "outDir": "out",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the package's client and the program that plays with it, beside the SDK; return the folder."""
    if why := built():
        pytest.skip(f"the SDK for TypeScript plays no game of a package: {why}")
    folder = tmp_path_factory.mktemp("project")
    shutil.copytree(HERE / "client", folder / "client")
    shutil.copy(HERE / "play.ts", folder)
    (folder / "package.json").write_text('{"type": "module"}', "utf-8")
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": OPTIONS}), "utf-8")
    modules = folder / "node_modules"
    modules.mkdir()
    (modules / "referee-client").symlink_to(CLIENT)
    (modules / "@types").symlink_to(CLIENT / "node_modules" / "@types")
    compiled = node_project.run(folder, str(CLIENT / "node_modules" / ".bin" / "tsc"))
    assert compiled.returncode == 0, compiled.stdout
    return folder


@pytest.fixture(scope="module")
def played(project: Path, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Any:  # noqa: ANN401 - as printed
    """Play on a server; return what the program printed, and the audit of the log."""
    data = tmp_path_factory.mktemp("typescript") / "data"
    with serving(data, environment) as ready:
        place = json.dumps({"grpc": ready["address"], "web": ready["web"], "ruleset": RULESET})
        done = node_project.run(project, "node", "out/play.js", place)
        assert done.returncode == 0, done.stderr
    (audited,) = run(["audit", "--data", str(data), *keys_of(data), "--json"], environment=environment)
    return json.loads(done.stdout), json.loads(audited.output)


@pytest.mark.slow("builds a Node project")
@pytest.mark.parametrize("way", ["grpc", "json"])
def test_round_of_a_package_is_played_resumed_and_verified(played: Any, way: str) -> None:  # noqa: ANN401 - as printed
    found = played[0][way]
    assert found["early"] == ["ROUND_NOT_OVER"] * 3
    assert found["late"] == ["ALREADY_SHOWN"]
    assert found["kinds"] == ["SHOW", "LEAVE", "SHOW"]
    assert (found["isOver"], found["receipted"], found["stage"]) == (True, 3, "REVEALED")
    assert found["nets"] == net_of(found["hands"], STAKE)
    assert "this client was not given the game 'whist'; it has bai_cao, mau_binh" in found["refused"]


@pytest.mark.slow("builds a Node project")
def test_audit_finds_nothing_in_rounds_that_the_sdk_for_typescript_played(played: Any) -> None:  # noqa: ANN401 - as printed
    report = played[1]
    assert report["findings"] == []
    assert report["rounds"]["settled"] == report["checked"]["replayed"] == 2
