"""``referee audit --policy``: witnesses by a policy, and policies that are refused before anything is read."""

import json
from pathlib import Path

import pytest

from tests.command import referee
from tests.demo_log import DemoLog
from tests.log.test_log_policy import LOG, MLDSA, THREE


def audit(tmp_path: Path, text: str, *options: str) -> str:
    """Audit a place that holds no log; return what the command says."""
    file = tmp_path / "policy"
    file.write_text(text, encoding="utf-8")
    done = referee("audit", tmp_path / "nowhere", "--policy", file, *options)
    assert done.returncode == 2
    return " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (f"{THREE}quorum X9\n", (), "line 4 of the policy: 'X9' is not defined"),
        (f"{THREE}quorum X1\n", ("--quorum", "1"), "leave --witness and --quorum out"),
        (f"{THREE}{MLDSA}group g any X1 Q1\nquorum g\n", (), "the key of 'Q1' is of a type that is not verified here"),
    ],
)
def test_policy_is_read_before_the_log(tmp_path: Path, text: str, options: tuple[str, ...], words: str) -> None:
    assert words in audit(tmp_path, text, *options)


def test_policy_for_another_log_is_refused(tmp_path: Path, demo_log: DemoLog) -> None:
    file = tmp_path / "policy"
    file.write_text(f"{LOG}{THREE}quorum X1\n", encoding="utf-8")
    done = referee("audit", demo_log.data, "--policy", file)
    assert (done.returncode, "does not name this log" in " ".join(done.stderr.split())) == (2, True)


def test_witnesses_of_a_policy_are_missed_where_they_did_not_cosign(tmp_path: Path, demo_log: DemoLog) -> None:
    """The same finding as with --witness and --quorum."""
    file = tmp_path / "policy"
    file.write_text(f"{THREE}group g 2 X1 X2 X3\nquorum g\n", encoding="utf-8")
    keys = [line.split()[2] for line in THREE.splitlines()]
    by_policy = referee("audit", demo_log.data, "--json", "--policy", file)
    by_keys = referee(
        "audit", demo_log.data, "--json", "--quorum", "2", *[word for key in keys for word in ("--witness", key)]
    )
    assert by_policy.returncode == by_keys.returncode == 1, by_policy.stderr
    found = [json.loads(done.stdout)["findings"] for done in (by_policy, by_keys)]
    assert found[0]
    assert found[0] == found[1]
