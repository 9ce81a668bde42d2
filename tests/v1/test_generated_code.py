"""The generated code that is committed is what the protos generate."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
VENV = Path(sys.executable).parents[1]


def test_committed_code_equals_what_the_protos_generate(tmp_path):
    """A proto edited without ``make protos`` fails here."""
    command = ["make", "protos", f"OUT={tmp_path}", f"VENV={VENV}", f"STAMP={VENV}", f"DEV={VENV}"]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    generated = {path.name: path.read_bytes() for path in (tmp_path / "referee" / "v1").iterdir()}
    committed = {
        path.name: path.read_bytes()
        for path in (ROOT / "referee" / "v1").iterdir()
        if path.is_file() and path.name != "__init__.py"
    }
    assert sorted(generated) == sorted(committed)
    assert generated == committed
    assert (tmp_path / "README.md").read_bytes() == (ROOT / "protos" / "README.md").read_bytes()
