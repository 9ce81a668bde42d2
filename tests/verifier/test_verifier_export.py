"""A round played through the real services, exported by the command, verified by code of another language."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.node_project import build
from tests.verifier.verifier_project import SECONDS, run

pytestmark = pytest.mark.slow("starts many processes")

TABLES = ("mau_binh.classic", "tien_len.mien_nam", "ultimate_texas.casino")


def referee(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a referee command and return its result."""
    command = [sys.executable, "-m", "referee", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)


def test_exported_rounds_of_the_demo_are_verified(project: Path, tmp_path: Path) -> None:
    """The last round of each game passes; with one character of its last leaf changed it fails."""
    build(project, "build")
    data, file = tmp_path / "data", tmp_path / "round.json"
    assert referee("demo", "--rounds", 2, "--data", data).returncode == 0
    for ruleset_id in TABLES:
        assert referee("export", f"demo.{ruleset_id}", 2, "--data", data, "--out", file).returncode == 0
        verified = run("node", str(project / "dist" / "cli.js"), str(file))
        assert verified.returncode == 0, verified.stdout
        bundle = json.loads(file.read_text())
        revealed = bundle["leaves"][-1]
        place = len('{"payload":"') + 30  # within the payload's base64
        edited = "A" if revealed["leaf"][place] != "A" else "B"
        revealed["leaf"] = revealed["leaf"][:place] + edited + revealed["leaf"][place + 1 :]
        file.write_text(json.dumps(bundle))
        assert run("node", str(project / "dist" / "cli.js"), str(file)).returncode == 1
