"""The process that advises: who may ask it, what is refused, and what becomes of it and of its questions."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Thread
from typing import Any, Final

import grpc
import psutil
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from referee.advice.stopping import pause
from referee.adviser.parts import AdviserParts
from referee.adviser.serving import AdviserServer
from referee.cards import parse_cards
from referee.rulesets import load_builtin
from referee.server.keys.private_key import KeySigner
from referee.server.process.advice_child import COMMAND, AdviceChild, Pauses
from referee.server.process.advice_front import AdviceFront
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
HAND: Final = "AS AC AD 2S 2C KH QH JC 9D 8D 7S 5H 4C"
NEVER: Final = Pauses(first=3600.0, longest=3600.0)
AT_ONCE: Final = Pauses(first=0.01, longest=0.01)


class Advised:
    """A server in this process, whose adviser is a process of its own or another's."""

    def __init__(self, app: Application, channel: grpc.Channel) -> None:
        self.app, self.channel = app, channel
        self.adviser = advice_pb2_grpc.AdviceServiceStub(channel)
        self.log = log_pb2_grpc.LogServiceStub(channel)

    @property
    def front(self) -> AdviceFront:
        """Handlers in front of the process."""
        front = self.app.advice.front
        assert front is not None
        return front

    @property
    def child(self) -> AdviceChild:
        """The line to the server's own process."""
        assert isinstance(self.app.advice.line, AdviceChild)
        return self.app.advice.line

    @property
    def pid(self) -> int:
        """Id of the process."""
        assert self.child.pid is not None
        return self.child.pid

    def ask(self) -> advice_pb2.SuggestArrangementResponse:
        """Ask about an ordinary hand."""
        answer: advice_pb2.SuggestArrangementResponse = self.adviser.SuggestArrangement(question(), timeout=SECONDS)
        return answer

    def begin(self) -> Any:  # noqa: ANN401 - gRPC's future
        """Begin to ask the same."""
        return self.adviser.SuggestArrangement.future(question(), timeout=SECONDS)

    def health(self, name: str) -> str:
        """Return the health of a service; of the server for an empty name."""
        stub = health_pb2_grpc.HealthStub(self.channel)
        status = stub.Check(health_pb2.HealthCheckRequest(service=name), timeout=SECONDS).status
        return str(health_pb2.HealthCheckResponse.ServingStatus.Name(status))


def question() -> advice_pb2.SuggestArrangementRequest:
    cards: list[Any] = [card.number for card in parse_cards(HAND)]
    hand = advice_pb2.FreeHand(cards=cards, ruleset_id="mau_binh.classic", seat_count=2)
    return advice_pb2.SuggestArrangementRequest(free=hand, count=1)


@contextmanager
def advised(folder: Path, **settings: Any) -> Iterator[Advised]:  # noqa: ANN401 - what server_options takes
    with ExitStack() as stack:
        app = stack.enter_context(Application(server_options(data=folder, **settings)))
        yield Advised(app, stack.enter_context(grpc.insecure_channel(f"127.0.0.1:{app.port}")))


def ending(call: Any) -> str:  # noqa: ANN401 - gRPC's future
    """Return the reason for which a call is refused in the end."""

    def end() -> object:
        return call.result(SECONDS)

    return refusal_of(end).reason


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
        assert ending(call) == "ADVICE_LOST"
        until(lambda: server.health(NAME) == "NOT_SERVING")
        assert server.health("") == server.health("referee.v1.LogService") == "SERVING"
        assert refusal_of(server.ask).reason == "ADVICE_LOST"
        assert server.log.GetKeys(log_pb2.GetKeysRequest(), timeout=SECONDS).log_key


def test_process_that_was_killed_is_started_again(tmp_path: Path) -> None:
    with advised(tmp_path) as server:
        first = server.ask()
        server.child.pauses = AT_ONCE
        before = server.pid
        os.kill(before, signal.SIGKILL)
        until(lambda: server.child.pid not in (None, before))
        until(lambda: server.health(NAME) == "SERVING")
        assert server.ask() == first
        assert server.front.under_way == 0


def test_process_that_hangs_is_killed_and_started_again(tmp_path: Path) -> None:
    """It is stopped by a signal here, and so cannot stop its question itself."""
    with advised(tmp_path) as server:
        assert server.ask().suggestions
        server.child.pauses = AT_ONCE
        before = server.pid
        os.kill(before, signal.SIGSTOP)
        server.front.seconds = server.front.grace = 0.05
        assert refusal_of(server.ask).reason == "ADVICE_TOO_LONG"
        until(lambda: not psutil.pid_exists(before))
        server.front.seconds = SECONDS
        until(lambda: server.child.pid not in (None, before) and server.health(NAME) == "SERVING")
        assert server.ask().suggestions


def test_caller_that_has_gone_leaves_no_question_and_the_process_lives(tmp_path: Path) -> None:
    """The question counts until the process has let go of it."""
    outcomes: list[str] = []
    with advised(tmp_path) as server:
        assert server.ask().suggestions
        server.front.watch = lambda outcome, **_: outcomes.append(outcome)
        before = server.pid
        os.kill(before, signal.SIGSTOP)
        call = server.begin()
        until(lambda: server.front.under_way == 1)
        call.cancel()
        assert server.front.under_way == 1
        os.kill(before, signal.SIGCONT)
        until(lambda: server.front.under_way == 0)
        assert server.ask().suggestions
        assert server.pid == before
    assert outcomes[1:] == ["ANSWERED"]


