"""``referee token``: keys, tokens and the table, as an operator asks for them."""

import json
import stat
from pathlib import Path

import pytest
from typer.testing import CliRunner

from referee.cli.main import app
from referee.evidence.vkey import VerifierKey
from referee.server.access.authenticator import Authenticator
from referee.server.access.roles import markdown
from referee.server.clock import system_clock
from referee.server.name_file import read_names
from referee.server.settings.access import AccessSettings, Issuer

SEAT = ("--role", "seat", "--table", "acme.7", "--round", "3", "--seat", "1")


def run(*arguments: str, text: str = "") -> tuple[int, str]:
    """Exit code and what was printed."""
    found = CliRunner().invoke(app, ["token", *arguments], input=text)
    return found.exit_code, found.stdout.strip()


ISSUE = ("issue", "--role", "auditor", "--name", "an", "--tenant", "*", "--id", "t-1", "--key")


@pytest.fixture
def issuer(tmp_path: Path) -> tuple[str, str]:
    """Return the file of an issuer's key, and its verifier key."""
    file = str(tmp_path / "issuer.key")
    code, key = run("key", file, "--name", "acme.example/tokens")
    assert code == 0
    return file, key


def test_key_is_made_once_for_its_owner_alone(issuer):
    """Asked again the same is printed; under another name it is refused."""
    file, key = issuer
    assert VerifierKey.parse(key).name == "acme.example/tokens"
    assert stat.S_IMODE(Path(file).stat().st_mode) == 0o600
    assert run("key", file, "--name", "acme.example/tokens") == (0, key)
    assert run("key", file, "--name", "another")[0] == 2


def test_token_that_was_issued_counts(issuer):
    """For the time and the place that were asked for."""
    file, key = issuer
    before = system_clock()
    code, token = run("issue", "--key", file, "--name", "an", "--tenant", "acme", *SEAT, "--seconds", "60")
    assert code == 0
    prover = Authenticator(AccessSettings(issuers=(Issuer(key=key, tenant="acme"),)), clock=system_clock)
    caller = prover.prove(f"Bearer {token}")
    assert (caller.name, caller.role, caller.tenant) == ("an", "seat", "acme")
    assert caller.place is not None
    assert (caller.place.table, caller.place.round_number, caller.place.seat) == ("acme.7", 3, 1)
    shown = json.loads(run("show", token)[1])
    assert before // 1000 <= shown["nbf"] <= system_clock() // 1000
    assert shown["exp"] - shown["nbf"] == 60


def test_token_is_shown_and_held_against_a_key(issuer, tmp_path):
    """From standard input too. Exit code 1 for another's, 2 for what is none."""
    file, key = issuer
    _, token = run(*ISSUE, file)
    code, shown = run("show", token, "--issuer", key)
    assert (code, json.loads(shown)["jti"]) == (0, "t-1")
    assert run("show", "-", text=f"{token}\n") == (0, shown)
    _, other = run("key", str(tmp_path / "other.key"), "--name", "other")
    assert run("show", token, "--issuer", other) == (1, shown)
    assert run("show", "none")[0] == run("show", token, "--issuer", "none")[0] == 2


@pytest.mark.parametrize("wrong", ["seat", "frontend --seat 0", "anyone", "frontend --tables a/b", "owner"])
def test_claims_that_make_no_sense_together_are_refused(issuer, wrong):
    words = ("--name", "an", "--tenant", "acme", "--role", *wrong.split())
    assert run("issue", "--key", issuer[0], *words)[0] == 2


def test_revoked_token_is_in_the_file_that_servers_read(issuer, tmp_path):
    """Given as it is, by its id or on standard input, once each, beside what the file had."""
    file = tmp_path / "revoked"
    file.write_text("t-0  # left", encoding="ascii")
    _, token = run(*ISSUE, issuer[0])
    assert run("revoke", token, "--file", str(file), "--why", "stolen") == (0, f"t-1 is revoked in {file}")
    assert run("revoke", "-", "--file", str(file), text=token) == (0, f"t-1 is revoked already in {file}")
    assert run("revoke", issuer[1], "--file", str(file))[0] == 0
    assert file.read_text(encoding="ascii").splitlines() == ["t-0  # left", "t-1  # stolen", issuer[1]]
    assert read_names(file.read_bytes()).names == {"t-0", "t-1", issuer[1]}


@pytest.mark.parametrize("name", ["", "two\nlines", "n\x07", "a # b"])
def test_what_no_line_can_revoke_is_refused(tmp_path, name):
    file = tmp_path / "revoked"
    assert run("revoke", name, "--file", str(file))[0] == 2
    assert not file.exists()


def test_roles_are_printed():
    assert run("roles") == (0, markdown().strip())
