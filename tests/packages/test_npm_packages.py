"""The npm packages, packed as they are published and installed into an empty project."""

import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

import referee
from referee.server.app import Application
from referee.server.key_folder import read_public_keys
from referee.server.options import ServerOptions
from tests import node_project
from tests.command import referee as run_referee
from tests.demo_log import DemoLog
from tests.once import alone_in, made_once

CLIENTS: Final = Path(__file__).parents[2] / "clients"
FOLDERS: Final[Mapping[str, Path]] = {
    "referee-verifier": CLIENTS / "verifier",
    "referee-client": CLIENTS / "typescript",
}
LICENCE: Final = (Path(__file__).parents[2] / "LICENSE").read_bytes()
SLOW: Final = "packs Node projects and installs them"
ROUND: Final = """\
import { type LogReceipt, type Referee, refereeOver, refusalOf } from "referee-client";
import { connectNode } from "referee-client/node";
import { SeatChain } from "referee-client/seat";
import { verifyReceipt } from "referee-client/verify";
import { connectWeb } from "referee-client/web";
import { parseBundle, verifyRound } from "referee-verifier";

export const imported = [SeatChain, connectWeb, parseBundle, refereeOver, refusalOf, verifyRound];

async function settled(referee: Referee): Promise<LogReceipt> {
  const terms = { tableId: "packed", rulesetId: "mau_binh.classic", seatCount: 2, currency: "CHIP", stakeMinor: 10n };
  const opened = await referee.shuffler.openRound({ round: { case: "terms", value: terms } });
  const clientSeeds = [0, 1].map(() => crypto.getRandomValues(new Uint8Array(32)));
  const dealt = await referee.shuffler.dealRound({ tableId: "packed", roundNumber: 1n, clientSeeds });
  const round = { header: opened.header!, certificates: [dealt.certificate] };
  const { violations } = await referee.mauBinh.previewRound({ round });
  const arranged = dealt.hands.map(({ seat, cards }) => ({
    time: dealt.dealtTime,
    seat,
    choice: {
      case: "arrange" as const,
      value: { back: cards.slice(0, 5), middle: cards.slice(5, 10), front: cards.slice(10) },
    },
  }));
  const events = violations.length === 0 ? [] : arranged;
  return (await referee.mauBinh.settleRound({ round: { ...round, events } })).logReceipt!;
}

const referee = connectNode({ baseUrl: `http://${process.argv[2]}` });
const { origin, logKey } = await referee.log.getKeys({});
const { passed } = verifyReceipt(await settled(referee), { origin, logKey });
console.log(passed ? "settled and verified" : "not verified");
referee.close();
"""
TYPES: Final = {"module": "NodeNext", "target": "ES2022", "lib": ["ES2023", "DOM"], "strict": True, "outDir": "."}


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
    exported = {place.removeprefix("./") for entry in package["exports"].values() for place in entry.values()}
    assert exported
    assert exported <= set(members)
    assert "README.md" in members


def _json_of(archive: tarfile.TarFile, member: tarfile.TarInfo) -> dict[str, Any]:
    file = archive.extractfile(member)
    assert file is not None
    return dict(json.load(file))


@pytest.mark.slow(SLOW)
def test_packed_client_is_typed_and_settles_and_verifies_a_round(project: Path, tmp_path: Path) -> None:
    """The script is checked by the compiler in an empty project, with strict types, and run there."""
    (project / "round.ts").write_text(ROUND, encoding="utf-8")
    types = {"compilerOptions": {**TYPES, "types": ["node"], "typeRoots": [str(_modules() / "@types")]}}
    (project / "tsconfig.json").write_text(json.dumps({**types, "files": ["round.ts"]}), encoding="utf-8")
    checked = node_project.run(project, "node", str(_modules() / "typescript" / "bin" / "tsc"))
    assert checked.returncode == 0, checked.stdout
    with Application(ServerOptions(data=tmp_path, listen="127.0.0.1:0")) as application:
        played = node_project.run(project, "node", "round.js", f"127.0.0.1:{application.port}")
    assert (played.returncode, played.stdout) == (0, "settled and verified\n"), played.stderr


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
