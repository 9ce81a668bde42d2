"""The process that advises: who may ask it, what is refused, and what becomes of it and of its questions."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Thread
from typing import Any, Final

import grpc
import psutil
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from referee.advice.mau_binh.question import suggest
from referee.advice.stopping import pause
from referee.adviser.parts import AdviserParts
from referee.adviser.serving import AdviserServer
from referee.cards import parse_cards
from referee.rulesets import load_builtin
from referee.server.keys.private_key import KeySigner
from referee.server.process.advice_line import COMMAND, AdviceChild, Pauses
from referee.server.process.app import Application
from referee.server.settings.access import AccessSettings, Issuer
from referee.server.settings.advice import AdviceSettings
from referee.service.advising import ADVISING, PackagedAdvice
from referee.v1 import advice_pb2, advice_pb2_grpc, log_pb2, log_pb2_grpc, seating_pb2, seating_pb2_grpc
from tests.driver.refusal import refusal_of
from tests.server.options import server_options
from tests.waiting import until

SECONDS: Final = 100.0
NAME: Final = "referee.v1.AdviceService"
ENDLESS: Final = 9
"""Number of suggestions that is never reached."""
NEVER: Final = Pauses(first=3600.0, longest=3600.0)
AT_ONCE: Final = Pauses(first=0.01, longest=0.01)


class Advised:
    """A server in this process, whose adviser is a process of its own or another's."""

    def __init__(self, app: Application, channel: grpc.Channel) -> None:
        self.front, self.channel = app.advice, channel
        self.adviser = advice_pb2_grpc.AdviceServiceStub(channel)
        self.log = log_pb2_grpc.LogServiceStub(channel)

    @property
    def child(self) -> AdviceChild:
        """The line to the server's own process."""
        assert isinstance(self.front.line, AdviceChild)
        return self.front.line

    @property
    def pid(self) -> int:
        """Id of the process."""
        assert self.child.pid is not None
        return self.child.pid

    def ask(self, count: int = 1) -> advice_pb2.SuggestArrangementResponse:
        """Ask for so many arrangements of an ordinary hand."""
        return self.begin(count).result(SECONDS)

    def begin(self, count: int = 1) -> Any:  # noqa: ANN401 - gRPC's future
        """Begin to ask the same."""
        cards: list[Any] = [card.number for card in parse_cards("AS AC AD 2S 2C KH QH JC 9D 8D 7S 5H 4C")]
        hand = advice_pb2.FreeHand(cards=cards, ruleset_id="mau_binh.classic", seat_count=2)
        question = advice_pb2.SuggestArrangementRequest(free=hand, count=count)
        return self.adviser.SuggestArrangement.future(question, timeout=SECONDS)

    def health(self, name: str = NAME) -> str:
        """Return the health of a service; of the server for an empty name."""
        stub = health_pb2_grpc.HealthStub(self.channel)
        status = stub.Check(health_pb2.HealthCheckRequest(service=name), timeout=SECONDS).status
        return str(health_pb2.HealthCheckResponse.ServingStatus.Name(status))


@contextmanager
def advised(folder: Path, **settings: Any) -> Iterator[Advised]:  # noqa: ANN401 - what server_options takes
    with ExitStack() as stack:
        app = stack.enter_context(Application(server_options(data=folder, **settings)))
        yield Advised(app, stack.enter_context(grpc.insecure_channel(f"127.0.0.1:{app.port}")))


def test_process_starts_with_the_first_question_and_ends_with_the_server(tmp_path: Path) -> None:
    """Its socket is in a folder that only this user may open, and which goes with it."""
    with advised(tmp_path) as server:
        assert server.child.pid is None
        assert server.ask().suggestions
        process = psutil.Process(server.pid)
        assert process.nice() > psutil.Process().nice()
        (address,) = [word for word in process.cmdline() if word.startswith("unix:")]
        folder = Path(address.removeprefix("unix:")).parent
        assert folder.stat().st_mode & 0o777 == 0o700
    assert not psutil.pid_exists(process.pid)
    assert not folder.exists()


