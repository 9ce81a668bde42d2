"""Keys that another process holds: what it signs, what it refuses, and a server whose signer dies and comes back."""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Final, TypeAlias

import pytest

from referee.dealing.leaf import DEAL_TYPE, KEY_TYPE
from referee.evidence.dsse import pae
from referee.evidence.ed25519 import SignerUnavailableError, is_signature
from referee.log import Checkpoint
from referee.server.keys.folder import ROLES, KeyFolder
from referee.server.keys.private_key import KeySigner
from referee.server.keys.remote_signer import MAX_MESSAGE, AgentClient, RemoteSigner
from referee.server.keys.signing_agent import SigningAgent
from referee.v1 import log_pb2
from tests.chaos.process import ServerProcess
from tests.command import refused
from tests.driver.driver import settle
from tests.driver.refusal import refusal_of
from tests.server.processes import Serve
from tests.waiting import until

Ask: TypeAlias = Callable[..., RemoteSigner]

ORIGIN: Final = "log.example/1"
START_SECONDS: Final = 60
KEYS: Final = {
    role: KeySigner(f"{ORIGIN}/{role}" if role != "log" else ORIGIN, role.encode().ljust(32)) for role in ROLES
}
STATEMENT: Final = pae(DEAL_TYPE, b"{}")
NAMING: Final = pae(KEY_TYPE, b"{}")
CHECKPOINT: Final = Checkpoint(ORIGIN, 3, b"r" * 32).body.encode()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "signer.sock"


@pytest.fixture
def agent(path: Path) -> Iterator[SigningAgent]:
    with closing(SigningAgent(path, KEYS).start()) as running:
        yield running


@pytest.fixture
def ask(path: Path) -> Iterator[Ask]:
    """Return a client of this test's socket and close it at the end."""
    agents: list[AgentClient] = []

    def asking(role: str, **more: float) -> RemoteSigner:
        agents.append(AgentClient(f"unix:{path}", **more))
        return agents[-1].signer(role)

    yield asking
    for one in agents:
        one.close()


@pytest.mark.parametrize(
    ("role", "message"), [("log", CHECKPOINT), ("root", NAMING), ("shuffler", STATEMENT), ("referee", STATEMENT)]
)
@pytest.mark.usefixtures("agent")
def test_it_signs_for_each_role_what_that_role_says(ask: Ask, role: str, message: bytes) -> None:
    signer = ask(role)
    assert (signer.key, signer.name, signer.verifier_key) == (KEYS[role].key, KEYS[role].name, KEYS[role].verifier_key)
    assert is_signature(signer.sign(message), message, KEYS[role].public_key)


@pytest.mark.parametrize(
    ("role", "message", "expected"),
    [
        *(("log", message, "signs checkpoints and nothing else") for message in (STATEMENT, b"\xff", b"")),
        ("log", Checkpoint("other.example", 3, b"r" * 32).body.encode(), "signs checkpoints of 'log.example/1'"),
        *(("root", message, "the root's key signs no such statement") for message in (STATEMENT, CHECKPOINT)),
        *(("shuffler", message, "the shuffler's key signs no such statement") for message in (NAMING, b"anything")),
        *(("referee", message, "the referee's key signs no such statement") for message in (NAMING, CHECKPOINT)),
        ("referee", pae(DEAL_TYPE, bytes(MAX_MESSAGE - 40)), "more than 65536 bytes"),
    ],
)
@pytest.mark.usefixtures("agent")
def test_it_does_not_sign_for_one_role_what_another_says(ask: Ask, role: str, message: bytes, expected: str) -> None:
    """A server that was taken over cannot name keys, nor have anything signed in the log's name but checkpoints."""
    with pytest.raises(SignerUnavailableError, match=expected):
        ask(role).sign(message)


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        *((line, "NO the request is not") for line in ("", "KEY", "KEY log log", "SIGN log", "key log")),
        *((line, "NO this agent has no key for 'cook'") for line in ("KEY cook", "SIGN cook 00")),
        *((line, "NO the message is not in hexadecimal digits") for line in ("SIGN log 0", "SIGN log zz")),
    ],
)
def test_request_that_is_none_is_answered_with_why(agent: SigningAgent, line: str, answer: str) -> None:
    assert agent.answer(line).startswith(answer)


def test_role_that_was_not_given_is_not_signed_for(ask: Ask, path: Path) -> None:
    """An agent without the root's key cannot be made to name keys."""
    with closing(SigningAgent(path, {"referee": KEYS["referee"]}).start()):
        assert ask("referee").key == KEYS["referee"].key
        with pytest.raises(SignerUnavailableError, match="this agent has no key for 'root', only for referee"):
            ask("root")


@pytest.mark.usefixtures("agent")
def test_many_ask_at_once_on_one_connection_and_on_many(ask: Ask) -> None:
    """Each has the signature of its own message."""
    signers = [ask("referee") for _ in range(4)]
    messages = [pae(DEAL_TYPE, str(number).encode()) for number in range(200)]
    with ThreadPoolExecutor(8) as threads:
        signed = threads.map(lambda one: signers[one[0] % 4].sign(one[1]), enumerate(messages))
    assert all(
        is_signature(one, message, KEYS["referee"].public_key) for one, message in zip(signed, messages, strict=True)
    )


@pytest.mark.usefixtures("agent")
def test_socket_is_its_users_alone(path: Path) -> None:
    assert path.stat().st_mode & 0o777 == 0o600


