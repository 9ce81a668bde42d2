"""Tokens of an operator's own identity provider: verified by its keys, mapped to callers, never waited for."""

import base64
import hmac
import json
import time
from typing import Any

import jwt
import pytest

from referee.server.access.authenticator import Authenticator
from referee.server.access.caller import Caller
from referee.server.access.provider_keys import LEAST_SECONDS, KeyState, ProviderKeys
from referee.server.settings.access import AccessSettings, Issuer
from referee.server.settings.caller_role import CallerRole
from referee.server.settings.provider import Provider
from referee.v1 import log_pb2
from referee.wire.refusal import RefusedError
from tests.server.access.guarded import guard
from tests.server.access.identity_provider import (
    ISSUER,
    IdentityProvider,
    claims_of,
    public_key,
    token_of,
)
from tests.server.access.mint import NOW, SECONDS, Mint
from tests.waiting import until

CHECKPOINTS = "/referee.v1.LogService/GetCheckpoint"
PREPARE = "/referee.v1.ShufflerService/PrepareRound"


def settings_of(provider: IdentityProvider, **changes: Any) -> Provider:  # noqa: ANN401 - settings of any type
    made: dict[str, Any] = {
        "issuer": ISSUER,
        "audience": "referee",
        "jwks": provider.url,
        "role_claim": "/realm_access/roles",
        "roles": {"card-dealer": CallerRole.FRONTEND, "card-auditor": CallerRole.AUDITOR},
        "tenant_claim": "org",
    }
    return Provider(**made | changes)


def prover_of(provider: IdentityProvider, **changes: Any) -> Authenticator:  # noqa: ANN401 - settings of any type
    access = {name: changes.pop(name) for name in ("longest_seconds", "revoked", "issuers") if name in changes}
    return Authenticator(AccessSettings(providers=(settings_of(provider, **changes),), **access), clock=lambda: NOW)


def proved(prover: Authenticator, token: str) -> Caller | RefusedError:
    """Return the caller of a token, or why it is refused, once the provider's keys have been fetched."""
    end = time.monotonic() + 60
    while True:
        try:
            return prover.prove(f"Bearer {token}")
        except RefusedError as error:
            if error.reason_name != "PROVIDER_UNAVAILABLE" or time.monotonic() > end:
                return error
            time.sleep(0.01)


def refused(prover: Authenticator, token: str) -> tuple[str, str]:
    """Return reason and message of a token that must be refused."""
    error = proved(prover, token)
    assert isinstance(error, RefusedError), error
    return error.reason_name, str(error)


@pytest.mark.parametrize("kid", ["rsa-1", "ec-1", "ed-1"])
def test_token_of_each_algorithm_names_its_caller(provider, kid):
    caller = proved(prover_of(provider), token_of(kid))
    assert caller == Caller(name="3f1c-dealer", role=CallerRole.FRONTEND, tenant="acme", tables="*")


def test_claims_name_role_tenant_and_tables(provider):
    """The first role of the setting that the token has decides; a fixed tenant needs no claim."""
    prover = prover_of(
        provider, tenant="vip", tenant_claim="", tables="vip.*", tables_claim="tables", role_claim="groups"
    )
    first = proved(prover, token_of(groups="card-auditor", jti=None))
    assert first == Caller(name="3f1c-dealer", role=CallerRole.AUDITOR, tenant="vip", tables="vip.*")
    second = proved(prover, token_of(groups=["card-auditor", "card-dealer"], tables="vip.7*"))
    assert second == Caller(name="3f1c-dealer", role=CallerRole.FRONTEND, tenant="vip", tables="vip.7*")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"aud": "another-service"}, "Audience"),
        ({"aud": None}, '"aud"'),
        ({"exp": None}, '"exp"'),
        ({"iat": None}, '"iat"'),
        ({"sub": None}, '"sub"'),
        ({"sub": "a\u202eb"}, "sub is not"),
        ({"exp": "tomorrow"}, "exp"),
        ({"realm_access": {"roles": ["card-player"]}}, "has none of card-dealer, card-auditor"),
        ({"realm_access": None}, "has none of card-dealer, card-auditor"),
        ({"org": "*"}, "org does not name one tenant"),
        ({"org": ["acme"]}, "org does not name one tenant"),
        ({"org": "a.b"}, "org does not name one tenant"),
        ({"headers": {"crit": ["exp"]}}, "crit"),
        ({"headers": {"kid": ""}}, "publishes no key ''"),
        ({"kid": "rsa-2"}, "publishes no key 'rsa-2'"),
        ({"headers": {"kid": "ec-1"}}, "alg value is not allowed"),
        ({"kid": "rsa-2", "headers": {"kid": "rsa-1"}}, "Signature verification failed"),  # a forgery under its name
    ],
)
def test_token_that_is_not_for_this_service_is_refused_with_its_fault(provider, changes, words):
    reason, message = refused(prover_of(provider), token_of(**changes))
    assert reason == "CREDENTIALS_INVALID"
    assert words in message


