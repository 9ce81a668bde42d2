"""A data folder to examine."""

from pathlib import Path

import pytest

from referee.server.process.app import Application
from referee.server.process.options import ServerOptions


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a data folder that a server has founded, its root key away."""
    folder = tmp_path / "data"
    with Application(ServerOptions(data=folder, listen="127.0.0.1:0", root=tmp_path / "root.key")):
        return folder
