"""Each extra and each distribution, installed alone from what is released, does what it is for."""

import functools
import json
import os
import re
import shlex
import subprocess
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from referee.server.keys.folder import read_public_keys
from tests.clients_python.test_client_manual import ADDRESS, AFTERNOON, PYTHON, blocks
from tests.command import referee
from tests.demo_log import DemoLog
from tests.packages.wheelhouse import DISTRIBUTIONS, ROOT, Environment, wheels_for
from tests.server.http_server import http_server

SECONDS: Final = 60
TABLE: Final = "demo.tien_len.mien_nam"
README: Final = (ROOT / "README.md").read_text(encoding="utf-8")
ENVIRONMENTS: Final = (ROOT / "referee" / "env" / "README.md").read_text(encoding="utf-8")

ROUND_PROVED: Final = """
import sys
from pathlib import Path
from referee.audit import AuditTerms, TrustedKeys
from referee.audit.bundle import prove_round
from referee.rulesets import load_builtin

bundle, log_key, root_key = Path(sys.argv[1]).read_bytes(), *sys.argv[2:]
terms = AuditTerms(origin=log_key.partition("+")[0], catalogue=load_builtin())
proved = prove_round(bundle, terms, TrustedKeys(log=log_key, root=root_key))
sys.exit(0 if proved.is_proved else str(proved.findings))
"""
ON_A_CLUSTER: Final = """
import subprocess, sys
from distributed import LocalCluster

with LocalCluster(n_workers=1, processes=False, protocol="tcp://", dashboard_address=None) as cluster:
    sys.exit(subprocess.run([*sys.argv[1:], "--scheduler", cluster.scheduler_address]).returncode)
"""

EDIT: Final = """
import pathlib, referee.money
path = pathlib.Path(referee.money.__file__)
path.write_text(path.read_text(encoding="utf-8") + "# edited\\n", encoding="utf-8")
"""

Quickstart = Callable[[Environment, Path, DemoLog], None]


@contextmanager
def running(environment: Environment, command: str, *arguments: str) -> Iterator[dict[str, Any]]:
    """Run a server of the environment for the block; give the line that it prints when it is ready."""
    started = [str(environment.scripts / command), *arguments]
    with subprocess.Popen(started, stdout=subprocess.PIPE, text=True, cwd=environment.scripts.parent) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())
        finally:
            process.terminate()
            process.wait(SECONDS)


def serving(environment: Environment, folder: Path, *options: str) -> AbstractContextManager[dict[str, Any]]:
    """Run a referee on a free port for the block."""
    return running(environment, "referee", "serve", "--listen", "127.0.0.1:0", "--data", str(folder / "data"), *options)


def fetched(url: str, data: bytes | None = None) -> bytes:
    """Return what a server of this machine answers: to a call in JSON if there is data."""
    headers = {"content-type": "application/json"}
    method = "POST" if data else "GET"
    return httpx.request(method, url, content=data, headers=headers, timeout=SECONDS).raise_for_status().content


def ok(done: "subprocess.CompletedProcess[str]", *words: str) -> None:
    """Assert that a command ended well and printed these words."""
    assert done.returncode == 0, done.stdout + done.stderr
    assert [word for word in words if word not in done.stdout] == []


def keys_of(log: DemoLog) -> list[str]:
    """Return the log's and the root's key as options."""
    public = read_public_keys(log.data / "keys")
    return ["--log-key", public["log"], "--root-key", public["root"]]


def exported(log: DemoLog, folder: Path) -> Path:
    """Write the bundle of a round of the log."""
    bundle = folder / "round.json"
    assert referee("export", TABLE, "--data", log.data, "--out", bundle).returncode == 0
    return bundle


def published(log: DemoLog, folder: Path) -> Path:
    """Publish the log as tiles."""
    assert referee("publish", folder / "tiles", "--data", log.data).returncode == 0
    return folder / "tiles"


def base(environment: Environment, folder: Path, log: DemoLog) -> None:
    keys = keys_of(log)[1::2]
    ok(environment.run("-c", ROUND_PROVED, str(exported(log, folder)), *keys))


def cli(environment: Environment, folder: Path, log: DemoLog) -> None:
    ok(environment.command("referee", "verify", str(exported(log, folder)), *keys_of(log)), "everything")
    ok(environment.command("referee", "audit", str(published(log, folder)), *keys_of(log)))