def test_killed_process_takes_its_question_along_and_advice_alone_is_not_serving(tmp_path: Path) -> None:
    with advised(tmp_path) as server:
        assert server.ask().suggestions
        server.child.pauses = NEVER
        os.kill(server.pid, signal.SIGSTOP)
        call = server.begin()
        until(lambda: server.front.under_way == 1)
        os.kill(server.pid, signal.SIGKILL)
        assert refusal_of(call.result).reason == "ADVICE_LOST"
        until(lambda: server.health() == "NOT_SERVING")
        assert server.health("") == server.health("referee.v1.LogService") == "SERVING"
        assert refusal_of(server.ask).reason == "ADVICE_LOST"
        assert server.log.GetKeys(log_pb2.GetKeysRequest(), timeout=SECONDS).log_key


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_process_that_is_killed_or_hangs_is_started_again(tmp_path: Path, number: signal.Signals) -> None:
    """One that hangs is stopped by a signal here, and so cannot let go of its question itself."""
    with advised(tmp_path) as server:
        first, before, seconds = server.ask(), server.pid, server.front.seconds
        server.child.pauses = AT_ONCE
        os.kill(before, number)
        if number is signal.SIGSTOP:
            server.front.seconds = server.front.grace = 0.05
            assert refusal_of(server.ask).reason == "ADVICE_TOO_LONG"
        until(lambda: server.child.pid not in (None, before) and server.health() == "SERVING")
        assert not psutil.pid_exists(before)
        server.front.seconds = seconds
        assert server.ask() == first
        assert server.front.under_way == 0


def test_at_most_a_quarter_of_the_threads_wait_for_advice(tmp_path: Path) -> None:
    """The next call is refused at once, and other calls are answered meanwhile."""
    with advised(tmp_path, threads=8) as server:
        assert server.ask().suggestions
        os.kill(server.pid, signal.SIGSTOP)
        calls = [server.begin() for _ in range(2)]
        until(lambda: server.front.under_way == 2)
        assert refusal_of(server.ask).seen[:2] == ("RESOURCE_EXHAUSTED", "ADVICE_BUSY")
        assert server.log.GetKeys(log_pb2.GetKeysRequest(), timeout=SECONDS).log_key
        os.kill(server.pid, signal.SIGCONT)
        assert all(call.result(SECONDS).suggestions for call in calls)


def test_server_that_gives_no_advice_says_so(tmp_path: Path) -> None:
    with advised(tmp_path, advice=AdviceSettings(address="off")) as server:
        with pytest.raises(grpc.RpcError, match="this server gives no advice") as refused:
            server.ask()
        assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED
        with pytest.raises(grpc.RpcError) as found:
            server.health()
        assert found.value.code() is grpc.StatusCode.NOT_FOUND


def test_caller_without_access_is_refused_before_the_process_is_started(tmp_path: Path) -> None:
    issuer = Issuer(key=KeySigner("issuer.example", bytes(32)).verifier_key)
    with advised(tmp_path, access=AccessSettings(issuers=(issuer,))) as server:
        assert refusal_of(server.ask).reason == "CREDENTIALS_MISSING"
        assert server.child.pid is None


def endless_for_some(*arguments: Any, count: int) -> Any:  # noqa: ANN401 - as the function in whose place it is
    """Suggest arrangements, or compute without end."""
    while count == ENDLESS:
        pause()
    return suggest(*arguments, count=count)


@contextmanager
def adviser_at(listen: str, token: str) -> Iterator[int]:
    """Serve advice in this process, computed on a thread; yield the port."""
    serving = AdviserServer(listen, token=token)
    worker = Thread(target=serving.desk.run, kwargs={"is_gentle": False})
    worker.start()
    serving.start()
    try:
        yield serving.port
    finally:
        serving.close()
        worker.join(SECONDS)


def at(port: int, token: Path) -> AdviceSettings:
    return AdviceSettings(address=f"127.0.0.1:{port}", token=str(token))


@pytest.fixture
def token(tmp_path: Path) -> Path:
    """Write the token of a process at an address."""
    file = tmp_path / "token"
    file.write_text("a secret\n", "utf-8")
    return file


def test_process_at_another_address_advises_from_when_it_is_there(tmp_path: Path, token: Path) -> None:
    """Until then advice alone is not serving; a process that took the place of another is given the charter too."""
    with adviser_at("127.0.0.1:0", "a secret") as port:
        pass
    with advised(tmp_path / "data", advice=at(port, token)) as server:
        for _ in range(2):
            until(lambda: server.health() == "NOT_SERVING")
            assert server.health("") == "SERVING"
            assert refusal_of(server.ask).reason == "ADVICE_LOST"
            with adviser_at(f"127.0.0.1:{port}", "a secret"):
                until(lambda: server.health() == "SERVING")
                assert server.ask().suggestions
                assert server.front.pid is None