def test_socket_may_be_opened_to_a_group(path: Path) -> None:
    answering = SigningAgent(path, KEYS, group=os.getgid()).start()
    assert path.stat().st_mode & 0o777 == 0o660
    answering.close()
    assert not path.exists()


@pytest.mark.usefixtures("agent")
def test_second_agent_does_not_take_the_place_of_one_that_answers(path: Path) -> None:
    """But one that was killed leaves a socket behind that the next one clears away."""
    with pytest.raises(OSError, match="another process answers there"):
        SigningAgent(path, KEYS)
    left = path.with_name("left.sock")
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(left))
    SigningAgent(left, KEYS).start().close()


def test_agent_that_comes_back_is_found_at_once(ask: Ask, path: Path) -> None:
    with closing(SigningAgent(path, KEYS).start()):
        signer = ask("referee")
        assert signer.sign(STATEMENT)
    for _ in range(2):
        with pytest.raises(SignerUnavailableError, match="cannot be reached"):
            signer.sign(STATEMENT)
    with closing(SigningAgent(path, KEYS).start()):
        assert is_signature(signer.sign(STATEMENT), STATEMENT, KEYS["referee"].public_key)


@pytest.fixture
def answering(path: Path) -> Iterator[Callable[[bytes], None]]:
    """Return a function after which something at the socket answers one request so, and hangs up."""
    threads: list[threading.Thread] = []

    def serve(listening: socket.socket, answer: bytes) -> None:
        connection, _ = listening.accept()
        with listening, connection, connection.makefile("rwb") as file:
            file.readline()
            file.write(answer)

    def begin(answer: bytes) -> None:
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(str(path))
        listening.listen()
        threads.append(threading.Thread(target=serve, args=(listening, answer), daemon=True))
        threads[-1].start()

    yield begin
    for thread in threads:
        thread.join(START_SECONDS)
        assert not thread.is_alive(), "nobody asked"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (b"OK " + b"00" * 64 + b"\n", "sent no signature by"),
        (b"OK zz\n", "sent no signature by"),
        (b"OK\n", "sent no signature by"),
        (b"NO I will not\n", "refuses: I will not"),
        (b"HTTP/1.1 200 OK\n", "refuses: HTTP/1.1"),
        (b"\xff\n", "refuses"),
    ],
)
def test_what_is_no_signature_never_leaves(ask: Ask, path: Path, answering, answer: bytes, expected: str) -> None:
    """Whatever answers there, a server says nothing with a signature that does not verify."""
    honest = SigningAgent(path, KEYS).start()
    signer = ask("referee")
    honest.close()
    answering(answer)
    with pytest.raises(SignerUnavailableError, match=expected):
        signer.sign(STATEMENT)


def test_signer_that_does_not_answer_is_given_up_in_time(ask: Ask, path: Path) -> None:
    quiet = socket.socket(socket.AF_UNIX)
    quiet.bind(str(path))
    quiet.listen()
    with pytest.raises(SignerUnavailableError, match="cannot be reached: timed out"):
        ask("log", seconds=0.2)
    quiet.close()


def test_signer_that_hangs_up_each_time_is_given_up(ask: Ask, answering) -> None:
    answering(b"")
    with pytest.raises(SignerUnavailableError, match="closed the connection"):
        ask("log")


class AgentProcess(ServerProcess):
    """One ``referee keys agent``."""

    def __init__(self, keys: Path, path: Path) -> None:
        self.launch(["-m", "referee", "keys", "agent", "--keys", str(keys), "--socket", str(path)])


def test_server_without_keys_serves_rounds_through_an_agent(serve: Serve, tmp_path: Path, path: Path) -> None:
    """It founds the log, deals, settles and reveals, and its folder has no signing key.

    The agent dies: calls are UNAVAILABLE with a reason, reading goes on. It comes back, and so do they, no restart.
    """
    safe = tmp_path / "safe"
    KeyFolder.open_or_make(safe, origin=ORIGIN, entropy=os.urandom)
    agent = AgentProcess(safe, path)
    process = serve("--quiet", "--set", f"keys.signer=unix:{path}")
    assert process.ready["origin"] == ORIGIN
    held = {one.name for one in (tmp_path / "data" / "keys").iterdir()}
    assert held == {"sealing.key", "log.head", *(f"{role}.pub" for role in ROLES)}
    table = process.driver.play("t")
    assert settle(table).leaf
    agent.kill()

    for ask in (lambda: process.driver.open("u"), lambda: process.driver.play("v")):
        refusal = refusal_of(ask)
        assert (refusal.code, refusal.reason) == ("UNAVAILABLE", "SIGNER_UNAVAILABLE")
        assert str(path) not in refusal.message
    assert process.log.GetCheckpoint(log_pb2.GetCheckpointRequest()).checkpoint

    agent = AgentProcess(safe, path)
    again = process.driver.play("u")
    leaf = settle(again).leaf
    until(lambda: len(process.leaves()) >= 4 + 2 * 4, seconds=30)
    assert leaf in process.leaves()
    assert process.stop() == 0
    assert agent.stop() == 0


def test_server_does_not_start_without_its_signer(tmp_path: Path, path: Path) -> None:
    options = ("--listen", "127.0.0.1:0", "--set", f"keys.signer=unix:{path}")
    message = refused("serve", "--data", tmp_path / "data", *options)
    assert f"the signer at {path} cannot be reached: No such file or directory" in message
