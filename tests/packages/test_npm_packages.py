"""The npm packages, packed as they are published and installed into an empty project."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

import referee
from referee.server.keys.folder import read_public_keys
from tests import node_project
from tests.command import referee as run_referee
from tests.demo_log import DemoLog
from tests.journeys.test_empty_clone import SECONDS, clone, environment
from tests.once import alone_in, made_once
from tests.web.harness_process import harness

CLIENTS: Final = Path(__file__).parents[2] / "clients"
FOLDERS: Final[Mapping[str, Path]] = {
    "referee-verifier": CLIENTS / "verifier",
    "referee-client": CLIENTS / "typescript",
}
LICENCE: Final = (Path(__file__).parents[2] / "LICENSE").read_bytes()
SLOW: Final = "packs Node projects and installs them"


def snippets_of(readme: Path) -> list[str]:
    """Return the TypeScript that a page prints."""
    return re.findall(r"```ts\n(.*?)```", readme.read_text("utf-8"), flags=re.DOTALL)


SNIPPETS: Final = {name: snippets_of(CLIENTS / name / "README.md") for name in ("typescript", "verifier", "web")}
AFTERNOON: Final = snippets_of(CLIENTS / "README.md")
KEEP: Final = """\
import { writeFileSync } from "node:fs";
import { connectNode } from "referee-client/node";
import { bundleOf } from "referee-client/verify";

const keys = { origin: "log.example/1", logKey: "log.example/1+...", rootKey: "..." };
const referee = connectNode({ baseUrl: "http://127.0.0.1:50051" });
const round = { tableId: "table-2", roundNumber: 1n };
writeFileSync("round.json", JSON.stringify(await bundleOf(referee, keys, round)));
referee.close();
"""
"""Writes the bundle that the verifier's snippet reads."""
TYPES: Final = {
    "module": "NodeNext",
    "target": "ES2022",
    "lib": ["ES2023", "DOM"],
    "strict": True,
    "noUncheckedIndexedAccess": True,
}