def test_process_at_another_address_refuses_a_server_without_its_token(tmp_path: Path, token: Path) -> None:
    with adviser_at("127.0.0.1:0", "another") as port, advised(tmp_path, advice=at(port, token)) as server:
        until(lambda: server.health() == "NOT_SERVING")
        assert refusal_of(server.ask).reason == "ADVICE_LOST"


def cancelled(server: Advised) -> None:
    """Give up a question that is computed."""
    call = server.begin(ENDLESS)
    until(lambda: server.front.under_way == 1)
    call.cancel()


def cancelled_behind_another(server: Advised) -> None:
    """Give up a question that waits behind another, then that one."""
    call = server.begin(ENDLESS)
    until(lambda: server.front.under_way == 1)
    cancelled_too = server.begin()
    until(lambda: server.front.under_way == 2)
    cancelled_too.cancel()
    until(lambda: server.front.under_way == 1)
    call.cancel()


def late(server: Advised) -> None:
    """Ask for what is not computed in time."""
    seconds, server.front.seconds = server.front.seconds, 0.05
    assert refusal_of(lambda: server.ask(ENDLESS)).reason == "ADVICE_TOO_LONG"
    server.front.seconds = seconds


@pytest.mark.parametrize(
    ("end", "outcomes"),
    [(cancelled, ["GIVEN_UP"]), (cancelled_behind_another, ["GIVEN_UP", "GIVEN_UP"]), (late, ["LATE"])],
)
def test_question_that_nobody_waits_for_is_stopped_and_the_process_goes_on(
    tmp_path: Path, token: Path, monkeypatch: pytest.MonkeyPatch, end: Callable[[Advised], None], outcomes: list[str]
) -> None:
    """The process answers one question after the other: the last answer shows that it has let go of those before."""
    monkeypatch.setattr("referee.adviser.mau_binh.suggest", endless_for_some)
    found: list[str] = []
    with adviser_at("127.0.0.1:0", "a secret") as port, advised(tmp_path / "data", advice=at(port, token)) as server:
        server.front.watch = lambda outcome, **_: found.append(outcome)
        server.front.grace = SECONDS
        end(server)
        assert server.ask().suggestions
        assert server.front.under_way == 0
    assert found == [*outcomes, "ANSWERED"]


class Seating:
    """Servicer of a package that advises whom to seat."""

    def __init__(self, parts: AdviserParts) -> None:
        self._rulesets = len(parts.verifier.catalogue)

    def DecideSeating(  # noqa: N802 - named by the proto
        self, _request: seating_pb2.DecideSeatingRequest, _context: grpc.ServicerContext
    ) -> seating_pb2.DecideSeatingResponse:
        """Answer, once it has what advisers get."""
        assert self._rulesets == len(load_builtin())
        return seating_pb2.DecideSeatingResponse(next_time=4)


def test_package_that_advises_brings_a_service_of_its_own(
    tmp_path: Path, token: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is forwarded as the built-in one; here it has the name of a service that this server does not serve."""
    packaged = PackagedAdvice(
        name="house", descriptor=seating_pb2.DESCRIPTOR.services_by_name["SeatingService"], servicer=Seating
    )
    monkeypatch.setitem(ADVISING._values, "house", packaged)  # noqa: SLF001 - as an installed package adds it
    with (
        adviser_at("127.0.0.1:0", "a secret") as port,
        advised(tmp_path / "data", advice=at(port, token), services=("advice", "log")) as server,
    ):
        stub = seating_pb2_grpc.SeatingServiceStub(server.channel)
        assert stub.DecideSeating(seating_pb2.DecideSeatingRequest(), timeout=SECONDS).next_time == 4
        assert server.ask().suggestions


@pytest.fixture
def ignoring() -> Iterator[None]:
    """Ignore and block in this thread what asks a process to stop."""
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    yield
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, 0])
def test_process_obeys_signals_that_its_parent_ignores_and_ends_with_its_input(
    tmp_path: Path, ignoring: None, number: int
) -> None:
    """However its parent ends, the system closes the other end; then the process deletes its folder."""
    assert ignoring is None
    folder = tmp_path / "own"
    folder.mkdir()
    with subprocess.Popen([*COMMAND, f"unix:{folder}/s"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert b"ready" in process.stdout.readline()
        if number:
            process.send_signal(number)
        elif process.stdin is not None:
            process.stdin.close()
        assert process.wait(SECONDS) == -number
    assert folder.exists() is bool(number)
