"""The commands of the pages, run in an empty clone, with an environment of its own for each set-up.

``.ci/run`` makes ``make check``, ``make test`` and ``make audit-deps`` whole this way. ``make constraints`` is not run:
it asks for the newest releases of everything, which differ from day to day.
"""

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from tests.dependencies.audit import pins_of
from tests.table.scripted_player import Player, play_anything

ROOT: Final = Path(__file__).parents[2]
SECONDS: Final = 900
"""What one command may take on a busy machine that downloads everything."""
MAKE: Final = shutil.which("make") or "make"
_REGISTRIES: Final = re.compile(
    r"((https?|no|all)_proxy|pip_\w+|uv_\w+|\w*ssl_cert_file|\w*ca_bundle|node_extra_ca_certs)", re.IGNORECASE
)
"""Names of the variables that say how packages are reached; no other variable of this process is passed on."""


def clone(folder: Path) -> Path:
    """Copy every tracked or new file of this tree into the folder, as a clone would have it; return the folder.

    A change that is not committed yet is tested too.
    """
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no clone is made: {ROOT} is not a working tree of git: {done.stderr.strip()}")
    for name in filter(None, done.stdout.split("\0")):
        source, target = ROOT / name, folder / name
        if source.is_symlink() or source.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)
    return folder


def environment(home: Path) -> dict[str, str]:
    """Return the variables of a stranger with an empty home: a path without this environment, and pip's settings."""
    own = {Path(sys.prefix).resolve(), Path(os.environ.get("VIRTUAL_ENV", sys.prefix)).resolve()}
    inherited = [Path(sys.base_prefix) / "bin", *map(Path, os.environ.get("PATH", os.defpath).split(os.pathsep))]
    path = [str(one) for one in inherited if not any(prefix in one.resolve().parents for prefix in own)]
    home.mkdir(parents=True, exist_ok=True)
    cache = subprocess.check_output([sys.executable, "-m", "pip", "cache", "dir"], text=True, timeout=SECONDS).strip()
    settings = Path.home() / ".config" / "pip" / "pip.conf"
    return {
        **{name: value for name, value in os.environ.items() if _REGISTRIES.fullmatch(name)},
        **({"PIP_CONFIG_FILE": str(settings)} if settings.exists() and "PIP_CONFIG_FILE" not in os.environ else {}),
        "PIP_CACHE_DIR": cache,
        "HOME": str(home),
        "PATH": os.pathsep.join(dict.fromkeys(path)),
    }


def make(folder: Path, *arguments: str, variables: Mapping[str, str]) -> "subprocess.CompletedProcess[str]":
    """Run make in a clone and return its output."""
    return subprocess.run(
        [MAKE, *arguments],
        cwd=folder,
        env=dict(variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


MAKEFILE: Final = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS: Final = re.search(r"^\.PHONY: (.*)$", MAKEFILE, flags=re.MULTILINE)
PAGES: Final = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "referee").glob("**/README.md"))]
SET_UP: Final = pytest.mark.slow("sets up an empty clone as a stranger does")


