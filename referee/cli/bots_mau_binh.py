"""Bots that play at the demo's table: plain gRPC clients that know no rule and do what the referee suggests."""

from referee.v1 import mau_binh_pb2, mau_binh_pb2_grpc


def arrange(
    referee: mau_binh_pb2_grpc.MauBinhServiceStub, played: mau_binh_pb2.MauBinhRound, *, seat: int
) -> mau_binh_pb2.Arrangement:
    """Choose the arrangement of a seat's hand that is worth most at this table; the hand must not win at the deal."""
    given = mau_binh_pb2.MauBinhRound(header=played.header, certificates=played.certificates)
    question = mau_binh_pb2.SuggestArrangementRequest(dealt=mau_binh_pb2.DealtHand(round=given, seat=seat), count=1)
    return referee.SuggestArrangement(question).suggestions[0].arrangement
