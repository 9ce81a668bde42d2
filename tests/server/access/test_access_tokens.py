"""Tokens, as PyJWT mints and reads them: who issued them, when they count, and what was revoked."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from referee.evidence.vkey import VerifierKey
from referee.server.access.authenticator import REMEMBERED, Authenticator
from referee.server.access.caller import SeatScope
from referee.server.access.token import Claims, TokenError, issue, read_token
from referee.server.keys.private_key import KeySigner
from referee.server.settings.access import AccessSettings, Issuer
from referee.server.settings.caller_role import CallerRole
from referee.wire.refusal import RefusedError
from tests.server.access.guarded import guard
from tests.server.access.mint import FILE, NOW, SECONDS, Mint, text
from tests.waiting import until

ROWS = [json.loads(line) for line in FILE.read_text(encoding="ascii").splitlines()]
README = Path(__file__).parents[3] / "referee" / "server" / "access" / "README.md"
CHECKPOINTS = "/referee.v1.LogService/GetCheckpoint"


def refusal(call: Callable[..., object], *arguments: object) -> str:
    """Why a call is refused; empty where it is not."""
    try:
        call(*arguments)
    except RefusedError as error:
        return error.reason_name
    return ""


def prover_of(*keys: str) -> Authenticator:
    """Return a prover of the tokens of issuers with these keys."""
    return Authenticator(AccessSettings(issuers=tuple(Issuer(key=key) for key in keys)), clock=lambda: NOW)


def test_vectors_are_what_the_other_library_mints():
    assert FILE.read_text(encoding="ascii") == text()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_token_holds_where_its_vector_says_so(row):
    prover, credentials = prover_of(row["key"]), f"Bearer {row['token']}"
    if "claims" not in row:
        assert refusal(prover.prove, credentials) == "CREDENTIALS_INVALID"
        assert prover.recall(credentials) is None
        return
    token = read_token(row["token"])
    assert json.loads(msgspec.json.encode(token.claims)) == row["claims"]
    assert token.is_signed_by(VerifierKey.parse(row["key"]).public_key)
    caller = prover.prove(credentials)
    assert (caller.name, caller.role, caller.tenant) == tuple(row["claims"][name] for name in ("sub", "role", "tenant"))
    assert prover.recall(credentials) == caller


claims = st.builds(
    Claims,
    id=st.from_regex(r"[A-Za-z0-9._-]{1,64}", fullmatch=True),
    issuer=st.just(Mint().name),
    name=st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=1, max_size=128),
    role=st.sampled_from([role for role in CallerRole if role not in (CallerRole.ANYONE, CallerRole.SEAT)]),
    tenant=st.just("*") | st.from_regex(r"[A-Za-z0-9_-]{1,32}", fullmatch=True),
    not_before=st.integers(0, SECONDS),
    expires=st.integers(SECONDS + 1, 10**11 - 1),
    tables=st.just(msgspec.UNSET) | st.from_regex(r"[A-Za-z0-9._*-]{1,64}", fullmatch=True),
)


@given(claims=claims)
def test_what_was_issued_is_read_back(claims):
    """All claims that make sense, here and by PyJWT, whose own token of them reads the same."""
    token = issue(claims, KeySigner(Mint().name, Mint().seed))
    assert read_token(token).claims == claims
    given = json.loads(msgspec.json.encode(claims))
    assert Mint().read(token) == given
    assert read_token(Mint().sign(json.dumps(given, indent=1).encode())).claims == claims


@given(data=st.data())
def test_token_with_a_character_changed_is_refused(data):
    """Any character at any place: there is one text, and the signature covers it."""
    token = Mint().token("frontend")
    at = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.characters(codec="ascii").filter(lambda one: one != token[at]))
    changed = f"Bearer {token[:at]}{other}{token[at + 1 :]}"
    assert refusal(prover_of(Mint().key).prove, changed) == "CREDENTIALS_INVALID"


@pytest.mark.parametrize(
    ("begins", "ends", "expected"),
    [
        (SECONDS, SECONDS + 1, ""),
        (SECONDS + 30, SECONDS + 60, ""),
        (SECONDS + 31, SECONDS + 60, "CREDENTIALS_EXPIRED"),
        (SECONDS - 60, SECONDS - 29, ""),
        (SECONDS - 60, SECONDS - 30, "CREDENTIALS_EXPIRED"),
    ],
)
def test_token_counts_from_when_to_when_it_says_give_or_take_the_leeway(begins, ends, expected):
    """Thirty seconds, remembered or not."""
    prover, token = prover_of(Mint().key), f"Bearer {Mint().token('frontend', nbf=begins, exp=ends)}"
    assert [refusal(prover.prove, token), refusal(prover.recall, token)] == [expected] * 2


def test_remembered_token_ends_when_it_expires():
    times = iter([NOW, NOW + 3_629_999, NOW + 3_630_000])
    prover = Authenticator(AccessSettings(issuers=(Issuer(key=Mint().key),)), clock=lambda: next(times))
    token = f"Bearer {Mint().token('frontend')}"
    assert [refusal(prover.prove, token) for _ in range(3)] == ["", "", "CREDENTIALS_EXPIRED"]


def test_issuer_gives_what_is_its_own_to_give():
    """Neither another tenant's tables nor another role, and not the word of somebody who only shares its name."""
    mint, other = Mint(), Mint("other.example/tokens")
    issuers = (Issuer(key=mint.key, tenant="acme", roles=(CallerRole.SEAT, CallerRole.FRONTEND)),)
    prover = Authenticator(AccessSettings(issuers=issuers), clock=lambda: NOW)
    tokens = {
        "own": mint.token("seat"),
        "role": mint.token("admin"),
        "tenant": mint.token("frontend", tenant="bcme"),
        "every tenant": mint.token("frontend", tenant="*"),
        "name": other.token("frontend"),
        "name taken": other.token("frontend", iss=mint.name),
    }
    found = {name: refusal(prover.prove, f"Bearer {token}") for name, token in tokens.items()}
    assert found == dict.fromkeys(tokens, "CREDENTIALS_INVALID") | {"own": ""}


