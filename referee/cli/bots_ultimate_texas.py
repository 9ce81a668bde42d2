"""Bots that play Ultimate Texas Hold'em: plain gRPC clients that ask the referee what they may do, and had best do.

Each decides as ``Advise`` says: what is worth most, counted exactly from the seat's own cards and the open board. No
one plays better without seeing more.
"""

from referee.v1 import shuffler_pb2, shuffler_pb2_grpc, ultimate_texas_pb2, ultimate_texas_pb2_grpc
from referee.v1.ultimate_texas_pb2 import Decision


def play_round(
    referee: ultimate_texas_pb2_grpc.UltimateTexasServiceStub,
    shuffler: shuffler_pb2_grpc.ShufflerServiceStub,
    opened: shuffler_pb2.OpenRoundResponse,
    dealt: shuffler_pb2.DealRoundResponse,
    *,
    receipts: bool,
) -> ultimate_texas_pb2.UltimateTexasRound:
    """Play a round to its showdown, every seat by a bot, ready to be settled.

    Without receipts only the events that close a street are accepted by the referee, since the board opens by them.
    """
    header = opened.header
    played = ultimate_texas_pb2.UltimateTexasRound(header=header, certificates=[dealt.certificate])
    question = ultimate_texas_pb2.UltimateTexasServicePreviewRoundRequest
    state, time = referee.PreviewRound(question(round=played)).state, dealt.dealt_time
    while state.HasField("turn"):
        seat = state.seats[state.turn]
        event = ultimate_texas_pb2.UltimateTexasEvent(seat=seat.seat, decision=advised(referee, played, seat.seat))
        if not receipts and sum(len(one.legal_decisions) > 1 for one in state.seats) > 1:
            event.time = time
            played.events.append(event)
            state = referee.PreviewRound(question(round=played)).state
            continue
        accepted = referee.AcceptEvent(
            ultimate_texas_pb2.UltimateTexasServiceAcceptEventRequest(round=played, event=event)
        )
        played.events.append(accepted.event)
        state, time = accepted.state, accepted.event.time
        if accepted.HasField("opens_section"):
            section = shuffler.OpenSection(
                shuffler_pb2.OpenSectionRequest(
                    table_id=header.table_id,
                    round_number=header.round_number,
                    event_receipt=accepted.event.receipt,
                )
            )
            played.certificates[:] = [section.certificate]
    return played


def advised(
    referee: ultimate_texas_pb2_grpc.UltimateTexasServiceStub,
    played: ultimate_texas_pb2.UltimateTexasRound,
    seat: int,
) -> Decision:
    """Return the decision that is worth most to a seat, as the referee computes it."""
    return referee.Advise(ultimate_texas_pb2.AdviseRequest(round=played, seat=seat)).best
