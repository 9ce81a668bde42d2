"""Witnesses by a policy file, and origins about which witnesses elsewhere are asked."""

from pathlib import Path

import pytest

from referee.server.settings.configuration import DEFAULT_ORIGIN, Configuration
from referee.server.settings.witnesses import WitnessAddress, Witnesses, WitnessSettings
from tests.log.test_log_policy import LOG, MLDSA, THREE, parse, vkey


def write(folder: Path, text: str) -> str:
    """Write a policy; return its path."""
    file = folder / "policy"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_policy_gives_addresses_keys_and_quorum(tmp_path: Path) -> None:
    policy = write(tmp_path, f"{LOG}{THREE}{MLDSA}group g 2 X1 Q1 X3\nquorum g\n")
    found = WitnessSettings(policy=policy, interval_seconds=5, required=True).parsed()
    assert found is not None
    assert [one.url for one in found.addresses] == ["https://x1.example", "https://x3.example"]
    assert [one.key.text for one in found.addresses] == [vkey("x1.example"), vkey("x3.example")]
    assert (found.quorum.needed, found.interval, found.is_required) == (2, 5, True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{THREE}quorum none\n", "asks for no cosignature"),
        (f"witness Y {vkey('y.example')}\nquorum Y\n", "no address of Y"),
        (f"witness Y {vkey('y.example')} ftp://y.example\nquorum Y\n", "not a witness's address"),
        ("quorum Y\n", "line 1 of the policy"),
        (None, "cannot be read: No such file"),
    ],
)
def test_policy_that_cannot_be_followed_prevents_serving(tmp_path: Path, text: str | None, words: str) -> None:
    policy = str(tmp_path / "nowhere") if text is None else write(tmp_path, text)
    (problem,) = Configuration(witnesses=WitnessSettings(policy=policy)).problems()
    assert problem.key == "witnesses"
    assert words in str(problem)


def test_policy_beside_keys_is_refused(tmp_path: Path) -> None:
    policy = write(tmp_path, f"{THREE}quorum X1\n")
    (problem,) = Configuration(witnesses=WitnessSettings(policy=policy, quorum=1)).problems()
    assert "leave urls, keys and quorum out" in str(problem)


def asked_at(url: str) -> Witnesses:
    """Return one witness at an address."""
    policy = parse(f"{THREE}quorum X1\n")
    assert policy.quorum is not None
    return Witnesses(addresses=(WitnessAddress(url, policy.witnesses[0].key),), quorum=policy.quorum)


@pytest.mark.parametrize(
    "origin",
    [
        DEFAULT_ORIGIN,
        "localhost",
        "localhost:80/a",
        "example.com/referee",
        "log.example/1",
        "a.example.org",
        "x.test/1",
    ],
)
def test_placeholder_is_no_origin_for_a_witness_elsewhere(origin: str) -> None:
    with pytest.raises(ValueError, match=r"a placeholder .* log\.origin"):
        asked_at("https://witness.invalid").check_origin(origin)
    for here in ("http://127.0.0.1:1", "http://localhost:1", "http://[::1]:1"):
        asked_at(here).check_origin(origin)


@pytest.mark.parametrize(
    "origin", ["cards.club/log", "example.com.vn/1", "myexample.com/1", "localhosts.net", "a/localhost"]
)
def test_origin_of_ones_own_is_one(origin: str) -> None:
    asked_at("https://witness.invalid").check_origin(origin)
