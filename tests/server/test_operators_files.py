"""The files for operators name options that there are, and give a server the time that it takes to stop."""

import re
from importlib import resources
from typing import Final

import pytest

from referee.cli.main import load_command

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
