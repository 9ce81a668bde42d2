"""Settings from a file, the environment and flags: which one counts, and that every fault is reported at once.

Witnesses may be named by a policy file.
"""

import re
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from referee.cli.main import load_command
from referee.server.settings.configuration import DEFAULT_ORIGIN, Configuration
from referee.server.settings.reading import DEFAULT, KEYS, LoadedSettings, SettingsError, flag_of, read_settings
from referee.server.settings.variable import variable_of
from referee.server.settings.witnesses import WitnessAddress, Witnesses, WitnessSettings
from tests.log.test_log_policy import LOG, MLDSA, THREE, parse, vkey

SERVE: Final = load_command("serve")
EXAMPLE: Final = resources.files("referee.server").joinpath("deploy/referee.toml").read_text(encoding="utf-8")
WITNESS: Final = "witness.example/w1+2eab6327+BBc2S2oIZmeuT3dXDfzUmLwDKCHBJvGrAhRqE8QdeK+S"


def read(tmp_path: Path, text: str = "", **more: Any) -> LoadedSettings:  # noqa: ANN401 - whatever is read beside the file
    """Read the settings with this file."""
    file = tmp_path / "referee.toml"
    file.write_text(text, encoding="utf-8")
    return read_settings(file=file, **more)


def faults(tmp_path: Path, text: str = "", **more: Any) -> list[str]:  # noqa: ANN401 - as above
    """Return the faults without the file's folder."""
    with pytest.raises(SettingsError) as caught:
        read(tmp_path, text, **more)
    return [str(fault).replace(f"{tmp_path}/", "") for fault in caught.value.faults]


def test_a_flag_comes_before_a_variable_before_the_file_before_the_default(tmp_path: Path) -> None:
    """One key is set in all places, the next in one place less, and so on."""
    found = read(
        tmp_path,
        "[serve]\nthreads = 2\nqueue = 20\nstreams = 200\n",
        environ={"REFEREE_SERVE_THREADS": "3", "REFEREE_SERVE_QUEUE": "30"},
        flags={"serve.threads": 4},
    )
    serve = found.configuration.serve
    assert (serve.threads, serve.queue, serve.streams, serve.workers) == (4, 30, 200, 1)
    sources = [found.sources[f"serve.{name}"] for name in ("threads", "queue", "streams", "workers")]
    assert sources == ["--threads", "REFEREE_SERVE_QUEUE", f"{tmp_path / 'referee.toml'}, line 4", DEFAULT]


def test_set_reaches_every_key_and_comes_before_other_flags(tmp_path: Path) -> None:
    found = read(tmp_path, flags={"serve.threads": 4}, extra=["serve.threads=5", "limits.idle_seconds = 1.5"])
    assert (found.configuration.serve.threads, found.configuration.limits.idle_seconds) == (5, 1.5)
    assert found.sources["limits.idle_seconds"] == "--set limits.idle_seconds"


@pytest.mark.parametrize("key", KEYS)
def test_every_key_can_be_set_in_the_file_and_by_its_variable(tmp_path: Path, key: str) -> None:
    """Its default, written down, is read back, and is said to come from where it was written."""
    section, name = key.split(".")
    default = msgspec.to_builtins(Configuration())[section][name]
    written = msgspec.json.encode(default).decode()
    found = read(tmp_path, f"[{section}]\n{name} = {written}\n")
    assert (found.configuration, found.sources[key]) == (Configuration(), f"{tmp_path / 'referee.toml'}, line 2")
    text = default if isinstance(default, str) else written
    found = read_settings(environ={variable_of(key): text})
    assert (found.configuration, found.sources[key]) == (Configuration(), variable_of(key))


