"""TLS and mutual TLS over real sockets: who is let in, and how a certificate changes under a server that runs."""

import datetime as dt
import itertools
import os
import re
import ssl
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Self

import grpc
import pytest
import structlog
from cryptography.hazmat.primitives import serialization

from referee.server.edited_files import EditedFiles
from referee.server.process.app import Application
from referee.server.process.certificate import CertificateFormatError, ServedCertificate, expires_time
from referee.server.settings.access import AccessSettings, Certified, listen_problems
from referee.server.settings.caller_role import CallerRole
from referee.server.settings.tls import TlsFileError, TlsSettings
from referee.v1 import log_pb2, log_pb2_grpc, shuffler_pb2
from tests.driver.messages import method_of, terms_of
from tests.driver.refusal import ending_of
from tests.driver.running import Clock
from tests.server.options import server_options
from tests.server.tls.authority import Authority, Paper
from tests.waiting import until

SECONDS = 60


def settings_in(folder: Path, **more) -> TlsSettings:
    """Return the section for the pair ``server`` in a folder."""
    return TlsSettings(certificate=str(folder / "server.pem"), key=str(folder / "server.key"), **more)


def mutual(folder: Path, authority: Authority) -> TlsSettings:
    """Return the section of a server that asks for certificates of the authority; write its files."""
    authority.server().write(folder)
    (folder / "ca.pem").write_bytes(authority.paper.pem)
    return settings_in(folder, client_ca=str(folder / "ca.pem"))


@contextmanager
def serving(folder: Path, tls: TlsSettings, **more) -> Iterator[Application]:
    """Start a server with this section on the folder's log."""
    settings = server_options(data=folder / "data", tls=tls, sweep=False, **more)
    with Application(settings) as app:
        yield app


def dial(port: int, root: bytes, paper=None) -> grpc.Channel:
    """Connect to the port as a client that trusts the root, with a certificate or without."""
    pair = {} if paper is None else {"private_key": paper.key_pem, "certificate_chain": paper.pem}
    credentials = grpc.ssl_channel_credentials(root, **pair)
    return grpc.secure_channel(f"localhost:{port}", credentials, [("grpc.use_local_subchannel_pool", 1)])


def asked(channel: grpc.Channel) -> str:
    """How asking for the checkpoint ends, on a channel that is closed then."""
    with channel:
        stub = log_pb2_grpc.LogServiceStub(channel)
        return ending_of(stub.GetCheckpoint, log_pb2.GetCheckpointRequest(), timeout=30)[0]


def encrypted(paper: Paper) -> bytes:
    """Return the key of a certificate, in PEM, under a passphrase."""
    sealed = serialization.BestAvailableEncryption(b"passphrase")
    return paper.key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, sealed)


def is_served(port: int, paper: Paper) -> bool:
    """Say whether a new connection is given this certificate."""
    return ssl.get_server_certificate(("127.0.0.1", port)).strip() == paper.pem.decode().strip()


def test_caller_who_trusts_the_authority_is_served(tmp_path, authority):
    """Who trusts another authority, or speaks no TLS, is not."""
    authority.server().write(tmp_path)
    with serving(tmp_path, settings_in(tmp_path)) as app:
        assert asked(dial(app.port, authority.paper.pem)) == "OK"
        assert asked(dial(app.port, Authority("another").paper.pem)) == "UNAVAILABLE"
        assert asked(grpc.insecure_channel(f"127.0.0.1:{app.port}")) == "UNAVAILABLE"


def test_expired_server_is_not_trusted(tmp_path, authority):
    authority.server(ends=-dt.timedelta(hours=1)).write(tmp_path)
    with serving(tmp_path, settings_in(tmp_path)) as app:
        assert asked(dial(app.port, authority.paper.pem)) == "UNAVAILABLE"


def test_mutual_tls_lets_in_whom_the_authority_signed(tmp_path, authority):
    """Not a caller without a certificate, of another authority, or whose certificate has ended."""
    other = Authority("another")
    with serving(tmp_path, mutual(tmp_path, authority)) as app:
        papers = {
            "good": authority.caller("frontend"),
            "none": None,
            "another authority": other.caller("frontend"),
            "ended": authority.caller("frontend", ends=-dt.timedelta(hours=1)),
        }
        found = {name: asked(dial(app.port, authority.paper.pem, paper)) for name, paper in papers.items()}
    assert found == dict.fromkeys(papers, "UNAVAILABLE") | {"good": "OK"}


