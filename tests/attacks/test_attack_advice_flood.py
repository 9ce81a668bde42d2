"""Attack: the dearest questions for advice, eight at a time and given up, so that the server judges nothing else."""

import itertools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeAlias

import grpc
import psutil
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from referee.cards import parse_cards
from referee.v1 import (
    advice_pb2,
    advice_pb2_grpc,
    log_pb2,
    log_pb2_grpc,
    shuffler_pb2_grpc,
    tien_len_pb2,
    tien_len_pb2_grpc,
)
from tests.driver.messages import terms_of
from tests.service.opening import deal_round, open_round

Server: TypeAlias = Any  # made by a fixture, and has its class in conftest
SECONDS: Final = 120
TABLES: Final = itertools.count(1)
EACH: Final = 2
"""Questions of one caller that the server takes at once."""
JUDGED: Final = 100


def until(is_so: Callable[[], bool]) -> None:
    """Wait until it is so."""
    end = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


def first_lead(server: Server) -> tien_len_pb2.TienLenRound:
    """Deal rounds of four seats until one is not won at the deal."""
    shuffler = shuffler_pb2_grpc.ShufflerServiceStub(server.channel)
    referee = tien_len_pb2_grpc.TienLenServiceStub(server.channel)
    while True:
        table = f"flood-{next(TABLES)}"
        opened = open_round(
            shuffler, terms_of(table, ruleset_id="tien_len.mien_nam", seat_count=4, currency="VND", stake_minor=1000)
        )
        dealt = deal_round(shuffler, opened)
        message = tien_len_pb2.TienLenRound(header=opened.header, certificates=[dealt.certificate])
        if referee.ListPlays(tien_len_pb2.ListPlaysRequest(round=message)).plays:
            return message


def judge(server: Server, message: tien_len_pb2.TienLenRound) -> None:
    """Ask for keys and for legal plays, one call after the other."""
    log = log_pb2_grpc.LogServiceStub(server.channel)
    referee = tien_len_pb2_grpc.TienLenServiceStub(server.channel)
    for _ in range(JUDGED):
        assert log.GetKeys(log_pb2.GetKeysRequest(), timeout=SECONDS).log_key
        assert referee.ListPlays(tien_len_pb2.ListPlaysRequest(round=message), timeout=SECONDS).plays


def reason_of(call: Any) -> str:  # noqa: ANN401 - a call
    """Return the reason for which a call was refused."""
    status, info = rpc_status.from_call(call.exception(SECONDS)), error_details_pb2.ErrorInfo()
    assert status is not None
    assert any(detail.Unpack(info) for detail in status.details)
    return str(info.reason)


def advisers_of(server: Server) -> list[psutil.Process]:
    """Return the processes that compute advice: those at a lower priority."""
    own = psutil.Process(server.pid)
    return [one for one in own.children(recursive=True) if one.nice() > own.nice()]


def libraries_of(process: psutil.Process) -> set[str]:
    """Return the packages whose compiled parts a process has loaded."""
    return {folder for one in process.memory_maps() for folder in Path(one.path).parts}


def test_judging_goes_on_under_the_dearest_advice_and_none_outlives_its_caller(serve):
    """Two hundred judging calls end before the two questions do; a third is refused; given up, they cost no more."""
    server = serve()
    message = first_lead(server)
    suggest = advice_pb2_grpc.AdviceServiceStub(server.channel).SuggestPlay
    dearest = advice_pb2.SuggestPlayRequest(round=message, count=10, samples=200)
    asked = [suggest.future(dearest) for _ in range(EACH)]
    until(lambda: server.figure("referee_advice_in_flight") == EACH)
    assert reason_of(suggest.future(dearest)) == "ADVICE_BUSY"
    judge(server, message)
    assert not all(call.done() for call in asked)
    for call in asked:
        call.cancel()
    until(lambda: server.figure("referee_advice_in_flight") == 0)
    assert suggest(advice_pb2.SuggestPlayRequest(round=message, count=1), timeout=SECONDS).suggestions


def test_questions_given_up_again_and_again_keep_no_call_waiting(serve):
    """As fast as the server takes them; whatever becomes of them, judging calls are answered meanwhile."""
    server = serve()
    message = first_lead(server)
    suggest = advice_pb2_grpc.AdviceServiceStub(server.channel).SuggestPlay
    dearest = advice_pb2.SuggestPlayRequest(round=message, count=10, samples=200)
    log = log_pb2_grpc.LogServiceStub(server.channel)
    for _ in range(JUDGED):
        call = suggest.future(dearest)
        assert log.GetKeys(log_pb2.GetKeysRequest(), timeout=SECONDS).log_key
        call.cancel()
    until(lambda: server.figure("referee_advice_in_flight") == 0)
    assert len(advisers_of(server)) == 1


def test_serving_process_imports_no_numpy_and_its_adviser_ends_with_it(serve):
    """Also where the server is killed; a question under way does not keep the process that advises alive."""
    server = serve("--set", f"advice.seconds={SECONDS}")
    message = first_lead(server)
    cards: list[Any] = [card.number for card in parse_cards("AS AC AD 2S 2C KH QH JC 9D 8D 7S 5H 4C")]
    hand = advice_pb2.FreeHand(cards=cards, ruleset_id="mau_binh.classic", seat_count=2)
    arranging = advice_pb2_grpc.AdviceServiceStub(server.channel)
    assert arranging.SuggestArrangement(advice_pb2.SuggestArrangementRequest(free=hand), timeout=SECONDS).suggestions
    (adviser,) = advisers_of(server)
    assert ["numpy" in libraries_of(one) for one in (psutil.Process(server.pid), adviser)] == [False, True]
    suggest = advice_pb2_grpc.AdviceServiceStub(server.channel).SuggestPlay
    call = suggest.future(advice_pb2.SuggestPlayRequest(round=message, samples=200))
    until(lambda: server.figure("referee_advice_in_flight") == 1)
    server.kill()
    until(lambda: not adviser.is_running() or adviser.status() == psutil.STATUS_ZOMBIE)
    assert call.exception(SECONDS).code() is grpc.StatusCode.UNAVAILABLE
