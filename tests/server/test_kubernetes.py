"""The manifests for Kubernetes: valid by its schemas, of one piece, and their containers serve as plain processes."""

import os
import shlex
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any, Final

import grpc
import kubernetes_validate  # type: ignore[import-untyped]
import pytest
import yaml
from grpc_health.v1 import health_pb2, health_pb2_grpc

from referee.cli.main import load_command
from referee.server.settings.variable import variable_of
from tests.chaos.process import ServerProcess
from tests.command import referee
from tests.server.tls.authority import Authority
from tests.waiting import until

FOLDER: Final = Path(str(resources.files("referee.server").joinpath("deploy/kubernetes")))
VERSIONS: Final = ("1.29", "1.31", "1.34", "1.37")
GIVEN: Final = {"referee-database": {"url"}, "referee-keys": set[str](), "referee-tls": {"tls.crt", "tls.key"}}
"""The secrets that an operator makes, and their keys as far as a manifest names them."""


def manifests() -> list[dict[str, Any]]:
    """Return the objects of every file that the base lists, which are all files there."""
    base = yaml.safe_load((FOLDER / "kustomization.yaml").read_text(encoding="utf-8"))
    assert sorted([*base["resources"], "kustomization.yaml"]) == sorted(one.name for one in FOLDER.glob("*.yaml"))
    texts = [(FOLDER / name).read_text(encoding="utf-8") for name in base["resources"]]
    return [one for text in texts for one in yaml.safe_load_all(text)]


def named(kind: str, name: str) -> dict[str, Any]:
    """Return the object of a kind and name."""
    return next(one for one in manifests() if (one["kind"], one["metadata"]["name"]) == (kind, name))


def pods() -> Iterator[dict[str, Any]]:
    """Yield the specification of each kind of pod, with the volumes that a stateful set claims for it."""
    server = named("StatefulSet", "referee")["spec"]
    claimed = [{"name": one["metadata"]["name"]} for one in server["volumeClaimTemplates"]]
    yield server["template"]["spec"] | {"volumes": [*server["template"]["spec"]["volumes"], *claimed]}
    yield named("CronJob", "referee-tiles")["spec"]["jobTemplate"]["spec"]["template"]["spec"]


