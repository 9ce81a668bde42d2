"""The doctor asks identity providers for their keys, and says whose tokens would be accepted."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

from referee.cli.main import app
from referee.server.doctor import CheckResult
from referee.server.doctor.providers import WAIT_SECONDS, check_providers
from referee.server.settings.access import AccessSettings
from referee.server.settings.caller_role import CallerRole
from referee.server.settings.configuration import Configuration
from referee.server.settings.provider import Provider
from tests.server.access.identity_provider import ISSUER, IdentityProvider, identity_provider, public_key
from tests.server.doctor.examining import by_check


@pytest.fixture
def provider() -> Iterator[IdentityProvider]:
    with identity_provider() as running:
        yield running


def found(jwks: str, *, seconds: float = WAIT_SECONDS, **changes: Any) -> CheckResult:  # noqa: ANN401 - any setting
    made: dict[str, Any] = {"issuer": ISSUER, "audience": "referee", "tenant": "acme", "jwks": jwks}
    setting = Provider(**made | {"roles": {"dealer": CallerRole.FRONTEND}} | changes)
    access = AccessSettings(providers=(setting,))
    return by_check(check_providers(msgspec.structs.replace(Configuration(), access=access), seconds=seconds))[ISSUER]


def test_machine_without_providers_is_not_asked_about_them() -> None:
    assert list(check_providers(Configuration())) == []


def test_provider_is_well_with_the_keys_that_it_publishes(provider: IdentityProvider) -> None:
    assert found(provider.url) == CheckResult.ok(ISSUER, "3 keys; accepts rsa-1 (RS256), ec-1 (ES256), ed-1 (EdDSA)")
    assert provider.requests == 1


def test_keys_that_are_refused_are_named_with_the_reason(provider: IdentityProvider, tmp_path: Path) -> None:
    provider.published = ["ec-1", "rsa-small", "ed-1"]
    assert found(provider.url, algorithms=("ES256", "RS256")).measured == (
        "3 keys; accepts ec-1 (ES256); refuses rsa-small (has 1024 bits, and 2048 are needed), ed-1 (signs with EdDSA)"
    )
    file = tmp_path / "keys.json"
    sealing = {**public_key("rsa-1"), "use": "enc"}
    nameless = {name: value for name, value in public_key("ed-1").items() if name != "kid"}
    file.write_text(json.dumps({"keys": [sealing, public_key("rsa-2"), nameless]}))
    assert found(str(file)).measured == (
        "3 keys; accepts rsa-2 (RS256); refuses rsa-1 (is for enc, not for signatures), a key (has no kid)"
    )


def test_provider_none_of_whose_keys_are_accepted_fails(provider: IdentityProvider) -> None:
    provider.published = ["rsa-1"]
    result = found(provider.url, algorithms=("ES256",))
    assert (result.level.name, result.measured) == ("FAIL", "1 keys; accepts none; refuses rsa-1 (signs with RS256)")
    assert "for ES256" in result.remedy


@contextmanager
def dripping() -> Iterator[str]:
    """Run a server that sends its answer byte by byte, without an end."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        over = threading.Event()

        def drip() -> None:
            with listening.accept()[0] as connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n")
                while not over.wait(0.05):
                    connection.sendall(b" ")

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/keys"
        over.set()
        thread.join(60)


@pytest.mark.parametrize("kind", ["refused", "down", "no key set", "no file", "drips"])
def test_provider_without_keys_is_warned_of_and_says_what_to_do(
    provider: IdentityProvider, tmp_path: Path, kind: str
) -> None:
    """Tokens of other issuers are still served, so nothing has failed."""
    provider.published = None if kind == "down" else []
    place, words = provider.url, "503" if kind == "down" else "did not contain any keys"
    if kind == "refused":
        with socket.create_server(("127.0.0.1", 0)) as nobody:
            place, words = f"http://127.0.0.1:{nobody.getsockname()[1]}/keys", "refused"
    if kind == "no file":
        place, words = str(tmp_path / "nowhere.json"), "No such file"
    if kind == "drips":
        began = time.monotonic()
        with dripping() as place:
            result = found(place, seconds=0.5)
        assert time.monotonic() - began < 60, "the doctor waited for the end of an answer that has none"
        words = "no whole answer within 0.5 s"
    else:
        result = found(place)
    assert result.level.name == "WARN"
    assert place in result.measured
    assert words in result.measured
    assert "jwks_uri" in result.remedy


def test_the_command_shows_the_provider_of_its_configuration(provider: IdentityProvider, tmp_path: Path) -> None:
    file = tmp_path / "referee.toml"
    file.write_text(
        f'[[access.providers]]\nissuer = "{ISSUER}"\naudience = "referee"\njwks = "{provider.url}"\n'
        'tenant = "acme"\nroles = { dealer = "frontend" }\n'
    )
    arguments = ["doctor", "--config", str(file), "--data", str(tmp_path / "data"), "--json"]
    done = CliRunner().invoke(app, [*arguments, "--set", "serve.listen=127.0.0.1:0"])
    shown = [one for one in json.loads(done.stdout)["checks"] if one["group"] == "identity providers"]
    assert [(one["check"], one["level"]) for one in shown] == [(ISSUER, "OK")]