def test_algorithms_that_are_not_listed_are_refused(provider):
    prover = prover_of(provider, algorithms=("ES256",))
    assert refused(prover, token_of("rsa-1"))[0] == "CREDENTIALS_INVALID"
    assert isinstance(proved(prover, token_of("ec-1")), Caller)


@pytest.mark.parametrize("algorithm", ["none", "HS256"])
def test_a_token_without_a_published_key_is_refused(provider, algorithm):
    """Also one whose secret is the provider's published key."""
    parts = [{"alg": algorithm, "kid": "rsa-1", "typ": "JWT"}, claims_of()]
    signed = ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)
    mac = base64.urlsafe_b64encode(hmac.digest(b"rsa-1", signed.encode(), "sha256")).decode().rstrip("=")
    reason, message = refused(prover_of(provider), f"{signed}.{'' if algorithm == 'none' else mac}")
    assert (reason, "algorithm other than" in message) == ("CREDENTIALS_INVALID", True)


@pytest.mark.filterwarnings("ignore:The RSA key is 1024 bits")
def test_a_small_rsa_key_is_not_used(provider):
    provider.published = ["rsa-small", "ec-1"]
    reason, message = refused(prover_of(provider), token_of("rsa-small"))
    assert (reason, "publishes no key" in message) == ("CREDENTIALS_INVALID", True)


@pytest.mark.parametrize(("begins", "ends"), [(SECONDS - 60, SECONDS - 31), (SECONDS + 60, SECONDS + 120)])
def test_token_counts_only_in_its_time(provider, begins, ends):
    assert refused(prover_of(provider), token_of(nbf=begins, exp=ends))[0] == "CREDENTIALS_EXPIRED"


def test_a_token_that_lives_too_long_is_refused(provider):
    """By ``access.longest_seconds``; the same holds for tokens of an issuer's key."""
    mint = Mint()
    prover = prover_of(provider, longest_seconds=3600, issuers=(Issuer(key=mint.key),))
    for token in (token_of(exp=SECONDS + 3541), mint.token("frontend", exp=SECONDS + 3541)):
        reason, message = refused(prover, token)
        assert (reason, "access.longest_seconds" in message) == ("CREDENTIALS_INVALID", True)
    for token in (token_of(exp=SECONDS + 3540), mint.token("frontend", exp=SECONDS + 3540)):
        assert isinstance(proved(prover, token), Caller)


@pytest.mark.parametrize("part", ["header", "claims"])
def test_token_that_is_nested_deeply_is_refused_like_any_other(provider, part):
    """Before any of it is verified, so nobody needs a key to send one."""
    deep = base64.urlsafe_b64encode(b'{"iss":"%b","a":' % ISSUER.encode() + b"[" * 2_900 + b"]" * 2_900 + b"}").decode()
    whole = base64.urlsafe_b64encode(b'{"iss":"%b"}' % ISSUER.encode()).decode()
    token = ".".join((deep, whole, "AA") if part == "header" else ("e30", deep, "AA")).replace("=", "")
    assert refused(prover_of(provider), token)[0] == "CREDENTIALS_INVALID"


@pytest.mark.parametrize("line", ["n-1", ISSUER])
def test_a_token_is_revoked_by_its_id_or_its_issuer(provider, tmp_path, line):
    revoked = tmp_path / "revoked"
    revoked.write_text(line)
    assert refused(prover_of(provider, revoked=str(revoked)), token_of())[0] == "CREDENTIALS_REVOKED"


def test_no_call_waits_for_a_provider_that_does_not_answer(provider):
    """Calls are refused with a time to ask again while the fetch runs, and the token is valid once it has ended."""
    provider.may_answer.clear()
    prover = prover_of(provider)
    for _ in range(3):
        with pytest.raises(RefusedError) as raised:
            prover.prove(f"Bearer {token_of()}")
        assert (raised.value.reason_name, raised.value.retry_seconds) == ("PROVIDER_UNAVAILABLE", 1)
    provider.may_answer.set()
    assert isinstance(proved(prover, token_of()), Caller)
    assert provider.requests == 1


