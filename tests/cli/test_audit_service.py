"""``referee audit host:port``, and ``rounds``, of services behind TLS, client certificates and tokens."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.server.process.app import Application
from referee.server.settings.access import AccessSettings, Issuer
from referee.server.settings.tls import TlsSettings
from tests.command import referee
from tests.server.options import server_options
from tests.server.tls.authority import Authority


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority("authority")


@pytest.fixture
def ca(authority: Authority, tmp_path: Path) -> Path:
    """Return the file of the authority that clients trust."""
    file = tmp_path / "ca.pem"
    file.write_bytes(authority.paper.pem)
    return file


@contextmanager
def serving(folder: Path, tls: TlsSettings, access: AccessSettings | None = None) -> Iterator[str]:
    """Serve an empty log and yield the address."""
    settings = server_options(data=folder / "data", tls=tls, access=access or AccessSettings(), sweep=False)
    with Application(settings) as app:
        yield f"localhost:{app.port}"


def served_tls(folder: Path, authority: Authority, client_ca: str = "") -> TlsSettings:
    authority.server().write(folder)
    return TlsSettings(certificate=str(folder / "server.pem"), key=str(folder / "server.key"), client_ca=client_ca)


def audited(*arguments: str | Path, **environment: str) -> tuple[int, str]:
    """Return the exit code and what was found, or the error."""
    done = referee("audit", *arguments, "--json", **environment)
    if done.returncode:
        return done.returncode, done.stderr
    (report,) = [line for line in done.stdout.splitlines() if line.startswith("{")]  # between the server's log lines
    return 0, json.loads(report)["keys_used"]["from"]


def test_service_behind_tls_is_audited_under_its_authority(tmp_path: Path, authority: Authority, ca: Path) -> None:
    with serving(tmp_path, served_tls(tmp_path, authority)) as address:
        assert audited(address, "--ca", ca) == (0, f"the service {address}")
        code, error = audited(address)
        assert code == 2
        assert "give --tls, or --ca" in error
        code, error = audited(address, "--tls")  # the test's authority is none that this machine trusts
        assert code == 2
        assert "must be under --ca" in error


def test_service_that_asks_for_certificates_is_audited_with_one(tmp_path: Path, authority: Authority, ca: Path) -> None:
    authority.caller("lab").write(tmp_path, "lab")
    own = ("--cert", tmp_path / "lab.pem", "--cert-key", tmp_path / "lab.key")
    with serving(tmp_path, served_tls(tmp_path, authority, str(ca))) as address:
        assert audited(address, "--ca", ca, *own)[0] == 0
        code, error = audited(address, "--ca", ca)
        assert code == 2
        assert "some services ask for --cert" in error


def test_service_that_asks_for_tokens_is_audited_with_one(tmp_path: Path, authority: Authority, ca: Path) -> None:
    key = str(tmp_path / "issuer.key")
    issuer = referee("token", "key", key, "--name", "acme.example/tokens").stdout.strip()
    made = referee("token", "issue", "--key", key, "--role", "auditor", "--name", "lab", "--tenant", "*")
    (tmp_path / "token").write_text(made.stdout, encoding="ascii")
    access = AccessSettings(issuers=(Issuer(key=issuer),))
    with serving(tmp_path, served_tls(tmp_path, authority), access) as address:
        assert audited(address, "--ca", ca, "--token-file", tmp_path / "token")[0] == 0
        assert audited(address, "--ca", ca, REFEREE_TOKEN=made.stdout)[0] == 0
        code, error = audited(address, "--ca", ca)
        assert code == 2
        assert "--token-file or REFEREE_TOKEN" in error
        export = ("rounds", address, "--ca", ca, "--out", tmp_path / "rounds")
        assert "--token-file or REFEREE_TOKEN" in referee(*export).stderr
        assert referee(*export, "--token-file", tmp_path / "token").returncode == 0


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--tls"], "--tls: only for a service"),
        (["--ca", "{ca}"], "--ca: only for a service"),
        (["--cert", "{ca}"], "--cert and --cert-key belong together"),
        (["--token-file", "nothing.token"], "nothing.token: No such file or directory"),
    ],
)
def test_options_of_a_service_that_cannot_be_used_are_refused(
    tmp_path: Path, ca: Path, options: list[str], error: str
) -> None:
    code, found = audited(tmp_path, *(one.format(ca=ca) for one in options))
    assert (code, error in found) == (2, True), found