def server(environment: Environment, folder: Path, _log: DemoLog) -> None:
    """Serve and audit; the demo names the extra that it needs, and both folders that bring it."""
    with serving(environment, folder) as ready:
        assert ready["event"] == "ready"
    ok(environment.command("referee", "audit", str(folder / "data")))
    refused = environment.command("referee", "demo")
    installing = "in the folder of the clone: pip install '.[demo]' ./clients/python"
    assert refused.stderr == f"referee demo needs the extra [demo]; {installing}\n"
    assert (refused.returncode, refused.stdout) == (2, "")


def demo(environment: Environment, folder: Path, _log: DemoLog) -> None:
    """Play and audit; the log's START names the files of the wheel, and an edited one shows."""
    ok(environment.command("referee", "demo", "--rounds", "1", "--data", str(folder / "data")))
    audit = ("referee", "audit", str(folder / "data"), "--installed")
    ok(environment.command(*audit), "named by the START at leaf 3")
    ok(environment.run("-c", EDIT))
    edited = environment.command(*audit)
    assert (edited.returncode, "not as installed: referee/money.py" in edited.stdout) == (1, True)


def web(environment: Environment, folder: Path, _log: DemoLog) -> None:
    with serving(environment, folder, "--web", "127.0.0.1:0") as ready:
        assert b"logKey" in fetched(f"http://{ready['web']}/referee.v1.LogService/GetKeys", data=b"{}")


def postgres(environment: Environment, folder: Path, _log: DemoLog) -> None:
    done = environment.command("referee", "serve", "--data", str(folder), "--database", "postgresql://127.0.0.1:1/none")
    assert "refused" in done.stderr
    assert "extra" not in done.stderr


def parquet(environment: Environment, folder: Path, log: DemoLog) -> None:
    ok(
        environment.command("referee", "rounds", "export", str(log.data), "--out", str(folder / "rounds")),
        "0 rounds still run",
    )


def otel(environment: Environment, folder: Path, _log: DemoLog) -> None:
    with serving(environment, folder, "--set", "telemetry.trace=true") as ready:
        assert ready["event"] == "ready"


def oidc(environment: Environment, folder: Path, _log: DemoLog) -> None:
    """Serve with an identity provider whose keys are in a file: a call without a token is refused."""
    (folder / "keys.json").write_text('{"keys": []}', encoding="utf-8")
    provider = 'issuer = "i", audience = "a", roles = { r = "auditor" }, tenant = "t"'
    access = f"access.providers=[{{ {provider}, jwks = {str(folder / 'keys.json')!r} }}]"
    with serving(environment, folder, "--web", "127.0.0.1:0", "--set", access) as ready:
        url = f"http://{ready['web']}/referee.v1.LogService/ListEntries"
        refused = httpx.post(url, content="{}", headers={"content-type": "application/json"}, timeout=SECONDS)
    assert (refused.status_code, "CREDENTIALS_MISSING" in refused.text) == (401, True)


def http(environment: Environment, folder: Path, log: DemoLog) -> None:
    handler = functools.partial(SimpleHTTPRequestHandler, directory=published(log, folder))
    with http_server(handler) as site:
        ok(environment.command("referee", "audit", site, *keys_of(log)))


def dask(environment: Environment, folder: Path, log: DemoLog) -> None:
    audit = (str(environment.scripts / "referee"), "audit", str(published(log, folder)), *keys_of(log))
    ok(environment.run("-c", ON_A_CLUSTER, *audit))


def client(environment: Environment, folder: Path, _log: DemoLog) -> None:
    with serving(environment, folder) as ready:
        whole = [one for one in blocks(PYTHON) if one.startswith(("from", "import")) and '..."' not in one]
        for example in (*blocks(README), *whole):  # those with keys of a reader's own server cannot run
            ok(environment.run("-c", example.replace(ADDRESS, ready["address"])))
        ok(environment.command("referee", "audit", ready["address"]), "13 opened", "nothing failed")


def harness(environment: Environment, _folder: Path, _log: DemoLog) -> None:
    with running(environment, "referee-harness", "--still") as ready:
        assert json.loads(fetched(f"{ready['control']}/vectors"))


def harness_web(environment: Environment, _folder: Path, _log: DemoLog) -> None:
    with running(environment, "referee-harness", "--web") as ready:
        assert b"logKey" in fetched(f"{ready['web']}/referee.v1.LogService/GetKeys", data=b"{}")