def containers(pod: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the containers of a pod, those of its start first."""
    return [*pod.get("initContainers", ()), *pod["containers"]]


def configuration() -> str:
    """Return the servers' file of settings."""
    return str(named("ConfigMap", "referee")["data"]["referee.toml"])


@pytest.mark.parametrize("version", VERSIONS)
def test_every_object_is_valid_by_the_schemas(version: str) -> None:
    """Strictly: a member that the schema does not have fails."""
    for one in manifests():
        kubernetes_validate.validate(one, version, strict=True)


def test_schemas_refuse_a_member_too_many() -> None:
    wrong = named("StatefulSet", "referee")
    wrong["spec"]["template"]["spec"]["containers"][0]["livenessProb"] = {}
    with pytest.raises(kubernetes_validate.ValidationError, match="livenessProb"):
        kubernetes_validate.validate(wrong, VERSIONS[-1], strict=True)


def test_volumes_secrets_and_claims_that_are_used_are_there() -> None:
    claims = {one["metadata"]["name"] for one in manifests() if one["kind"] == "PersistentVolumeClaim"}
    maps = {one["metadata"]["name"] for one in manifests() if one["kind"] == "ConfigMap"}
    for pod in pods():
        volumes = {one["name"]: one for one in pod["volumes"]}
        assert {mount["name"] for one in containers(pod) for mount in one["volumeMounts"]} == set(volumes)
        for one in volumes.values():
            assert one.get("secret", {"secretName": "referee-tls"})["secretName"] in GIVEN
            assert one.get("configMap", {"name": "referee"})["name"] in maps
            assert one.get("persistentVolumeClaim", {"claimName": "referee-tiles"})["claimName"] in claims
        asked = [env["valueFrom"].get("secretKeyRef") for one in containers(pod) for env in one.get("env", ())]
        assert all(one["key"] in GIVEN[one["name"]] for one in asked if one)
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert all(f"{name} " in text for name in GIVEN)


def test_commands_options_and_variables_exist() -> None:
    known = {variable_of(name) for name in ("log.instance", "log.database")}
    for pod in pods():
        assert {env["name"] for one in containers(pod) for env in one.get("env", ())} <= known
        for one in pod["containers"]:
            assert one["command"] == ["referee"]
            opts = {opt for parameter in load_command(one["args"][0]).params for opt in parameter.opts}
            assert {arg for arg in one["args"] if arg.startswith("--")} <= opts


def test_ports_and_probes_are_those_of_the_settings() -> None:
    server = named("StatefulSet", "referee")["spec"]["template"]["spec"]["containers"][0]
    ports = {one["name"]: one["containerPort"] for one in server["ports"]}
    assert f'listen = "0.0.0.0:{ports["grpc"]}"' in configuration()
    assert f'listen = "0.0.0.0:{ports["web"]}"' in configuration()
    assert f'metrics = "0.0.0.0:{ports["metrics"]}"' in configuration()
    for probe, path in {"startup": "/healthz", "liveness": "/healthz", "readiness": "/readyz"}.items():
        assert server[f"{probe}Probe"]["httpGet"] == {"path": path, "port": "metrics"}
    for name in ("referee", "referee-web"):
        spec = named("Service", name)["spec"]
        assert {port["targetPort"] for port in spec["ports"]} <= set(ports)
        labels = named("StatefulSet", "referee")["spec"]["template"]["metadata"]["labels"]
        assert spec["selector"].items() <= labels.items()
    assert named("PodDisruptionBudget", "referee")["spec"]["selector"]["matchLabels"].items() <= labels.items()


def test_pod_has_time_to_drain() -> None:
    spec = named("StatefulSet", "referee")["spec"]["template"]["spec"]
    seconds = {
        name: float(value)
        for name, value in (line.strip().split(" = ") for line in configuration().splitlines() if "drain_" in line)
        if name.startswith("drain_")
    }
    assert spec["terminationGracePeriodSeconds"] >= seconds["drain_lead"] + 2 * seconds["drain_grace"] + 20


def free_port() -> int:
    """Return a port of the loopback that is free now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def answer(port: int, path: str) -> int:
    """Return the status with which a probe is answered; 0 for no answer."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=7) as found:
            return int(found.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


class Pod:
    """The containers of a server's pod as processes, with folders for its volumes."""

    def __init__(self, folder: Path, authority: Authority, database: str) -> None:
        self.database = database
        self.ports = {name: free_port() for name in ("50051", "8443", "9464")}
        self.spec = named("StatefulSet", "referee")["spec"]["template"]["spec"]
        mounted = {mount["mountPath"] for one in containers(self.spec) for mount in one["volumeMounts"]}
        self.paths = {path: folder / path.replace("/", "_") for path in sorted(mounted, key=len, reverse=True)}
        for path in self.paths.values():
            path.mkdir()
        printed = referee("token", "key", folder / "issuer.key", "--name", "example.com/tokens").stdout
        settings = configuration().replace("ISSUER_KEY", printed.split()[-1])
        for port, free in self.ports.items():
            settings = settings.replace(f"0.0.0.0:{port}", f"127.0.0.1:{free}")
        settings = settings.replace("drain_lead = 15.0", "drain_lead = 0.5")
        (self.paths["/etc/referee/configuration"] / "referee.toml").write_text(self.here(settings))
        paper = authority.server()
        (self.paths["/etc/referee/tls"] / "tls.crt").write_bytes(paper.pem)
        (self.paths["/etc/referee/tls"] / "tls.key").write_bytes(paper.key_pem)
        (self.paths["/etc/referee/tls"] / "tls.key").chmod(0o440)

    def here(self, text: str) -> str:
        """Write the paths of volumes as those of their folders."""
        for path, folder in self.paths.items():
            text = text.replace(path, str(folder))
        return text

    def start(self, name: str, folder: Path) -> ServerProcess:
        """Start a container by the name."""
        one = next(one for one in self.spec["containers"] if one["name"] == name)
        process = ServerProcess()
        with (folder / f"{name}.log").open("wb") as errors:
            process.launch(
                ["-m", "referee", *map(self.here, one["args"])],
                errors=errors,
                env=os.environ | {"REFEREE_LOG_INSTANCE": "referee-0", "REFEREE_LOG_DATABASE": self.database},
                cwd=folder,
            )
        return process


@pytest.mark.skipif(sys.platform == "win32", reason="a pod's containers are for Linux")
def test_containers_serve_answer_their_probes_and_drain(tmp_path: Path, authority: Authority, url: str) -> None:
    """From the secrets that an operator makes as the page says, to a call with a token, and a drain within the time."""
    pod = Pod(tmp_path, authority, url)
    first = ServerProcess()
    keys = ["--data", str(tmp_path / "first"), "--set", f"keys.root={tmp_path / 'root.key'}"]
    first.launch(["-m", "referee", "serve", *keys, "--database", url, "--listen", "127.0.0.1:0"])
    assert first.stop() == 0
    assert not (tmp_path / "first" / "keys" / "root.key").exists()
    for file in (tmp_path / "first" / "keys").iterdir():
        (pod.paths["/etc/referee/keys"] / file.name).write_bytes(file.read_bytes())
    [copy] = pod.spec["initContainers"]
    for _ in range(2):  # a second start finds the keys and leaves them
        subprocess.run([*copy["command"], pod.here(copy["args"][0])], check=True, timeout=30)
    token = tmp_path / "admin.token"
    issued = referee(
        *shlex.split("token issue --role admin --tenant * --name an --seconds 900 --key"), tmp_path / "issuer.key"
    )
    token.write_text(issued.stdout)
    (tmp_path / "ca.pem").write_bytes(authority.paper.pem)
    advise = pod.start("advise", tmp_path)
    server = pod.start("referee", tmp_path)
    try:
        until(lambda: answer(pod.ports["9464"], "/readyz") == 200, "the pod is not ready")
        assert answer(pod.ports["9464"], "/healthz") == 200
        address = f"127.0.0.1:{pod.ports['50051']}"
        done = referee("status", address, "--ca", tmp_path / "ca.pem", "--token-file", token)
        assert (done.returncode, done.stdout.splitlines()[0].partition(", version")[0]) == (
            0,
            f"{address}: server referee-0",
        ), done.stderr
        with grpc.secure_channel(address, grpc.ssl_channel_credentials(authority.paper.pem)) as channel:
            ask = health_pb2_grpc.HealthStub(channel).Check
            of = health_pb2.HealthCheckRequest(service="referee.v1.AdviceService")
            until(lambda: ask(of, timeout=10).status == health_pb2.HealthCheckResponse.SERVING, "nobody advises")
        assert server.stop() == 0
    finally:
        server.stop()
        advise.stop()