@pytest.fixture(scope="module")
def tarballs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pack both packages with what their ``prepack`` builds; skip if their pinned packages cannot be had."""
    for folder in FOLDERS.values():
        if why := node_project.install(folder):
            pytest.skip(f"the npm packages are not packed: {why}")
    return made_once(tmp_path_factory, "npm", _pack)


def _pack(out: Path) -> None:
    out.mkdir()
    buf = {"BUF": str(Path(sys.executable).parent / "buf")}
    for folder in FOLDERS.values():
        with alone_in(folder):
            packed = node_project.run(folder, "npm", "pack", "--pack-destination", str(out), environment=buf)
            assert packed.returncode == 0, packed.stdout + packed.stderr


@pytest.fixture(scope="module")
def project(tarballs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an empty project that installed both tarballs."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "package.json").write_text('{"type": "module", "private": true}', encoding="utf-8")
    files = [str(next(tarballs.glob(f"{name}-*.tgz"))) for name in FOLDERS]
    done = node_project.run(folder, "npm", "install", "--prefer-offline", "--no-audit", "--ignore-scripts", *files)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow(SLOW)
@pytest.mark.parametrize("name", FOLDERS)
def test_packed_package_is_whole_and_names_nothing_of_this_tree(tarballs: Path, name: str) -> None:
    with tarfile.open(tarballs / f"{name}-{referee.__version__}.tgz") as archive:
        members = {one.name.removeprefix("package/"): one for one in archive.getmembers()}
        package = _json_of(archive, members["package.json"])
        licence = archive.extractfile(members["LICENSE"])
        assert licence is not None
        assert licence.read() == LICENCE
    assert (package["name"], package["version"], package["type"]) == (name, referee.__version__, "module")
    assert "private" not in package
    wanted = [*package["dependencies"].values(), *package["devDependencies"].values()]
    assert [one for one in wanted if ":" in one] == []
    exported = {
        place.removeprefix("./")
        for entry in package["exports"].values()
        for place in ([entry] if isinstance(entry, str) else entry.values())
    }
    assert exported
    assert exported <= set(members)
    assert "README.md" in members


def _json_of(archive: tarfile.TarFile, member: tarfile.TarInfo) -> dict[str, Any]:
    file = archive.extractfile(member)
    assert file is not None
    return dict(json.load(file))


@pytest.fixture(scope="module")
def compiled(project: Path) -> Path:
    """Compile every snippet of the READMEs in the empty project, with strict types."""
    for name, snippets in SNIPPETS.items():
        for number, snippet in enumerate(snippets):
            (project / f"{name}-{number}.ts").write_text(snippet, encoding="utf-8")
    (project / "keep.ts").write_text(KEEP, encoding="utf-8")
    frontend, its_test = AFTERNOON
    (project / "frontend.ts").write_text(frontend, encoding="utf-8")
    (project / "frontend.test.ts").write_text(its_test, encoding="utf-8")
    types = {"compilerOptions": {**TYPES, "types": ["node"], "typeRoots": [str(_modules() / "@types")]}}
    (project / "tsconfig.json").write_text(json.dumps({**types, "include": ["*.ts"]}), encoding="utf-8")
    checked = node_project.run(project, "node", str(_modules() / "typescript" / "bin" / "tsc"))
    assert checked.returncode == 0, checked.stdout
    return project


def test_readmes_have_snippets_to_compile() -> None:
    assert {name: len(snippets) for name, snippets in SNIPPETS.items()} == {"verifier": 1, "typescript": 9, "web": 0}


def _run_snippet(folder: Path, name: str, line: dict[str, Any]) -> str:
    place = folder / f"{name}.js"
    script = place.read_text("utf-8")
    keys = {"log.example/1+...": line["keys"]["log"], '"..."': json.dumps(line["keys"]["root"])}
    for printed, real in (
        ("127.0.0.1:50051", line["grpc"]),
        ("http://127.0.0.1:8080", line["web"]),
        *keys.items(),
        ("log.example/1", line["origin"]),
    ):
        script = script.replace(printed, real)
    place.write_text(script, "utf-8")
    done = node_project.run(folder, "node", place.name)
    assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.mark.slow(SLOW)
def test_every_snippet_of_the_readmes_runs_from_the_packages(compiled: Path) -> None:
    """They run in their order: a later one reads a round that an earlier one played."""
    with harness("--web") as line:
        for number in range(len(SNIPPETS["typescript"])):
            assert _run_snippet(compiled, f"typescript-{number}", line).strip()
        _run_snippet(compiled, "keep", line)
        verified = _run_snippet(compiled, "verifier-0", line)
    assert re.match(r"true L0 \[\]\ntrue \d+\n", verified), verified  # scripted decks are of level L0


@pytest.mark.slow(SLOW)
def test_frontend_of_an_afternoon_passes_its_test(compiled: Path) -> None:
    with harness("--still") as line:
        done = node_project.run(
            compiled, "node", "--test", "frontend.test.js", environment={"HARNESS": json.dumps(line)}
        )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "# pass 2" in done.stdout


@pytest.mark.slow("installs the Node packages from a clone as a stranger does")
@pytest.mark.timeout(900)
def test_install_lines_of_the_pages_run_in_an_empty_clone(tmp_path: Path) -> None:
    """Both pages' blocks, in their order, with an empty home, and an environment of Python that has nothing."""
    folder, variables = clone(tmp_path / "clone"), environment(tmp_path / "home")
    venv.create(tmp_path / "python", with_pip=True)
    node = str(Path(shutil.which("node") or "").parent)
    variables["PATH"] = os.pathsep.join([str(tmp_path / "python" / "bin"), node, variables["PATH"]])
    for page, last in (("verifier", "--version"), ("typescript", "")):
        text = (CLIENTS / page / "README.md").read_text("utf-8")
        block = re.search(r"```console\n((?:\$ .*\n)+)```", text)
        assert block is not None
        lines = [line.removeprefix("$ ").partition(" round.json")[0] for line in block[1].splitlines()]
        script = "\n".join(["set -e", *lines[:-1], f"{lines[-1]} {last}"])
        done = subprocess.run(
            ["/bin/sh", "-c", script],
            cwd=folder,
            env=variables,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    names = "import('referee-client/node').then((sdk) => console.log(typeof sdk.connect))"
    done = node_project.run(folder / "my-table", "node", "--input-type=module", "--eval", names)
    assert done.stdout == "function\n", done.stderr


def test_pages_name_no_package_that_no_index_has() -> None:
    """As long as nothing is published, a page installs from the folders of a clone."""
    pages = [CLIENTS / "README.md", *CLIENTS.glob("*/README.md")]
    lines = [line for page in pages for line in page.read_text("utf-8").splitlines()]
    assert [line for line in lines if re.search(r"npm (install|i|add) referee", line)] == []
    assert [line for line in lines if re.search(r"pip install referee", line)] == []


def _modules() -> Path:
    return FOLDERS["referee-client"] / "node_modules"


@pytest.mark.slow(SLOW)
def test_packed_verifier_has_a_command_that_verifies_a_bundle(project: Path, demo_log: DemoLog, tmp_path: Path) -> None:
    bundle = tmp_path / "round.json"
    run_referee("export", "demo.tien_len.mien_nam", "--data", demo_log.data, "--out", bundle)
    public = read_public_keys(demo_log.data / "keys")
    command = [str(project / "node_modules" / ".bin" / "referee-verifier"), str(bundle)]
    command += ["--log-key", public["log"], "--root-key", public["root"]]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env={**os.environ})
    assert done.returncode == 0, done.stdout + done.stderr
