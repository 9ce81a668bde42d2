"""The manual's example runs as printed, under pytest with the plugin as it is installed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "clients" / "harness" / "README.md"
HEAD = (
    "def test_both_fixtures(referee_harness, referee_harness_session):\n"
    "    assert referee_harness.grpc != referee_harness_session.grpc\n"
    "    assert not referee_harness.clock.is_running\n"
)
LEFT = (
    "def test_a_leaves_a_script(referee_harness_session):\n"
    "    referee_harness_session.script({})\n"
    "def test_b_finds_none(referee_harness_session):\n"
    "    assert referee_harness_session.waiting == {'scripts': 0, 'faults': []}\n"
)


def run_pytest(folder: Path, text: str, name: str) -> subprocess.CompletedProcess[str]:
    (folder / name).write_text(text, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", name],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_example_of_the_manual_passes(tmp_path: Path):
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    ran = run_pytest(tmp_path, example, "test_frontend.py")
    assert "1 passed" in ran.stdout, ran.stdout + ran.stderr


def test_the_fixtures_are_a_server_of_ones_own_and_a_shared_one(tmp_path: Path):
    ran = run_pytest(tmp_path, HEAD + LEFT, "test_fixtures.py")
    assert "3 passed" in ran.stdout, ran.stdout + ran.stderr


@pytest.mark.parametrize("fixture", ["referee_harness", "referee_harness_session"])
def test_a_fault_that_struck_no_call_fails_its_test_at_teardown(tmp_path: Path, fixture: str):
    """The test itself passes, and so does the next one: the fault does not wait for it."""
    unused = (
        f"def test_a({fixture}):\n    {fixture}.fault(kind='refuse', method='SettleRound')\n"
        f"def test_b({fixture}):\n    assert {fixture}.waiting['faults'] == []\n"
    )
    ran = run_pytest(tmp_path, unused, "test_unused.py")
    assert "2 passed, 1 error" in ran.stdout, ran.stdout + ran.stderr
    assert "faults that struck no call" in ran.stdout
    assert "SettleRound" in ran.stdout
