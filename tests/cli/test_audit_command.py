"""``referee audit``: services behind TLS, client certificates and tokens, witnesses by a policy, narrow terminals."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from referee.server.process.app import Application
from referee.server.settings.access import AccessSettings, Issuer
from referee.server.settings.tls import TlsSettings
from tests.cli.printing import printed
from tests.command import referee, refused
from tests.demo_log import DemoLog
from tests.log.test_log_policy import LOG, MLDSA, THREE
from tests.server.options import server_options
from tests.server.tls.authority import Authority


@dataclass
class Served:
    """A folder with the files of a service behind TLS."""

    folder: Path
    authority: Authority

    @property
    def ca(self) -> Path:
        """The file of the authority that clients trust."""
        return self.folder / "ca.pem"

    @contextmanager
    def serving(self, *, client_ca: str = "", access: AccessSettings | None = None) -> Iterator[str]:
        """Serve an empty log and yield the address."""
        pair = {"certificate": str(self.folder / "server.pem"), "key": str(self.folder / "server.key")}
        tls = TlsSettings(**pair, client_ca=client_ca)
        settings = server_options(data=self.folder / "data", tls=tls, access=access or AccessSettings(), sweep=False)
        with Application(settings) as app:
            yield f"localhost:{app.port}"


@pytest.fixture
def served(tmp_path: Path) -> Served:
    authority = Authority("authority")
    authority.server().write(tmp_path)
    (tmp_path / "ca.pem").write_bytes(authority.paper.pem)
    return Served(tmp_path, authority)


def audited(*arguments: str | Path, **environment: str) -> str:
    """Audit; return what the keys are from."""
    (report,) = [line for line in printed("audit", *arguments, "--json", **environment).splitlines() if line[0] == "{"]
    return str(json.loads(report)["keys_used"]["from"])  # the other lines are of the server's own log


def test_service_behind_tls_is_audited_under_its_authority(served: Served) -> None:
    with served.serving() as address:
        assert audited(address, "--ca", served.ca) == f"the service {address}"
        assert "give --tls, or --ca" in refused("audit", address)
        assert "must be under --ca" in refused(
            "audit", address, "--tls"
        )  # an authority that this machine does not trust


def test_service_that_asks_for_certificates_is_audited_with_one(served: Served) -> None:
    served.authority.caller("lab").write(served.folder, "lab")
    own = ("--cert", served.folder / "lab.pem", "--cert-key", served.folder / "lab.key")
    with served.serving(client_ca=str(served.ca)) as address:
        assert audited(address, "--ca", served.ca, *own)
        assert "some services ask for --cert" in refused("audit", address, "--ca", served.ca)


def test_service_that_asks_for_tokens_is_audited_with_one(served: Served, tmp_path: Path) -> None:
    key, file = tmp_path / "issuer.key", ("--token-file", tmp_path / "token")
    issuer = printed("token", "key", key, "--name", "acme.example/tokens").strip()
    token = printed("token", "issue", "--key", key, "--role", "auditor", "--name", "lab", "--tenant", "*")
    file[1].write_text(token, encoding="ascii")
    with served.serving(access=AccessSettings(issuers=(Issuer(key=issuer),))) as address:
        place = (address, "--ca", served.ca)
        assert audited(*place, *file) == audited(*place, REFEREE_TOKEN=token)
        for command in (("audit", *place), ("rounds", "export", *place, "--out", tmp_path / "rounds")):
            assert "--token-file or REFEREE_TOKEN" in refused(*command)
        printed("rounds", "export", *place, "--out", tmp_path / "rounds", *file)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--tls"], "--tls: only for a service"),
        (["--ca", "{ca}"], "--ca: only for a service"),
        (["--cert", "{ca}"], "--cert and --cert-key belong together"),
        (["--token-file", "nothing.token"], "nothing.token: No such file or directory"),
    ],
)
def test_options_of_a_service_that_cannot_be_used_are_refused(tmp_path: Path, options: list[str], error: str) -> None:
    (tmp_path / "ca.pem").write_bytes(Authority("authority").paper.pem)
    assert error in refused("audit", tmp_path, *(one.format(ca=tmp_path / "ca.pem") for one in options))


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (f"{THREE}quorum X9\n", (), "line 4 of the policy: 'X9' is not defined"),
        (f"{THREE}quorum X1\n", ("--quorum", "1"), "leave --witness and --quorum out"),
        (f"{THREE}{MLDSA}group g any X1 Q1\nquorum g\n", (), "the key of 'Q1' is of a type that is not verified here"),
    ],
)
def test_policy_is_read_before_the_log(policy: Path, tmp_path: Path, text: str, options: tuple[str, ...], words: str):
    """The place holds no log."""
    policy.write_text(text, encoding="utf-8")
    assert words in " ".join(refused("audit", tmp_path / "nowhere", "--policy", policy, *options).split())


def test_policy_for_another_log_is_refused(policy: Path, demo_log: DemoLog) -> None:
    policy.write_text(f"{LOG}{THREE}quorum X1\n", encoding="utf-8")
    assert "does not name this log" in " ".join(refused("audit", demo_log.data, "--policy", policy).split())


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """Return the file of a policy that a test writes."""
    return tmp_path / "policy"


def test_witnesses_of_a_policy_are_missed_where_they_did_not_cosign(policy: Path, demo_log: DemoLog) -> None:
    """The same finding as with --witness and --quorum."""
    policy.write_text(f"{THREE}group g 2 X1 X2 X3\nquorum g\n", encoding="utf-8")
    named = [word for line in THREE.splitlines() for word in ("--witness", line.split()[2])]
    audits = [
        referee("audit", demo_log.data, "--json", *options)
        for options in (("--policy", policy), ("--quorum", "2", *named))
    ]
    assert [done.returncode for done in audits] == [1, 1], audits[0].stderr
    found = [json.loads(done.stdout)["findings"] for done in audits]
    assert found[0] == found[1] != []