@contextmanager
def table_of(folder: Path, variables: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Run ``make table`` on a free port for the block; give the line that it prints when it is ready."""
    with (folder / "errors").open("w+", encoding="utf-8") as errors:
        process = subprocess.Popen(
            [MAKE, "--silent", "table", "OPTIONS=--listen 127.0.0.1:0 --brisk"],
            cwd=folder,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
        )
        assert process.stdout is not None
        try:
            line = process.stdout.readline()  # the end of the output, if the set-up fails
            errors.seek(0)
            assert line, errors.read()
            yield json.loads(line)
        finally:
            os.killpg(process.pid, signal.SIGTERM)  # make, the table server and its referee: the session of this test
            process.wait(SECONDS)
            process.stdout.close()


@SET_UP
@pytest.mark.timeout(6 * SECONDS)
def test_demo_then_table_then_contributors_targets_run_in_an_empty_clone(tmp_path: Path):
    """Each set-up adds to the one before, as the Makefile says; ``.ci/run`` makes that of contributors from nothing."""
    folder, variables = clone(tmp_path / "clone"), environment(tmp_path / "home")
    plays_and_audits(folder, variables)
    serves_its_page_and_a_round(folder, variables)
    makes_what_contributors_make(folder, variables)


def plays_and_audits(folder: Path, variables: dict[str, str]) -> None:
    done = make(folder, "demo", variables=variables)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing failed" in done.stdout


def serves_its_page_and_a_round(folder: Path, variables: dict[str, str]) -> None:
    async def play(address: str) -> dict[str, Any]:
        player = Player("An")
        player.script = play_anything
        await player.come(address)
        try:
            await player.ask("create", ruleset="tien_len.mien_nam", stake_minor=1000, bots=3)
            await player.until(lambda view: sum(one["place"] == "SEAT" for one in view.get("persons", ())) == 4)
            await player.ask("ready", is_ready=True)
            last: dict[str, Any] = (await player.until(lambda view: view["last"] is not None))["last"]
            return last
        finally:
            await player.go()

    with table_of(folder, variables) as ready:
        page = httpx.get(ready["url"], timeout=SECONDS).raise_for_status().content
        assert page == (ROOT / "clients" / "web" / "dist" / "index.html").read_bytes()
        assert asyncio.run(play(ready["address"]))["end"] == "SETTLED"


def makes_what_contributors_make(folder: Path, variables: dict[str, str]) -> None:
    """Run the other targets; the selection of tests shows that the set-up suffices, and ``.ci/run`` runs them all."""
    selected = "tests/v1 tests/hands tests/clients_python/test_client_numbers.py tests/table/test_table_words.py"
    tested = make(folder, "test", variables={**variables, "PYTEST_ADDOPTS": selected})
    assert tested.returncode == 0, tested.stdout + tested.stderr
    assert re.search(r"\d+ passed", tested.stdout)
    assert "failed" not in tested.stdout
    found = make(folder, "findings", variables=variables)
    assert found.returncode == 0, found.stdout + found.stderr
    generated = make(folder, "protos", "OUT=generated", variables=variables)
    assert generated.returncode == 0, generated.stdout + generated.stderr
    files = sorted(path for path in (folder / "generated" / "referee").rglob("*.py*") if path.is_file())
    assert files
    assert [
        path for path in files if path.read_bytes() != (ROOT / path.relative_to(folder / "generated")).read_bytes()
    ] == []
    assert make(folder, "clean", variables=variables).returncode == 0
    assert not (folder / ".venv").exists()


@SET_UP
@pytest.mark.timeout(2 * SECONDS)
def test_lock_is_renewed_with_the_same_releases_in_an_empty_clone(tmp_path: Path):
    """The hashes may be more than the committed ones: a file for another machine was added to a release."""
    folder, variables = clone(tmp_path / "clone"), environment(tmp_path / "home")
    before = pins_of((folder / "requirements.lock").read_text(encoding="utf-8"))
    done = make(folder, "lock", variables=variables)
    assert done.returncode == 0, done.stdout + done.stderr
    assert pins_of((folder / "requirements.lock").read_text(encoding="utf-8")) == before


def test_every_target_sets_up_what_it_runs(tmp_path: Path):
    """No recipe starts a program of an environment that it has not made first."""
    assert TARGETS is not None
    folder, variables = clone(tmp_path / "clone"), environment(tmp_path / "home")
    for target in TARGETS[1].split():
        done = make(folder, "--dry-run", target, variables=variables)
        assert done.returncode == 0, done.stderr
        made = set[str]()
        for line in done.stdout.splitlines():
            used = set(re.findall(r"(\.venv[\w-]*)/bin/", line))
            made |= set(re.findall(r"-m venv (?:--clear )?(\.venv[\w-]*)", line))
            assert used <= made, f"make {target}: {line}"


def test_every_make_command_of_the_pages_is_a_target():
    assert TARGETS is not None
    commands = {
        (page, command)
        for page in PAGES
        for command in re.findall(r"[`$] ?make ([a-z][a-z-]*)", page.read_text(encoding="utf-8"))
    }
    assert {command for _, command in commands} >= {"demo", "table", "test", "check"}
    assert [f"{page}: make {command}" for page, command in commands if command not in TARGETS[1].split()] == []