def test_unknown_keys_cause_one_fetch_in_thirty_seconds(provider):
    """A thousand invented key ids, then the clock moves on; a key that was added meanwhile is then found."""
    now = [1000.0]
    keys = ProviderKeys(settings_of(provider), monotonic=lambda: now[0])
    assert settled(keys, "rsa-1") is not None
    provider.published = ["rsa-1", "rsa-2"]
    for number in range(1000):
        assert keys.find(f"invented-{number}") is KeyState.ABSENT
    assert (keys.fetches, provider.requests) == (1, 1)
    now[0] += LEAST_SECONDS - 0.001
    assert keys.find("rsa-2") is KeyState.ABSENT
    assert keys.retry_seconds() == 1
    now[0] += 0.001
    assert keys.find("rsa-2") is KeyState.FETCHING
    assert not isinstance(settled(keys, "rsa-2"), KeyState)
    assert (keys.fetches, provider.requests) == (2, 2)


def test_known_keys_are_fetched_again_when_they_are_old(provider):
    """A key that the provider took back is no longer valid, also for a token that was remembered."""
    now = [1000.0]
    keys = ProviderKeys(settings_of(provider, refresh_seconds=600), monotonic=lambda: now[0])
    key = settled(keys, "rsa-1")
    assert not isinstance(key, KeyState)
    provider.published = ["ec-1"]
    now[0] += 599
    assert keys.holds("rsa-1", key)
    now[0] += 1
    until(lambda: not keys.holds("rsa-1", key))
    assert keys.fetches == 2


def test_keys_stay_valid_while_the_provider_is_away(provider):
    now = [1000.0]
    keys = ProviderKeys(settings_of(provider), monotonic=lambda: now[0])
    key = settled(keys, "rsa-1")
    assert not isinstance(key, KeyState)
    provider.published = None
    now[0] += 700
    assert keys.holds("rsa-1", key)
    settled(keys, "another")
    assert provider.requests == 2
    assert keys.holds("rsa-1", key)


def settled(keys: ProviderKeys, kid: str) -> "jwt.PyJWK | KeyState":
    """Return what ``find`` answers once no fetch is under way."""
    until(lambda: keys.find(kid) is not KeyState.FETCHING)
    return keys.find(kid)


def test_a_key_set_may_be_a_file(provider, tmp_path):
    file = tmp_path / "keys.json"
    file.write_text(json.dumps({"keys": [public_key("ed-1")]}))
    prover = prover_of(provider, jwks=str(file))
    assert isinstance(proved(prover, token_of("ed-1")), Caller)
    assert provider.requests == 0


def test_a_caller_logs_in_at_a_server_with_its_providers_token(tmp_path, provider):
    """Beside an issuer of tokens of our own: its role's methods and its tenant's tables, and no other."""
    mint = Mint()
    access = AccessSettings(providers=(settings_of(provider),), issuers=(Issuer(key=mint.key),))
    with guard(tmp_path, access=access) as server:
        until(lambda: server.ask(CHECKPOINTS, token=token_of()) == ("OK", ""))
        assert server.ask(CHECKPOINTS, token=mint.token("frontend")) == ("OK", "")
        auditor = token_of(realm_access={"roles": ["card-auditor"]})
        assert server.ask(PREPARE, token=auditor) == ("PERMISSION_DENIED", "ROLE_FORBIDDEN")
        foreign = log_pb2.GetTableRoundRequest(table_id="other.1").SerializeToString()
        assert server.ask("/referee.v1.LogService/GetTableRound", foreign, token=token_of())[1] == "TABLE_FORBIDDEN"


def test_settings_of_a_provider_are_checked_together(provider, tmp_path):
    wrong = settings_of(
        provider,
        issuer="",
        jwks="http://id.example/keys",
        algorithms=(),
        roles={"player": CallerRole.SEAT},
        tenant="a.b",
        tables="a/b",
        refresh_seconds=1,
        tenant_claim="",
    )
    found = [problem.key for problem in wrong.problems("access.providers[0]")]
    keys = ("issuer", "jwks", "algorithms", "roles", "tenant", "tables", "refresh_seconds")
    assert found == [f"access.providers[0].{key}" for key in keys]
    neither = settings_of(provider, tenant_claim="", jwks=str(tmp_path / "none"))
    assert [problem.key[20:] for problem in neither.problems("access.providers[0]")] == ["jwks", "tenant"]
    twice = AccessSettings(providers=(settings_of(provider), settings_of(provider)))
    assert [problem.key for problem in twice.problems()] == ["access.providers[1].issuer"]
    assert [*settings_of(provider).problems("access.providers[0]")] == []