def test_two_keys_of_one_name_count_while_one_follows_the_other():
    old, new = Mint(), Mint("acme.example/tokens/2")
    prover = prover_of(old.key, KeySigner(old.name, new.seed).verifier_key)
    tokens = (old.token("frontend"), new.token("frontend", iss=old.name))
    assert [refusal(prover.prove, f"Bearer {token}") for token in tokens] == ["", ""]


def test_memory_of_tokens_is_bounded():
    """The oldest is forgotten, and proved anew when it comes again."""
    mint = Mint()
    prover, first = prover_of(mint.key), f"Bearer {mint.token('frontend')}"
    prover.prove(first)
    for _ in range(REMEMBERED):
        prover.prove(f"Bearer {mint.token('frontend')}")
    assert prover.recall(first) is None
    assert prover.prove(first).role is CallerRole.FRONTEND


@pytest.mark.parametrize("what", ["id", "key"])
def test_revoked_token_is_refused_while_the_server_runs(tmp_path, what):
    """By its id or by its issuer's key, a second after the line was written; the issuer's others go on, or end too."""
    revoked = tmp_path / "revoked"
    revoked.write_text("# none yet\n")
    mint = Mint()
    access = AccessSettings(issuers=(Issuer(key=mint.key),), revoked=str(revoked))
    with guard(tmp_path / "data", access=access) as server:
        tokens = [mint.token("frontend", jti=name) for name in ("stolen", "kept")]
        assert [server.ask(CHECKPOINTS, token=token) for token in tokens] == [("OK", "")] * 2
        revoked.write_text("stolen # on the way home\n" if what == "id" else f"{mint.key}\n")
        found = ("UNAUTHENTICATED", "CREDENTIALS_REVOKED")
        until(lambda: server.ask(CHECKPOINTS, token=tokens[0]) == found)
        assert server.ask(CHECKPOINTS, token=tokens[1]) == (("OK", "") if what == "id" else found)
        revoked.unlink()
        assert server.ask(CHECKPOINTS, token=tokens[0]) == found


def test_token_that_is_shown_must_count_even_where_none_is_needed(guarded):
    """A caller who thinks to be known learns that it is not."""
    assert guarded.ask(CHECKPOINTS) == ("OK", "")
    for shown in ("Bearer e30.e30.AA", "Basic YTpi", "Bearer", "-"):
        found = guarded.ask(CHECKPOINTS, metadata=[("authorization", shown)])
        assert found == ("UNAUTHENTICATED", "CREDENTIALS_INVALID"), shown


def test_settings_that_cannot_be_meant_are_reported_at_once():
    """Each with its key; msgspec itself refuses what is no setting at all."""
    message: dict[str, Any] = {
        "issuers": [{"key": "none", "tenant": "a.b", "roles": ["anyone"]}, {"key": Mint().key, "roles": []}],
        "certificates": [{"name": "", "role": "seat", "tenant": "", "tables": "a/b"}],
        "revoked": str(Path("no", "such", "file")),
    }
    settings = msgspec.convert(message, AccessSettings)
    assert [problem.key.removeprefix("access.") for problem in settings.problems()] == [
        *("issuers[0].key", "issuers[0].tenant", "issuers[0].roles", "issuers[1].roles"),
        *(f"certificates[0].{key}" for key in ("name", "role", "tenant", "tables")),
        "revoked",
    ]
    keys = ({"key": "k", "role": "seat"}, {"key": "k", "roles": ["x"]})
    for wrong in ({"issuer": []}, {"leeway_seconds": -1}, *({"issuers": [key]} for key in keys)):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(wrong, AccessSettings)


@pytest.mark.parametrize("fault", ["no dot", "e30", "e30.AA", "e30.e30.AA", "=.=.=", "x" * 3000, "e30.é.AA"])
def test_text_that_is_no_token_is_refused(fault):
    with pytest.raises(TokenError):
        read_token(fault)


def test_example_of_the_manual_mints_a_token_of_the_issuer():
    """PyJWT makes it as printed, and the server's own Ed25519 verifies it."""
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {"private_key": Ed25519PrivateKey.from_private_bytes(Mint().seed)}
    exec(compile(example, str(README), "exec"), names)  # noqa: S102 - the manual's own code
    token = read_token(names["token"])
    assert token.is_signed_by(VerifierKey.parse(Mint().key).public_key)
    assert token.claims.caller.place == SeatScope(table="acme.7", round_number=3, seat=1)


@pytest.mark.parametrize("is_second_valid", [True, False])
def test_two_authorization_headers_are_refused(guarded, is_second_valid):
    """Also twice the same token: a proxy in front may have checked the other header."""
    token = guarded.mint.token("frontend")
    second = token if is_second_valid else "none"
    metadata = [("authorization", f"Bearer {one}") for one in (second, token)]
    assert guarded.ask(CHECKPOINTS, metadata=metadata) == ("UNAUTHENTICATED", "CREDENTIALS_INVALID")
    assert guarded.ask(CHECKPOINTS, token=token)[1] != "CREDENTIALS_INVALID"
