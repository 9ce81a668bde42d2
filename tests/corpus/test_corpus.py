"""Logs of every release load, replay and audit as on the day they were written, byte for byte."""

import hashlib
from typing import Any

import pytest

from referee.audit.reading import read_envelope, read_payload
from referee.games import GAMES
from referee.rulesets import ruleset as reading
from referee.rulesets.ruleset import parse_ruleset
from referee.transcript.inputs import Transcript
from referee.transcript.replay import replay
from tests.corpus.corpus import FOLDER, catalogue_of, releases, rows_of, rulesets_of, verdict_of
from tests.fuzz.fuzz_verdicts import TypeScript, python_findings
from tests.node_project import build, install
from tests.rulesets.growing import grown
from tests.verifier.verifier_project import PROJECT

LOGS = [(release, row, verdict) for release in releases() for row, verdict in rows_of(release)]
SUMS = FOLDER / "SHA256SUMS"
each = pytest.mark.parametrize(("release", "row", "verdict"), LOGS, ids=[f"{one[0]}-{one[1]['id']}" for one in LOGS])


def test_no_file_of_a_release_has_changed():
    lines = [line.split("  ") for line in SUMS.read_text("utf-8").splitlines()]
    kept = {file: digest for digest, file in lines}
    files = [file for release in releases() for file in (FOLDER / release).rglob("*") if file.is_file()]
    found = {file.relative_to(FOLDER).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    assert found
    assert kept == found


def test_every_ruleset_of_a_release_has_a_log():
    for release in releases():
        texts = [" ".join(map(_payload, row["leaves"])) for row, _ in rows_of(release)]
        assert all(any(one.digest.hex() in text for text in texts) for one in catalogue_of(release))


def _payload(leaf: str) -> str:
    return read_envelope(leaf.encode()).payload.decode()


def test_rulesets_of_a_release_keep_their_digests():
    for release in releases():
        for source in rulesets_of(release):
            assert parse_ruleset(source, file="kept.toml").digest == hashlib.sha256(source).digest()


@each
def test_audit_says_what_it_said(release: str, row: dict[str, Any], verdict: dict[str, Any]):
    assert verdict_of(row, release) == verdict
    assert not verdict["findings"]


@each
def test_every_settlement_replays_to_its_own_bytes(release: str, row: dict[str, Any], verdict: dict[str, Any]):
    catalogue, settled = catalogue_of(release), 0
    for leaf in row["leaves"]:
        envelope = read_envelope(leaf.encode())
        said = read_payload(envelope)
        if isinstance(said, Transcript):
            ruleset = catalogue.of_digest(said.inputs.header.ruleset_digest)
            assert replay(said.inputs, ruleset).payload == envelope.payload
            settled += 1
    assert settled == verdict["checked"]["replayed"] > 0


@each
def test_audit_says_the_same_when_games_gain_fields(
    release: str, row: dict[str, Any], verdict: dict[str, Any], monkeypatch: pytest.MonkeyPatch
):
    """A ruleset of the release means what it meant, in every settlement, after a field and a table were added."""
    monkeypatch.setattr(reading, "GAMES", {name: grown(game) for name, game in GAMES.items()})
    assert all(hasattr(ruleset.rules, "gong") for ruleset in catalogue_of(release))
    assert verdict_of(row, release) == verdict


@each
def test_changed_log_fails(release: str, row: dict[str, Any], verdict: dict[str, Any]):
    """A leaf less is a finding, so that a verdict without findings says something."""
    shorter = {**row, "leaves": row["leaves"][:-1], "log_receipts": [], "witnessed": []}
    assert [one.code for one in python_findings(shorter)][:1] == ["LOG_TRUNCATED"], (release, verdict["size"])


@pytest.mark.slow("builds a Node project")
def test_typescript_verifier_finds_nothing():
    if why := install(PROJECT):
        pytest.skip(f"the TypeScript verifier is not asked: {why}")
    build(PROJECT, "build:test")
    with TypeScript() as typescript:
        for release, row, _ in LOGS:
            typescript.ask({**row, "rulesets": [source.decode() for source in rulesets_of(release)]})
            assert typescript.answer() == (), row["id"]