def test_certificate_names_the_caller_and_its_role(tmp_path, authority):
    """By its SPIFFE id or its common name; a certificate that names nobody is anyone's, and a revoked one nobody's."""
    access = AccessSettings(
        certificates=(
            Certified(name="spiffe://acme/frontend", role=CallerRole.FRONTEND, tenant="acme"),
            Certified(name="CN=auditor-1", role=CallerRole.AUDITOR, tenant="*"),
            Certified(name="CN=auditor-2", role=CallerRole.AUDITOR, tenant="*"),
        ),
        revoked=str(tmp_path / "revoked"),
    )
    (tmp_path / "revoked").write_text("CN=auditor-2 # left\n")
    papers = {
        "frontend": authority.caller("any name", "spiffe://acme/other", "spiffe://acme/frontend"),
        "auditor": authority.caller("auditor-1"),
        "revoked": authority.caller("auditor-2"),
        "looks alike": authority.caller("spiffe://acme/frontend"),
        "nobody": authority.caller("frontend", "spiffe://acme/frontend/2"),
    }
    found: dict[str, list[str]] = {}
    with serving(tmp_path, mutual(tmp_path, authority), access=access) as app:
        for name, paper in papers.items():
            with dial(app.port, authority.paper.pem, paper) as channel:
                log, prepare = log_pb2_grpc.LogServiceStub(channel), method_of(channel, "ShufflerService/PrepareRound")
                calls: list[tuple[Any, Any]] = [
                    (prepare, shuffler_pb2.PrepareRoundRequest(terms=terms_of(table))) for table in ("acme.1", "bcme.1")
                ]
                calls += [(log.ListEntries, log_pb2.ListEntriesRequest()), (log.GetKeys, log_pb2.GetKeysRequest())]
                found[name] = [ending_of(call, request, timeout=30)[0] for call, request in calls]
    denied, unknown = "PERMISSION_DENIED", "UNAUTHENTICATED"
    assert found == {
        "frontend": ["OK", denied, denied, "OK"],
        "auditor": [denied, denied, "OK", "OK"],
        "revoked": [unknown] * 4,
        "looks alike": [unknown, unknown, unknown, "OK"],
        "nobody": [unknown, unknown, unknown, "OK"],
    }


def test_every_way_in_needs_a_certificate_where_nothing_else_protects(tmp_path, authority):
    """A way in without TLS, such as a gateway's socket, does not lead around it."""
    door = f"unix:{tmp_path}/door"
    with serving(tmp_path, mutual(tmp_path, authority), gateway_sockets=[door]) as app:
        assert asked(grpc.insecure_channel(door)) == "UNAUTHENTICATED"
        assert asked(dial(app.port, authority.paper.pem, authority.caller("frontend"))) == "OK"


def test_probes_need_no_certificate(tmp_path, authority):
    """They call the server over a socket of its own, also where each caller must have a certificate."""
    with serving(tmp_path, mutual(tmp_path, authority), metrics="127.0.0.1:0") as app:
        for path in ("healthz", "readyz"):
            with urllib.request.urlopen(f"http://127.0.0.1:{app.metrics_port}/{path}") as answer:
                assert answer.status == 200


def test_new_certificate_is_taken_up_under_load_without_a_failed_call(tmp_path, authority):
    """Callers who connect anew for every call see the old one and then the new one, and no call fails."""
    old = authority.server().write(tmp_path)
    with serving(tmp_path, settings_in(tmp_path)) as app, Knocking(app.port, authority.paper.pem) as knocking:
        assert is_served(app.port, old)
        for _ in range(3):
            until(partial(is_served, app.port, authority.server().write(tmp_path)))
        knocking.more(20)
    assert set(knocking.found) == {"OK"}


def test_open_connection_goes_on_when_the_certificate_changes(tmp_path, authority):
    authority.server().write(tmp_path)
    with serving(tmp_path, settings_in(tmp_path)) as app, dial(app.port, authority.paper.pem) as channel:
        stub = log_pb2_grpc.LogServiceStub(channel)
        before = stub.GetCheckpoint(log_pb2.GetCheckpointRequest(), timeout=30)
        until(partial(is_served, app.port, authority.server().write(tmp_path)))
        assert stub.GetCheckpoint(log_pb2.GetCheckpointRequest(), timeout=30) == before


