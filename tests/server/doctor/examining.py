"""Examinations of a data folder by parts of the doctor."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.server.doctor import CheckDepth, CheckLevel, CheckResult
from referee.server.doctor.keys import check_keys
from referee.server.doctor.store import StoreFacts, check_storage
from referee.server.process.app import Application
from referee.server.settings.configuration import Configuration
from referee.server.settings.reading import read_settings
from tests.server.options import server_options


def configured(*, data: Path, **more: object) -> Configuration:
    """Return the settings of a data folder with some keys set, dots of their names written as two underscores."""
    flags = {"log.data": str(data), **{key.replace("__", "."): value for key, value in more.items()}}
    return read_settings(flags=flags).configuration


def by_check(findings: Iterator[CheckResult]) -> dict[str, CheckResult]:
    """Return the findings by what was checked."""
    results = list(findings)
    assert len({one.check for one in results}) == len(results)
    assert all(bool(one.remedy) is (one.level is not CheckLevel.OK) for one in results)
    return {one.check: one for one in results}


def stored_of(
    configuration: Configuration, depth: CheckDepth | None = None
) -> tuple[StoreFacts, dict[str, CheckResult]]:
    """Check the store; return its facts and the results."""
    stored = StoreFacts()
    return stored, by_check(check_storage(configuration, stored, depth))


def keys_of(configuration: Configuration, **environ: str) -> dict[str, CheckResult]:
    """Check the keys."""
    stored, _ = stored_of(configuration)
    return by_check(check_keys(configuration, stored, environ=environ))


def outcome_of(finding: CheckResult) -> tuple[str, str]:
    """How it is, and what was measured."""
    return finding.level.name, finding.measured


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a data folder that a server has founded, its root key away."""
    folder = tmp_path / "data"
    with Application(server_options(data=folder, root=tmp_path / "root.key")):
        return folder