def test_everything_that_is_wrong_is_reported_at_once(tmp_path: Path) -> None:
    """Each with its place, what is wrong, and what to do; also what another source overrides."""
    message = faults(
        tmp_path,
        '[serve]\nthread = 4\nthreads = "eight"\nlisten = "nowhere"\n\n[lgo]\ndata = "x"\n\n'
        "[witnesses]\nurls = ['http://w:1']\n",
        environ={"REFEREE_SERVE_QUEUE": "none", "REFEREE_SERVE_WORKRS": "2", "HOME": "/root"},
        flags={"serve.workers": 65, "serve.threads": 1},
        extra=["serve", "serve.thraeds=1", "tls.certificate=/nowhere"],
    )
    assert message == [
        "referee.toml, line 2: serve.thread: there is no such key; did you mean threads?",
        "referee.toml, line 3: serve.threads is wrong: Expected int, got str; write a whole number from 1 to 256",
        "referee.toml, line 6: lgo: there is no such key; did you mean log?",
        "REFEREE_SERVE_QUEUE: serve.queue is wrong: Expected int, got str; write a whole number from 1 to 100000",
        "REFEREE_SERVE_WORKRS: there is no such key; did you mean REFEREE_SERVE_WORKERS?",
        "--workers: serve.workers is 65; write a whole number from 1 to 64",
        "--set serve: sets nothing; write --set section.key=value",
        "--set serve.thraeds: there is no such key; did you mean serve.threads?",
        "referee.toml, line 4: serve.listen is 'nowhere'; write host:port, such as 127.0.0.1:50051",
        (
            "referee.toml, line 10: witnesses.keys has 0 keys for 1 addresses; "
            "give the verifier key of each witness, in the order of witnesses.urls"
        ),
        "--set tls.certificate: tls.key is empty, but another file of the section is set; set both, or neither",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[serve\n", "referee.toml, line 1: is not TOML"),
        ("listen = '127.0.0.1:1'\n", "referee.toml, line 1: listen: there is no such key"),
        ("serve = 3\n", "referee.toml, line 1: serve is a section; write [serve], its keys below"),
        ("[serve]\napart = 'yes'\n", "line 2: serve.apart is wrong: Expected bool, got str; write true or false"),
        ("[serve]\nservices = ['log', 'poker']\n", "line 2: serve.services names 'poker'; legal names are rulesets"),
        ("[serve]\nservices = []\n", "line 2: serve.services is empty"),
        ("[serve]\nservices = 'log'\n", "line 2: serve.services is wrong: Expected array, got str; write a list"),
        ("[serve]\ndrain_lead = -1\n", "line 2: serve.drain_lead is -1; write a number from 0 to 3600"),
        ("[serve]\nlisten = 'unix:'\n", "line 2: serve.listen is unix:, which has no path; write unix:/path"),
        (f"[serve]\nlisten = '127.0.0.1:{'9' * 5_000}'\n", "write host:port, such as 127.0.0.1:50051"),
        ("[web]\nlisten = '127.0.0.1:\N{SUPERSCRIPT TWO}'\n", "write host:port, such as 127.0.0.1:8080"),
        ("[serve]\nlisten = 'unix:/run/r'\nworkers = 2\n", "line 2: serve.listen is a Unix socket"),
        ("[serve]\nlisten = '127.0.0.1:65536'\n", "line 2: serve.listen is '127.0.0.1:65536'; write host:port"),
        ("[log]\ndatabase = 'mysql://h/d'\n", "line 2: log.database is not the URL of a PostgreSQL database"),
        ("[log]\ndata = ''\n", "line 2: log.data is empty"),
        ("[log]\norigin = ''\n", "line 2: log.origin is empty"),
        ("[keys]\nsigner = '/run/s'\n", "line 2: keys.signer is '/run/s'; write unix:/run/s"),
        ("[keys]\nsigner = 'tcp:1'\n", "line 2: keys.signer is 'tcp:1'; give a socket"),
        ("[telemetry]\nmetrics = '9464'\n", "line 2: telemetry.metrics is '9464'; write host:port"),
        ("[witnesses]\nurls = ['http://w:1']\nkeys = ['x']\n", "line 2: witnesses are impossible"),
        (f"[witnesses]\nurls = ['ftp://w']\nkeys = ['{WITNESS}']\n", "witnesses are impossible; 'ftp://w'"),
        ("[serve]\nlisten = '0.0.0.0:1'\n", "tls.certificate is empty, and traffic to"),
        ("[limits]\nmessage_bytes = 1\n", "line 2: limits.message_bytes is 1"),
        ("[web]\nlisten = 'x'\n", "line 2: web.listen is x, not an address"),
        ("[[access.issuers]]\nkey = 'no key'\n", "line 1: access.issuers[0].key is not a verifier key"),
    ],
)
def test_what_cannot_be_served_with_is_reported_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    assert message in "\n".join(faults(tmp_path, text))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (None, "cannot be read: .*No such file"),
        (b"\xff", "line 1: is not UTF-8 text"),
        (b"\xff\xfe", "line 1: is UTF-16 text"),
    ],
)
def test_file_that_cannot_be_read_is_reported(tmp_path: Path, data: bytes | None, why: str) -> None:
    if data is not None:
        (tmp_path / "referee.toml").write_bytes(data)
    with pytest.raises(SettingsError, match=why):
        read_settings(file=tmp_path / "referee.toml")


