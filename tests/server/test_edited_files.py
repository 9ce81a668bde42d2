"""Files that people edit fail closed: damage is refused at the start, and while the server runs changes nothing."""

import itertools
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import grpc
import msgspec
import pytest
import structlog
from grpc_health.v1 import health_pb2, health_pb2_grpc
from typer.testing import CliRunner

from referee.cli.main import app as command
from referee.rulesets.catalogue import load_folder
from referee.rulesets.ruleset import RulesetError
from referee.server.access.provider_keys import key_set_of
from referee.server.edited_files import HEALTH_NAME, EditedFiles
from referee.server.keys.private_key import KeyFileError, read_key
from referee.server.name_file import NameFile, read_names
from referee.server.process.app import Application
from referee.server.settings.configuration import Configuration
from referee.server.settings.reading import KEYS, SettingsError, read_settings
from referee.server.settings.tls import CertificateFiles, TlsFileError, TlsSettings
from referee.server.settings.witnesses import WitnessSettings
from tests.server.options import server_options
from tests.waiting import until

DAMAGE: Final = {
    "one byte of Latin-1": b"\xf0",
    "UTF-16": "mau_binh.classic\n".encode("utf-16"),
    "a NUL": b"\0",
    "binary": bytes(range(256)),
}


def names_of(setting: str) -> Callable[[Path], object]:
    return lambda path: NameFile(str(path), setting=setting)


def of_folder(path: Path) -> object:
    path.rename(path.with_suffix(".toml"))
    return load_folder(path.parent)


def of_tls(name: str) -> Callable[[Path], object]:
    def read(path: Path) -> object:
        path.chmod(0o600)
        settings = TlsSettings(**dict.fromkeys(("certificate", "key"), str(path)), client_ca=str(path))
        CertificateFiles.read(settings).check(settings)
        return name

    return read


def of_key(path: Path) -> object:
    path.chmod(0o600)
    return read_key(path)


READ: Final[dict[str, tuple[Callable[[Path], object], tuple[type[Exception], ...]]]] = {
    "access.providers": (lambda path: key_set_of(path.read_bytes()), (ValueError,)),
    "access.revoked": (names_of("access.revoked"), (ValueError,)),
    "keys.root": (of_key, (KeyFileError,)),
    "serve.closed": (names_of("serve.closed"), (ValueError,)),
    "serve.rulesets": (of_folder, (RulesetError,)),
    "tls.certificate": (of_tls("certificate"), (TlsFileError,)),
    "tls.client_ca": (of_tls("client_ca"), (TlsFileError,)),
    "tls.key": (of_tls("key"), (TlsFileError,)),
    "witnesses.policy": (lambda path: WitnessSettings(policy=str(path)).parsed(), (ValueError,)),
    "--config": (lambda path: read_settings(file=path), (SettingsError,)),
}
"""Each setting that names a file for people to edit: how the file is read at the start, and how it is refused."""
NAMES: Final = (HEALTH_NAME, "")
OTHER: Final = {
    "keys.passphrase_file": "a secret, which damaged decrypts no key",
    "log.data": "a folder that the server writes itself",
    "web.page": "a folder of a built page",
}
"""Settings whose descriptions speak of files that are not read so."""


def test_every_setting_that_names_a_file_is_read_in_the_table_below():
    described = {
        f"{section.name}.{name}"
        for section in msgspec.structs.fields(Configuration)
        for name in (one.name for one in msgspec.structs.fields(section.type))
        if name in {"revoked", "closed", "rulesets", "page", "root", "data", "providers", "policy"} or "file" in name
    }
    described |= {key for key in KEYS if key.startswith("tls.")}
    assert described - set(READ) - set(OTHER) == set()
    assert {*READ, *OTHER} - {"--config"} <= set(KEYS)


