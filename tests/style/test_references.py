"""Pages that are made from the code are what the code makes now."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from referee.server.reference import example, metrics, page, settings
from referee.server.settings.reading import KEYS

ROOT = Path(__file__).parents[2]


def test_operators_reference_is_made_from_the_code():
    """Renew it by ``python -m referee.server.reference > referee/server/REFERENCE.md``."""
    assert (ROOT / "referee" / "server" / "REFERENCE.md").read_text("utf-8") == page()


def test_example_configuration_is_made_from_the_code():
    """Renew it by ``python -m referee.server.reference example > referee/server/deploy/referee.toml``."""
    assert (ROOT / "referee" / "server" / "deploy" / "referee.toml").read_text("utf-8") == example()


def test_operators_reference_has_every_setting_and_metric():
    """Counted apart from how the page is made: the keys of the configuration, and the names in the sources."""
    assert [key for key, _, _ in settings()] == list(KEYS)
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "referee" / "server").rglob("*metrics.py"))
    named = set(re.findall(r'"(referee_[a-z_]+)"', sources))
    assert named
    assert named == {name.removesuffix("_total") for name, *_ in metrics()}


def test_python_sdks_reference_is_made_from_the_code():
    """Renew it by ``python clients/python/reference.py > clients/python/API.md``."""
    folder = ROOT / "clients" / "python"
    made = subprocess.run([sys.executable, str(folder / "reference.py")], check=True, capture_output=True, text=True)
    assert (folder / "API.md").read_text("utf-8") == made.stdout


@pytest.mark.parametrize("name", ["Client", "TienLenRound", "Terms", "VerificationError"])
def test_python_sdks_reference_has_what_examples_import(name):
    assert f"`{name}`" in (text := (ROOT / "clients" / "python" / "API.md").read_text("utf-8")) or f"## {name}" in text