def test_variables_that_orchestrators_set_for_services_are_ignored() -> None:
    """Kubernetes sets these for services called referee, referee-log and referee-serve."""
    environ = {
        **dict.fromkeys(("REFEREE_SERVICE_HOST", "REFEREE_LOG_SERVICE_HOST"), "10.0.0.1"),
        **dict.fromkeys(("REFEREE_PORT", "REFEREE_SERVE_PORT"), "tcp://10.0.0.1:1"),
        "REFEREE_LOG_SERVICE_PORT_GRPC": "1",
        "REFEREE_SERVE_PORT_50051_TCP_ADDR": "10.0.0.1",
        "REFEREE_PASSPHRASE": "not a setting",
    }
    assert read_settings(environ=environ).configuration == Configuration()


@pytest.mark.parametrize(
    ("short", "whole"), [("REFEREE_DATABASE", "REFEREE_LOG_DATABASE"), ("REFEREE_LISTEN", "REFEREE_SERVE_LISTEN")]
)
def test_variable_without_its_section_is_refused_and_named_in_full(short: str, whole: str) -> None:
    """Ignored, it would start a server on another log than its operator meant."""
    with pytest.raises(SettingsError, match=f"{short}: there is no such variable; .*: {whole}"):
        read_settings(environ={short: "postgresql://host/d"})


def test_a_password_is_never_part_of_what_is_wrong(tmp_path: Path) -> None:
    message = faults(
        tmp_path, "[log]\ndatabase = 'mysql://u:hunter2@h/d'\n", environ={"REFEREE_LOG_DATABASE": "x:hunter2@y"}
    )
    assert "hunter2" not in "".join(message)


def test_the_example_has_every_key_commented_out_with_its_default(tmp_path: Path) -> None:
    """Unedited it changes nothing; with its comments taken off it says what is so already, key for key."""
    assert read(tmp_path, EXAMPLE).configuration == Configuration()
    message = re.sub(r"^# (?=[a-z_]+ = )", "", EXAMPLE, flags=re.MULTILINE)
    assert list(KEYS) == [f"{section}.{name}" for section, table in tomllib.loads(message).items() for name in table]
    found = read(tmp_path, message)
    assert found.configuration == Configuration()
    assert DEFAULT not in set(found.sources.values())


def test_the_example_says_something_of_every_key() -> None:
    """Above each key is at least one line of words."""
    lines = EXAMPLE.splitlines()
    keys = [number for number, line in enumerate(lines) if re.match(r"# [a-z_]+ = ", line)]
    assert len(keys) == len(KEYS)
    for number in keys:
        assert re.match(r"# [`A-Z][^=]*\.$|# [a-z][^=]*\.$", lines[number - 1]), lines[number]


def test_flags_have_the_names_that_serve_gives_them() -> None:
    keys = ("serve.listen", "log.data", "telemetry.metrics", "web.listen")
    assert [flag_of(key) for key in keys] == ["--listen", "--data", "--metrics", "--web"]
    assert {flag_of(key) for key in keys} <= {opt for one in SERVE.params for opt in one.opts}


def test_serve_shows_a_dozen_parameters_at_most() -> None:
    """Whatever else is to be set is a key of the configuration, which --set reaches."""
    assert 4 <= len([one for one in SERVE.params if not getattr(one, "hidden", False)]) <= 12


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


PLACEHOLDERS = ("localhost", "localhost:80/a", "example.com/referee", "log.example/1", "a.example.org", "x.test/1")


@pytest.mark.parametrize("origin", [DEFAULT_ORIGIN, *PLACEHOLDERS])
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