@pytest.mark.parametrize("setting", READ)
@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_file_is_refused_at_the_start(tmp_path, setting, damage):
    path, (read, refusals) = tmp_path / "edited", READ[setting]
    path.write_bytes(DAMAGE[damage])
    with pytest.raises(refusals) as error:
        read(path)
    assert str(error.value)


@pytest.mark.parametrize(("setting", "name"), [("access.revoked", "t-17"), ("serve.closed", "mau_binh.classic")])
def test_byte_order_mark_and_other_letters_in_comments_hide_no_name(tmp_path, setting, name):
    path = tmp_path / "edited"
    path.write_bytes(
        b"\xef\xbb\xbf# m\xe1\xba\xa5t c\xe1\xba\xafp\r\n" + name.encode() + b" # \xf0 in another encoding\n"
    )
    assert NameFile(str(path), setting=setting).has(name)


def test_bad_line_is_named_and_hides_no_other():
    found = read_names(b"mau_binh.classic\nmau binh\n\xff\ntien_len.mien_nam\n", setting="serve.closed")
    assert found.names == {"mau_binh.classic", "tien_len.mien_nam"}
    assert found.fault == "line 2 is 'mau binh', which is no ruleset; so are 1 more lines"


@pytest.mark.parametrize("damage", [*DAMAGE, "gone"])
def test_damage_while_the_server_runs_drops_no_name(tmp_path, damage):
    """New names of good lines count; an emptied file is an edit like any other."""
    path, files = tmp_path / "edited", EditedFiles()
    path.write_bytes(b"t-1\n")
    with structlog.testing.capture_logs() as lines:
        names = NameFile(
            str(path), setting="access.revoked", files=files, monotonic=map(float, itertools.count()).__next__
        )
        with suppress(KeyError):
            path.write_bytes(b"t-2\n" + DAMAGE[damage])
        if damage == "gone":
            path.unlink()
        assert names.has("t-1")
        assert names.has("t-2") is (damage != "gone")
        assert (files.count(), files.count()) == (1, 1)
        path.write_bytes(b"t-3\n")
        assert (names.has("t-3"), names.has("t-1"), files.count()) == (True, False, 0)
    assert [(line["log_level"], line["setting"]) for line in lines] == [
        ("error", "access.revoked"),
        ("warning", "access.revoked"),
    ]
    assert lines[0]["fault"]
    assert lines[0]["remedy"]


def test_health_and_metric_know_a_file_with_a_fault(tmp_path):
    """The server itself goes on: one line of a file takes no table away."""
    path = tmp_path / "closed"
    path.touch()
    with Application(server_options(data=tmp_path / "data", closed=str(path), metrics="127.0.0.1:0")) as app:
        health = health_pb2_grpc.HealthStub(grpc.insecure_channel(f"127.0.0.1:{app.port}"))

        def statuses() -> tuple[str, str]:
            app.files.count()
            asked = [
                health.Check(health_pb2.HealthCheckRequest(service=name), timeout=30) for name in (HEALTH_NAME, "")
            ]
            names = [health_pb2.HealthCheckResponse.ServingStatus.Name(one.status) for one in asked]
            return names[0], names[1]

        assert statuses() == ("SERVING", "SERVING")
        path.write_bytes(b"\xff\n")
        until(lambda: statuses() == ("NOT_SERVING", "SERVING"), "health does not know of the fault")
        path.write_bytes(b"")
        until(lambda: statuses() == ("SERVING", "SERVING"), "health does not know that the file is mended")


@pytest.mark.parametrize("subcommand", ["doctor", "serve"])
def test_command_names_the_file_and_the_line(tmp_path, subcommand):
    path = tmp_path / "closed"
    path.write_bytes(b"mau_binh.classic\nm\xe2u binh\n")
    environ = {"REFEREE_SERVE_CLOSED": str(path), "REFEREE_LOG_DATA": str(tmp_path / "data")}
    found = CliRunner().invoke(command, [subcommand], env=environ)
    assert found.exit_code != 0
    assert f"{path}: line 2 is " in " ".join(found.output.split())
