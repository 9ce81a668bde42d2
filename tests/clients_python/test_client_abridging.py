"""Rounds that the client names: fewer bytes, the same answers, and whole rounds where none is known."""

from collections.abc import Callable
from typing import Any

import grpc
import pytest
from referee_client import Abridging, Bet, Client, NotReadyError, Terms, TienLenRound
from referee_client.abridging import content_of
from referee_client.cards import cards_of
from referee_client.line import BlockingLine

from referee.server.settings.limits import LimitSettings
from referee.v1 import tien_len_pb2, ultimate_texas_pb2
from tests.clients_python.playing import bet, dealt
from tests.driver.messages import method_of
from tests.driver.running import Running
from tests.vectors.reading import Row, each

MakeRunning = Callable[..., Running]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the sizes of the requests about rounds of a game that clients send."""
    sizes: list[int] = []
    ask = BlockingLine.ask

    async def counted(self: BlockingLine, method: str, request: Any, kind: Any, **more: Any) -> Any:  # noqa: ANN401 - as of a line
        if method.startswith("referee.v1.TienLenService/"):
            sizes.append(request.ByteSize())
        return await ask(self, method, request, kind, **more)

    monkeypatch.setattr(BlockingLine, "ask", counted)
    return sizes


def play(client: Client, table: str) -> TienLenRound:
    """Play rounds of a table until one is not won at the deal; each seat plays its first lawful play."""
    while True:
        game = dealt(client.tien_len(Terms(table=table, ruleset="tien_len.mien_nam", seats=4, stake=100)))
        while (listed := game.plays()).HasField("turn"):
            if listed.plays:
                game.play(listed.turn, cards_of(listed.plays[0].cards))
            else:
                game.pass_turn(listed.turn)
        settled = game.settle()
        assert settled.is_replayed
        if len(game.course.links) > 1:
            return game


@each("transcript/contents")
def test_content_of_a_round_message_is_the_vectors(row: Row) -> None:
    certificates, signatures = (list(map(bytes.fromhex, row[name])) for name in ("certificates", "signatures"))
    message = tien_len_pb2.TienLenRound(certificates=certificates, signatures=signatures)
    if row["receipt"]:
        message.receipt = bytes.fromhex(row["receipt"])
    assert content_of(message, seats=row["seats"]).hex() == row["content"]


def test_round_is_sent_whole_once_and_by_its_name_after_that(make_running: MakeRunning, sent: list[int]) -> None:
    """A request by its name has less than a tenth of the bytes of a settlement by the whole round."""
    running = make_running()
    with Client(f"127.0.0.1:{running.app.port}") as client:
        game = play(client, "t")
        assert client.abridging.unknown == 0
        assert client.abridging.abridged >= 2 * len(game.course.links) - 1
        assert max(sent[-10:]) * 10 < game.message.ByteSize()


def test_whole_rounds_are_sent_to_a_server_that_remembers_none(make_running: MakeRunning, sent: list[int]) -> None:
    """After two in a row; a round then costs no second call until a hundred whole rounds were sent."""
    running = make_running(limits=LimitSettings(memo_bytes=0))
    with Client(f"127.0.0.1:{running.app.port}") as client:
        game = play(client, "t")
        assert client.abridging.abridged == 0
        assert 2 <= client.abridging.unknown <= 2 + len(sent) / 100
        assert sent[-1] > game.message.ByteSize()


def test_server_that_was_restarted_is_sent_the_whole_round(make_running: MakeRunning) -> None:
    """A settlement in two processes: the second has not read the round."""
    running = make_running()
    with Client(f"127.0.0.1:{running.app.port}") as client:
        game = play(client, "t")
        running.restart(listen=f"127.0.0.1:{running.app.port}")
        assert game.settle().is_replayed
        assert client.abridging.unknown == 1


def test_stale_request_of_another_caller_disturbs_no_round(make_running: MakeRunning) -> None:
    """After each street, the same events and receipt without the certificate of what they opened."""
    running = make_running()
    with Client(f"127.0.0.1:{running.app.port}") as client:
        game = dealt(client.ultimate_texas(bet("t", Bet(20), Bet(20))))
        for decision in ("CHECK", "CHECK", "PLAY_1X"):
            closed = list(game.message.certificates)
            for seat in range(2):
                assert game.decide(seat, decision).event_number
                game.preview()
            stale = ultimate_texas_pb2.UltimateTexasRound.FromString(game.message.SerializeToString())
            stale.certificates[:] = closed
            request = ultimate_texas_pb2.UltimateTexasServicePreviewRoundRequest(round=stale)
            assert method_of(client.channel, "UltimateTexasService/PreviewRound")(request) != game.preview()
        assert game.settle().is_replayed
        assert client.abridging.unknown == 0
        assert client.abridging.abridged > 6


@pytest.mark.parametrize(
    ("reason", "calls"), [("ROUND_UNKNOWN", ["named", "whole"]), ("SECTION_MISSING", ["named"]), ("EXPIRED", ["named"])]
)
def test_whole_round_is_sent_once_and_after_an_unknown_name_alone(
    make_running: MakeRunning, monkeypatch: pytest.MonkeyPatch, reason: str, calls: list[str]
) -> None:
    """Each request after the first is refused with this reason, whole ones too."""
    running = make_running()
    with Client(f"127.0.0.1:{running.app.port}") as client:
        game = dealt(client.tien_len(Terms(table="t", ruleset="tien_len.mien_nam", seats=2, stake=100)))
        game.preview()
        sent: list[str] = []

        async def refused(self: BlockingLine, method: str, request: Any, kind: Any, **more: Any) -> Any:  # noqa: ANN401, ARG001 - as of a line
            sent.append("named" if request.round.HasField("course") else "whole")
            raise NotReadyError("refused", code=grpc.StatusCode.FAILED_PRECONDITION, reason=reason)

        monkeypatch.setattr(BlockingLine, "ask", refused)
        with pytest.raises(NotReadyError):
            game.preview()
        assert sent == calls


def test_two_unknown_rounds_in_a_row_end_abridging_for_a_hundred() -> None:
    abridging = Abridging()
    for is_known in (False, True, False):
        assert abridging.is_on()
        abridging.note(is_known=is_known)
    assert abridging.is_on()
    abridging.note(is_known=False)
    assert [abridging.is_on() for _ in range(102)] == [False] * 100 + [True, False]
    abridging.note(is_known=True)
    assert abridging.is_on()
    assert (abridging.abridged, abridging.unknown) == (2, 3)
