"""The image and the compose file: built without network, run, played on, and their log audited from its tiles."""

import json
import os
import re
import resource
import shutil
import socket
import subprocess
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest
from referee_client import Arrangement, Client, Terms, Trust

from tests.command import referee
from tests.packages.wheelhouse import ROOT, wheels_for
from tests.waiting import until

DEPLOY: Final = ROOT / "referee" / "server" / "deploy" / "container"
PYTHON_BASE: Final = "localhost/debian-python"
DATABASE_BASE: Final = "localhost/debian-postgresql"
BASES: Final = (
    "make the bases as root: debootstrap --variant=minbase --include=python3,python3-venv bookworm python, and "
    "--include=postgresql,python3 for the other, then tar -C FOLDER -c . | podman import - NAME"
)
PORTS: Final = ("POSTGRES_PORT", "REFEREE_PORT", "WEB_PORT", "WITNESS_PORT", "TILES_PORT")


class Compose:
    """The compose file in a folder of its own, with ports that are free now."""

    def __init__(self, folder: Path, run: Callable[..., str], images: dict[str, str]) -> None:
        self.folder, self._run = folder, run
        shutil.copy(DEPLOY / "compose.yaml", folder)
        with ExitStack() as opened:
            held = [opened.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in PORTS]
            self.ports = {name: str(one.getsockname()[1]) for name, one in zip(PORTS, held, strict=True)}
        self.settings = {**self.ports, **images, "POSTGRES_PASSWORD": "of-this-test"}

    def __call__(self, *arguments: str) -> str:
        """Run podman-compose with the settings so far."""
        text = "".join(f"{name}={value}\n" for name, value in self.settings.items())
        (self.folder / ".env").write_text(text, encoding="utf-8")
        return self._run("podman-compose", *arguments, cwd=self.folder)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Run podman within this process's own limits; skip where it or a base is missing, or it cannot run."""
    for tool in ("podman", "podman-compose"):
        if shutil.which(tool) is None:
            remedy = "apt-get install podman, pip install podman-compose"
            pytest.skip(f"no container is tested: {tool} is not on the path; {remedy}")
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    ulimits = [f"nofile={files}:{files}", "nproc=4096:4096"]
    config = tmp_path_factory.mktemp("containers") / "containers.conf"
    engine = '[engine]\nruntime = "runc"\n' if shutil.which("runc") else ""
    config.write_text(f'[containers]\nnetns = "host"\ndefault_ulimits = {json.dumps(ulimits)}\n{engine}', "utf-8")

    def execute(*command: str, cwd: Path = ROOT) -> str:
        environment = {**os.environ, "CONTAINERS_CONF": str(config)}
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:  # containers keep pipes open
            done = subprocess.run(command, cwd=cwd, stdout=out, stderr=err, check=False, timeout=300, env=environment)
            said = []
            for file in (out, err):
                file.seek(0)
                said.append(file.read().decode())
        assert done.returncode == 0, f"{command}: {said[0][-2000:]}{said[1][-2000:]}"
        return said[0]

    for base in (PYTHON_BASE, DATABASE_BASE):
        try:
            execute("podman", "run", "--rm", base, "python3", "--version")
        except AssertionError as error:
            pytest.skip(f"no container is tested: {base} does not run: {str(error).strip()[-300:]}; {BASES}")
    return execute


@pytest.fixture(scope="module")
def images(run: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Build both images, without network, and return the settings that name them."""
    wheels = wheels_for(tmp_path_factory, "referee[demo,postgres,web]")
    made = {"REFEREE_IMAGE": "localhost/referee-tested", "POSTGRES_IMAGE": "localhost/referee-postgresql-tested"}
    build = ("podman", "build", "--format", "docker", "--network", "none")
    for base, tag, file, context in (
        (PYTHON_BASE, made["REFEREE_IMAGE"], "Containerfile", wheels),
        (DATABASE_BASE, made["POSTGRES_IMAGE"], "Containerfile.postgresql", DEPLOY),
    ):
        run(*build, "--build-arg", f"BASE={base}", "--tag", tag, "--file", str(DEPLOY / file), str(context))
    yield made
    run("podman", "rmi", "--force", *made.values())


@pytest.mark.timeout(900)
@pytest.mark.slow("builds two images and runs five containers")
def test_round_is_played_witnessed_and_audited_from_the_tiles(run: Callable[..., str], images, tmp_path) -> None:
    """As the compose file says: keys first, then the witness, then all; the user has no rights in the container."""
    compose = Compose(tmp_path, run, images)
    try:
        made = compose("run", "--rm", "-T", "server", "keys", "--make", "--data", "/var/lib/referee")
        keys = dict(line.split("\t") for line in made.splitlines() if "\t" in line)
        compose.settings["LOG_KEY"] = keys["log"]
        compose("up", "-d", "witness")
        compose.settings["WITNESS_KEY"] = logged(compose, "witness", r'"key": "([^"]+)"')
        compose("up", "-d")
        logged(compose, "server", r'"event": "ready", "address": "([^"]+)"')
        trust = Trust(log_key=keys["log"], root_key=keys["root"], witnesses=[compose.settings["WITNESS_KEY"]], quorum=1)
        with Client(f"127.0.0.1:{compose.ports['REFEREE_PORT']}", trust=trust, timeout=60) as client:
            leaf = play(client)
        assert compose("exec", "-T", "server", "id", "-u").split()[-1] == "10001"
        run("podman", "healthcheck", "run", f"{tmp_path.name}_server_1")
        published(compose, leaf)
        tiles = f"http://127.0.0.1:{compose.ports['TILES_PORT']}"
        given = ("--log-key", keys["log"], "--root-key", keys["root"], "--witness", compose.settings["WITNESS_KEY"])
        audited = referee("audit", tiles, *given)
        assert audited.returncode == 0, audited.stdout + audited.stderr
        assert "dealing: L3 1" in audited.stdout
    finally:
        compose("down", "-v")


def play(client: Client) -> int:
    """Play a round and return the index of its last leaf."""
    game = client.mau_binh(Terms(table="contained", ruleset="mau_binh.classic", seats=2, stake=100))
    game.open()
    for seat, hand in game.deal().items():
        game.arrange(seat, Arrangement(hand[:5], hand[5:10], hand[10:]))
    assert game.settle().is_replayed
    return game.reveal().receipt.index


def logged(compose: Compose, service: str, pattern: str) -> str:
    """Wait until a service has logged a line and return the pattern's group."""
    found = until(
        lambda: re.search(pattern, compose("logs", service)), f"{service} does not log {pattern}", seconds=120
    )
    assert found is not None
    return found[1]


def published(compose: Compose, leaf: int) -> None:
    """Wait until the published checkpoint covers the leaf."""

    def size() -> int:
        with urllib.request.urlopen(f"http://127.0.0.1:{compose.ports['TILES_PORT']}/checkpoint") as answer:
            return int(answer.read().split(b"\n")[1])

    until(lambda: size() > leaf, "the round is not published", seconds=120)