def test_half_written_pair_keeps_the_old_one_and_says_so_once(tmp_path, authority):
    """A certificate without its key, then a cut-off file; once the pair holds together it is served."""
    old = authority.server().write(tmp_path)
    with structlog.testing.capture_logs() as lines:
        certificate = ServedCertificate(settings_in(tmp_path), monotonic=map(float, itertools.count()).__next__)
        new = authority.server()
        (tmp_path / "server.pem").write_bytes(new.pem)
        assert [certificate.renewed() for _ in range(3)] == [None] * 3
        (tmp_path / "server.key").write_bytes(new.key_pem[:100])
        assert [certificate.renewed() for _ in range(3)] == [None] * 3
        assert certificate.expires_time == int(old.certificate.not_valid_after_utc.timestamp()) * 1000
        (tmp_path / "server.key").write_bytes(new.key_pem)
        assert certificate.renewed() is not None
        assert certificate.renewed() is None
    reported = [line for line in lines if line["log_level"] == "error"]
    assert 1 <= len(reported) <= 2
    assert "do not match" in reported[0]["fault"]
    assert [line["event"] for line in lines if line["log_level"] == "info"] == ["certificate renewed"]


def test_expired_certificate_is_said_at_the_start_and_when_it_expires(tmp_path, authority):
    """It is served, since a new pair needs no restart; the line says what to do, once."""
    ends = int(authority.server().write(tmp_path).certificate.not_valid_after_utc.timestamp()) * 1000
    clock, files = Clock(ends - 1), EditedFiles()
    with structlog.testing.capture_logs() as lines:
        ServedCertificate(settings_in(tmp_path), files=files, clock=clock)
        assert (lines, files.count()) == ([], 0)
        clock.now = ends
        assert [files.count(), files.count()] == [1, 1]
        ServedCertificate(settings_in(tmp_path), clock=clock)
    assert [line["setting"] for line in lines] == ["tls.certificate"] * 2
    assert "it expired at " in lines[0]["fault"]
    assert "renew the pair; no restart is needed" in lines[0]["remedy"]