def afternoon(environment: Environment, folder: Path, _log: DemoLog) -> None:
    """Run the tests of the frontend that is written in an afternoon."""
    for name, text in zip(("frontend.py", "test_frontend.py"), blocks(AFTERNOON), strict=True):
        (folder / name).write_text(text, encoding="utf-8")
    ok(environment.command("pytest", "-q", "-p", "no:cacheprovider", str(folder / "test_frontend.py")), "3 passed")


def env(environment: Environment, _folder: Path, _log: DemoLog) -> None:
    """Run the page's samples that need no server; the policy is tuned and compared for a few rounds."""
    episode, policy, _ = blocks(ENVIRONMENTS)
    ok(environment.run("-c", episode), "seat 0 plays")
    ok(environment.run("-c", re.sub(r"150_000, 20_000", "200, 20", policy)), "tuned", "advised", "difference")


def env_recorded(environment: Environment, folder: Path, _log: DemoLog) -> None:
    """Record the episodes of the page, and audit their log."""
    sample = blocks(ENVIRONMENTS)[2].replace('"episodes"', repr(str(folder / "episodes")))
    ok(environment.run("-c", sample))
    ok(environment.command("referee", "audit", str(folder / "episodes")), "3 settled", "nothing failed")


def table(environment: Environment, folder: Path, _log: DemoLog) -> None:
    with running(environment, "referee-table", "--listen", "127.0.0.1:0", "--data", str(folder / "table")) as ready:
        page = ROOT / "clients" / "web" / "dist"
        assert fetched(ready["url"]) == (page / "index.html").read_bytes()
        assert fetched(f"{ready['url']}assets/index.js") == (page / "assets" / "index.js").read_bytes()


QUICKSTARTS: Final[Mapping[str, Quickstart]] = {
    "referee": base,
    "referee[cli]": cli,
    "referee[server]": server,
    "referee[demo]": demo,
    "referee[web]": web,
    "referee[env]": env,
    "referee[env] referee[server] referee-client": env_recorded,
    "referee[postgres]": postgres,
    "referee[parquet]": parquet,
    "referee[otel]": otel,
    "referee[oidc] referee[web]": oidc,
    "referee[http]": http,
    "referee[dask]": dask,
    "referee[server] referee-client": client,
    "referee-harness": harness,
    "referee-harness[web]": harness_web,
    "referee-harness referee-client pytest": afternoon,
    "referee-table": table,
}
"""What is installed, as the manuals say it, and what is done then."""


COVERED: Final = {one for requirement in QUICKSTARTS for one in requirement.split() if one != "pytest"}


def test_every_extra_and_distribution_has_a_quickstart():
    installable = set(DISTRIBUTIONS)
    for name, folder in DISTRIBUTIONS.items():
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        installable |= {f"{name}[{extra}]" for extra in project.get("optional-dependencies", ()) if extra != "dev"}
    assert installable == COVERED


def test_every_pip_install_of_the_pages_is_a_quickstarts():
    """What pages install, by name or from its folder; each extra is installed by a quickstart of its own."""
    pages = [ROOT / "README.md", *ROOT.glob("referee/**/README.md"), *ROOT.glob("clients/*/README.md")]
    names = {os.path.normpath(folder.relative_to(ROOT)): name for name, folder in DISTRIBUTIONS.items()}
    wanted = set()
    for page in (*pages, ROOT / "clients" / "README.md"):
        for command in re.findall(r"pip (?:install|wheel) ([^`#\n]*)", page.read_text(encoding="utf-8")):
            for word in shlex.split(command):
                place, _, extras = word.rstrip("]").partition("[")
                name = names.get(os.path.normpath(place), place)
                if name in DISTRIBUTIONS:
                    wanted |= {(page, f"{name}[{extra}]" if extra else name) for extra in extras.split(",")}
    assert {requirement for _, requirement in wanted} >= {"referee", "referee[server]", "referee-client"}
    assert [f"{page}: {requirement}" for page, requirement in wanted if requirement not in COVERED] == []


@pytest.mark.slow("installs every distribution into an environment of its own")
@pytest.mark.parametrize("requirement", QUICKSTARTS)
def test_quickstart_runs_where_nothing_else_is_installed(requirement: str, demo_log, tmp_path, tmp_path_factory):
    wheels = wheels_for(tmp_path_factory, *(one for given in QUICKSTARTS for one in given.split()))
    environment = Environment(tmp_path / "environment", wheels, *requirement.split())
    QUICKSTARTS[requirement](environment, tmp_path, demo_log)
