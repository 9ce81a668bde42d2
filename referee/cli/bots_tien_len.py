"""A bot for Tiến Lên: a plain gRPC client that asks the referee what to play, and plays it."""

from referee.v1 import tien_len_pb2, tien_len_pb2_grpc


def choose(
    referee: tien_len_pb2_grpc.TienLenServiceStub, played: tien_len_pb2.TienLenRound
) -> tien_len_pb2.TienLenEvent | None:
    """Choose the event of the seat on turn, without time and receipt; None once the round is over.

    It takes the quick advice, which looks at the seat's own cards, at what was played, and at how many the others hold.
    """
    advised = referee.SuggestPlay(tien_len_pb2.SuggestPlayRequest(round=played, count=1))
    if not advised.HasField("turn"):
        return None
    best = advised.suggestions[0]
    event = tien_len_pb2.TienLenEvent(seat=advised.turn)
    if best.HasField("play"):
        event.play.cards.extend(best.play.cards)
    else:
        event.pass_turn.SetInParent()
    return event