def test_content_counts_and_not_the_time_of_the_file(tmp_path, authority):
    """A file that was only touched is nothing new; one that was changed within the same second is."""
    authority.server().write(tmp_path)
    certificate = ServedCertificate(settings_in(tmp_path), monotonic=map(float, itertools.count()).__next__)
    before = (tmp_path / "server.pem").stat()
    (tmp_path / "server.pem").touch()
    assert certificate.renewed() is None
    authority.server().write(tmp_path)
    for suffix in ("pem", "key"):
        os.utime(tmp_path / f"server.{suffix}", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert certificate.renewed() is not None


@pytest.mark.slow("starts many processes")
def test_several_workers_take_it_up_each(serve, tmp_path, authority):
    """One port, two processes: after the change every new connection is given the new certificate, and none fails."""
    authority.server().write(tmp_path)
    (tmp_path / "referee.toml").write_text(
        f'[tls]\ncertificate = "{tmp_path}/server.pem"\nkey = "{tmp_path}/server.key"\n'
    )
    process = serve("--workers", "2", "--config", str(tmp_path / "referee.toml"))
    port = int(process.ready["address"].rpartition(":")[2])
    with Knocking(port, authority.paper.pem) as knocking:
        knocking.more(5)
        new = authority.server().write(tmp_path)
        until(lambda: all(is_served(port, new) for _ in range(20)))
        knocking.more(20)
    assert set(knocking.found) == {"OK"}
    assert process.stop() == 0


class Knocking:
    """Callers who connect anew for every call until the block ends; ``found`` has how each call ended."""

    def __init__(self, port: int, root: bytes) -> None:
        self.found: list[str] = []
        self._port, self._root = port, root
        self._done = threading.Event()
        self._threads = [threading.Thread(target=self._knock) for _ in range(2)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        for thread in self._threads:
            thread.join()

    def more(self, calls: int) -> None:
        """So many more calls have ended."""
        before = len(self.found)
        until(lambda: len(self.found) >= before + calls)

    def _knock(self) -> None:
        while not self._done.is_set():
            self.found.append(asked(dial(self._port, self._root)))


@pytest.mark.parametrize(
    ("fault", "key"),
    [
        ("no certificate", "tls.certificate"),
        ("no key", "tls.key"),
        ("key of another", "tls.certificate"),
        ("key for all to read", "tls.key"),
        ("key encrypted", "tls.certificate"),
        ("authority that is none", "tls.client_ca"),
        ("authority that is missing", "tls.client_ca"),
        ("key without certificate", "tls.certificate"),
    ],
)
def test_files_that_cannot_be_served_with_are_reported(tmp_path, authority, fault, key):
    """As a problem of the settings, and as an error where one tries all the same. Nobody is asked for a passphrase."""
    authority.server().write(tmp_path)
    more = {}
    if fault.startswith("no "):
        (tmp_path / f"server.{'pem' if 'cert' in fault else 'key'}").unlink()
    elif fault == "key of another":
        (tmp_path / "server.key").write_bytes(authority.server().key_pem)
    elif fault == "key for all to read":
        (tmp_path / "server.key").chmod(0o644)
    elif fault == "key encrypted":
        (tmp_path / "server.key").write_bytes(encrypted(authority.server()))
    elif fault.startswith("authority"):
        (tmp_path / "ca.pem").write_text("no certificate")
        more = {"client_ca": str(tmp_path / ("ca.pem" if "none" in fault else "missing.pem"))}
    settings = settings_in(tmp_path, **more)
    if fault == "key without certificate":
        settings = TlsSettings(key=settings.key)
    (problem,) = settings.problems()
    assert problem.key == key
    with pytest.raises(TlsFileError, match=key.replace(".", r"\.")):
        ServedCertificate(settings)


def test_end_of_a_certificate_is_read_as_another_implementation_reads_it(authority):
    """In this century, in the last, and beyond 2050, where the form of the time is another."""
    for days in (1, -20_000, 8_000, 40_000):
        paper = authority.server(ends=dt.timedelta(days=days))
        assert expires_time(paper.pem) == int(paper.certificate.not_valid_after_utc.timestamp()) * 1000
    with pytest.raises(CertificateFormatError):
        expires_time(b"-----BEGIN CERTIFICATE-----\nMAAwAA==\n-----END CERTIFICATE-----\n")


@pytest.mark.parametrize(
    ("listen", "keys"),
    [
        ("127.0.0.1:0", []),
        ("unix:/run/referee", []),
        ("0.0.0.0:0", ["tls.certificate", "access.issuers"]),
        ("[::]:0", ["tls.certificate", "access.issuers"]),
        ("10.0.0.1:1", ["tls.certificate", "access.issuers"]),
    ],
)
def test_other_machines_are_served_with_tls_and_callers_or_on_purpose(listen, keys):
    """Neither alone is enough, and ``insecure`` says that it is meant so."""
    off, access = TlsSettings(), AccessSettings()
    assert [problem.key for problem in listen_problems(listen, tls=off, access=access)] == keys
    tls = TlsSettings(certificate="c", key="k")
    assert [problem.key for problem in listen_problems(listen, tls=tls, access=access)] == keys[1:]
    mutual = TlsSettings(certificate="c", key="k", client_ca="a")
    assert list(listen_problems(listen, tls=mutual, access=access)) == []
    assert list(listen_problems(listen, tls=off, access=AccessSettings(insecure=True))) == []


def test_server_does_not_start_where_others_would_reach_it(tmp_path):
    """Before anything is opened or made."""
    with pytest.raises(ValueError, match=r"tls\.certificate is empty"):
        Application(server_options(data=tmp_path / "data", listen="0.0.0.0:0"))
    assert not (tmp_path / "data").exists()


def test_end_of_the_certificate_is_a_figure(tmp_path, authority):
    """Of the one that is served now; 0 without TLS."""
    paper = authority.server().write(tmp_path)
    ends = paper.certificate.not_valid_after_utc.timestamp()
    for tls, expected in ((settings_in(tmp_path), ends), (TlsSettings(), 0)):
        with serving(tmp_path, tls, metrics="127.0.0.1:0") as app:
            text = urllib.request.urlopen(f"http://127.0.0.1:{app.metrics_port}/metrics").read().decode()
        assert float(re.findall(r"^referee_certificate_expires_seconds (.*)$", text, re.MULTILINE)[0]) == int(expected)
