"""What the server remembers of a round saves work and changes no answer: a server that knows nothing says the same."""

from typing import Any, TypeAlias

from google.protobuf.message import Message

from referee.v1 import ultimate_texas_pb2

Server: TypeAlias = Any
Refused: TypeAlias = Any
Round: TypeAlias = ultimate_texas_pb2.UltimateTexasRound

DECISIONS = ((0, "CHECK"), (1, "PLAY_4X"), (0, "CHECK"), (0, "PLAY_1X"))


def _previewed(server: Server, message: Round) -> Message:
    return server.referee.PreviewRound(ultimate_texas_pb2.UltimateTexasServicePreviewRoundRequest(round=message))


def _stripped(message: Round, count: int) -> Round:
    """Return a round's beginning as a frontend reports it that asks for no receipt; its certificates as they are."""
    found = Round(header=message.header, certificates=message.certificates, events=message.events[:count])
    for event in found.events:
        event.received = False
    return found


def _variants(message: Round) -> list[Round]:
    """Return the round, its beginnings on the first street with and without a receipt, and edited ones."""
    found = [message, _stripped(message, 0), _stripped(message, 1)]
    edited = _stripped(message, 1)
    edited.events[0].decision = ultimate_texas_pb2.DECISION_LEAVE
    found.append(edited)
    unlawful = Round.FromString(message.SerializeToString())
    unlawful.events[2].decision = ultimate_texas_pb2.DECISION_FOLD
    found.append(unlawful)
    return found


def test_answers_do_not_depend_on_what_the_server_remembers(server: Server):
    """Beginnings, edited rounds and the whole one, asked after one another in both orders, then after a restart."""
    played = server.deal()
    played.play(*DECISIONS)
    message = Round()
    message.CopyFrom(played.message)
    asked = _variants(message)
    forth = [_previewed(server, one) for one in asked]
    back = [_previewed(server, one) for one in reversed(asked)][::-1]
    fresh = []
    for one in asked:
        server.restart()
        fresh.append(_previewed(server, one))
    assert forth == fresh
    assert back == fresh
    assert len({one.SerializeToString() for one in fresh}) == len(asked)


def test_receipt_edited_behind_a_known_beginning_is_refused(server: Server, refused: Refused):
    """The round is remembered with its own receipt, and another one is looked at all the same."""
    played = server.deal()
    played.play(*DECISIONS)
    _previewed(server, played.message)
    edited = Round()
    edited.CopyFrom(played.message)
    edited.receipt = b""
    found = refused(
        server.referee.PreviewRound, ultimate_texas_pb2.UltimateTexasServicePreviewRoundRequest(round=edited)
    )
    assert (found.reason, found.field) == ("NOT_RECEIVED", "round.receipt")