def endless(*_: object, **__: object) -> None:
    while True:
        pause()


def test_caller_that_gives_up_behind_another_does_not_end_the_process(
    never_ready: tuple[Advised, list[str]],
) -> None:
    """The process has let go of its question long before it is thought to hang."""
    server, outcomes = never_ready
    first = server.begin()
    until(lambda: server.front.under_way == 1)
    second = server.begin()
    until(lambda: server.front.under_way == 2)
    second.cancel()
    until(lambda: outcomes == ["GIVEN_UP"])
    assert server.front.under_way == 1
    first.cancel()
    until(lambda: server.front.under_way == 0)


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
            server.health(NAME)
        assert found.value.code() is grpc.StatusCode.NOT_FOUND


def test_caller_without_access_is_refused_before_the_process_is_started(tmp_path: Path) -> None:
    issuer = Issuer(key=KeySigner("issuer.example", bytes(32)).verifier_key)
    with advised(tmp_path, access=AccessSettings(issuers=(issuer,))) as server:
        assert refusal_of(server.ask).reason == "CREDENTIALS_MISSING"
        assert server.child.pid is None


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


def test_process_at_another_address_advises_the_server_with_its_token(tmp_path: Path) -> None:
    right, wrong = tmp_path / "right", tmp_path / "wrong"
    right.write_text("a secret\n", "utf-8")
    wrong.write_text("another\n", "utf-8")
    with adviser_at("127.0.0.1:0", "a secret") as port:
        with advised(tmp_path / "a", advice=at(port, right)) as server:
            until(lambda: server.health(NAME) == "SERVING")
            assert server.ask().suggestions
            assert server.app.advice.pid is None
        with advised(tmp_path / "b", advice=at(port, wrong)) as server:
            until(lambda: server.health(NAME) == "NOT_SERVING")
            assert refusal_of(server.ask).reason == "ADVICE_LOST"


def test_server_whose_adviser_is_away_reports_advice_alone_as_not_serving(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("a secret\n", "utf-8")
    with adviser_at("127.0.0.1:0", "a secret") as port:
        pass
    with advised(tmp_path / "data", advice=at(port, token)) as server:
        until(lambda: server.health(NAME) == "NOT_SERVING")
        assert server.health("") == "SERVING"
        assert refusal_of(server.ask).reason == "ADVICE_LOST"


@pytest.fixture
def never_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Advised, list[str]]]:
    """Serve with an adviser whose computations end only where they are stopped; note what becomes of questions."""
    monkeypatch.setattr("referee.adviser.mau_binh.suggest", endless)
    token, outcomes = tmp_path / "token", list[str]()
    token.write_text("a secret\n", "utf-8")
    with adviser_at("127.0.0.1:0", "a secret") as port, advised(tmp_path / "data", advice=at(port, token)) as server:
        server.front.watch = lambda outcome, **_: outcomes.append(outcome)
        yield server, outcomes


def test_question_whose_caller_has_gone_is_stopped_in_the_process(never_ready: tuple[Advised, list[str]]) -> None:
    server, outcomes = never_ready
    call = server.begin()
    until(lambda: server.front.under_way == 1)
    call.cancel()
    until(lambda: server.front.under_way == 0)
    assert outcomes == ["GIVEN_UP"]


def test_question_whose_time_is_over_is_stopped_in_the_process(never_ready: tuple[Advised, list[str]]) -> None:
    server, outcomes = never_ready
    server.front.seconds, server.front.grace = 0.05, SECONDS
    assert refusal_of(server.ask).reason == "ADVICE_TOO_LONG"
    until(lambda: outcomes)
    assert outcomes == ["LATE"]


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


def test_package_that_advises_brings_a_service_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is forwarded as the built-in one; here it has the name of a service that this server does not serve."""
    packaged = PackagedAdvice(
        name="house", descriptor=seating_pb2.DESCRIPTOR.services_by_name["SeatingService"], servicer=Seating
    )
    monkeypatch.setitem(ADVISING._values, "house", packaged)  # noqa: SLF001 - as an installed package adds it
    token = tmp_path / "token"
    token.write_text("a secret\n", "utf-8")
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


@pytest.fixture
def alone(tmp_path: Path, ignoring: None) -> Iterator["subprocess.Popen[bytes]"]:
    """Start the process as a server does, once it is ready."""
    assert ignoring is None
    folder = tmp_path / "own"
    folder.mkdir()
    with subprocess.Popen([*COMMAND, f"unix:{folder}/s"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert b"ready" in process.stdout.readline()
        yield process
        process.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_process_obeys_signals_that_its_parent_ignores_or_blocks(
    alone: "subprocess.Popen[bytes]", number: signal.Signals
) -> None:
    alone.send_signal(number)
    assert alone.wait(SECONDS) == -number


def test_process_ends_with_its_standard_input_and_deletes_its_folder(
    alone: "subprocess.Popen[bytes]", tmp_path: Path
) -> None:
    """However its parent ends, the system closes the other end."""
    assert alone.stdin is not None
    alone.stdin.close()
    assert alone.wait(SECONDS) == 0
    assert not (tmp_path / "own").exists()
