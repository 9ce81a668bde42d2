"""The files for operators name options that there are; the capacity note says what was measured, and what follows."""

import json
import re
from importlib import resources
from typing import Final

import pytest

from referee.cli.main import load_command
from tests.bench.bench_balanced import FILE as BALANCED
from tests.bench.bench_capacity import FILE
from tests.bench.capacity_note import NOTE, needs, note

DEPLOY: Final = resources.files("referee.server").joinpath("deploy")


@pytest.mark.parametrize("name", ["envoy.yaml", "referee.service", "referee-advise.service"])
def test_options_of_the_commands_in_the_file_exist(name: str) -> None:
    """An option renamed fails here, not at an operator's."""
    text = DEPLOY.joinpath(name).read_text(encoding="utf-8").replace("\\\n", " ")
    commands = re.findall(r"(?:bin/|# +)referee (serve|advise) (.*)", text)
    assert commands
    for command, options in commands:
        opts = {opt for parameter in load_command(command).params for opt in parameter.opts}
        assert set(re.findall(r"--[a-z-]+", options)) <= opts


def test_the_service_gives_the_server_time_to_drain() -> None:
    """The first process alone is asked by systemd, which waits longer than its workers may take to stop."""
    text = DEPLOY.joinpath("referee.service").read_text(encoding="utf-8")
    lead = float(re.findall(r"--set serve.drain_lead=(\d+)", text)[0])
    longest = lead + 10 + 20  # the grace that is the default, and what serve adds for the rest
    assert float(re.findall(r"TimeoutStopSec=(\d+)", text)[0]) > longest
    assert "KillMode=mixed" in text


def test_note_is_made_from_the_files_that_were_measured():
    measured, balanced = (json.loads(file.read_text(encoding="utf-8")) for file in (FILE, BALANCED))
    assert NOTE.read_text(encoding="utf-8") == note(measured, balanced)


def test_a_million_tables_are_counted_by_hand():
    """A round in 100 s: 4 leaves, 3 ms, 10 kB stored, 8 kB tiles, 1.5 ms audit; a log takes 5,000 leaves a second."""
    one = {"leaves": 4, "server_cpu_us": 3_000, "stored_bytes": 10_000, "tile_bytes": 8_000, "audit_cpu_us": 1_500}
    one |= {"request_bytes": 20_000, "answer_bytes": 7_000}
    counted = needs(one, 100, 5_000)
    assert counted["rounds a second"] == 10_000
    assert counted["leaves a second"] == 40_000
    assert counted["logs"] == 14  # 40,000 / 3,000
    assert counted["server cores"] == 50
    assert counted["network, MB a second into servers"] == pytest.approx(200)
    assert counted["network, MB a second out of servers"] == pytest.approx(70)
    assert counted["log a day, TB, each copy"] == pytest.approx(8.64)
    assert counted["tiles, MB a second to a reader of all of it"] == pytest.approx(80)
    assert counted["cores that audit all of it as it grows"] == 25
