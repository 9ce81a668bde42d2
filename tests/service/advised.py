"""Seats that follow the referee's advice, on bare stubs: a frontend's own way through Tiến Lên and Ultimate Texas."""

from referee.v1 import (
    advice_pb2,
    advice_pb2_grpc,
    shuffler_pb2,
    shuffler_pb2_grpc,
    tien_len_pb2,
    ultimate_texas_pb2,
    ultimate_texas_pb2_grpc,
)
from tests.service.courses import steps_of, take


def suggested_event(
    adviser: advice_pb2_grpc.AdviceServiceStub, message: tien_len_pb2.TienLenRound
) -> tien_len_pb2.TienLenEvent | None:
    """Return the event that is suggested first to the seat on turn, without a time; None once the round is over."""
    advised = adviser.SuggestPlay(advice_pb2.SuggestPlayRequest(round=message, count=1))
    if not advised.HasField("turn"):
        return None
    event = tien_len_pb2.TienLenEvent(seat=advised.turn)
    best = advised.suggestions[0]
    if best.HasField("play"):
        event.play.cards.extend(best.play.cards)
    else:
        event.pass_turn.SetInParent()
    return event


def open_cards(
    shuffler: shuffler_pb2_grpc.ShufflerServiceStub, message: ultimate_texas_pb2.UltimateTexasRound
) -> shuffler_pb2.OpenSectionResponse:
    """Open the cards that the last event of a round opens; replace the round's certificate by the new one."""
    opened = shuffler.OpenSection(
        shuffler_pb2.OpenSectionRequest(round=message.header.round, steps=steps_of(message), receipt=message.receipt)
    )
    message.certificates[:] = [opened.certificate]
    return opened


def play_streets(  # noqa: PLR0913 - three stubs beside the round
    referee: ultimate_texas_pb2_grpc.UltimateTexasServiceStub,
    adviser: advice_pb2_grpc.AdviceServiceStub,
    shuffler: shuffler_pb2_grpc.ShufflerServiceStub,
    message: ultimate_texas_pb2.UltimateTexasRound,
    *,
    dealt_time: int,
    receipts: bool,
) -> None:
    """Play a dealt round to its showdown by the best decision of each seat.

    Without ``receipts``, the referee accepts only the last event of each street, whose receipt opens the board.
    """
    question = ultimate_texas_pb2.UltimateTexasServicePreviewRoundRequest
    state, time = referee.PreviewRound(question(round=message)).state, dealt_time
    while state.HasField("turn"):
        seat = state.seats[state.turn].seat
        best = adviser.SuggestDecision(advice_pb2.SuggestDecisionRequest(round=message, seat=seat)).best
        event = ultimate_texas_pb2.UltimateTexasEvent(seat=seat, decision=best)
        if not receipts and sum(len(one.legal_decisions) > 1 for one in state.seats) > 1:
            event.time = time
            message.events.append(event)
            state = referee.PreviewRound(question(round=message)).state
            continue
        request = ultimate_texas_pb2.UltimateTexasServiceAcceptEventRequest(round=message, event=event)
        accepted = referee.AcceptEvent(request)
        take(message, accepted.event, receipt=accepted.receipt)
        state, time = accepted.state, accepted.event.time
        if accepted.HasField("opens_section"):
            time = open_cards(shuffler, message).unsealed_time
