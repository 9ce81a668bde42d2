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


def _variants(message: Round) -> list[Round]:
    """Return the round's beginnings, and each with its last event changed and its receipts removed."""
    found = []
    for count in range(len(message.events) + 1):
        begun = Round(header=message.header, certificates=message.certificates, events=message.events[:count])
        found.append(begun)
        if count:
            edited = Round()
            edited.CopyFrom(message)
            for event in edited.events:
                event.ClearField("receipt")
            edited.events[count - 1].decision = ultimate_texas_pb2.DECISION_LEAVE
            found.append(edited)
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
    assert len({one.SerializeToString() for one in fresh}) > len(DECISIONS)


def test_receipt_edited_behind_a_known_beginning_is_refused(server: Server, refused: Refused):
    """The beginning of the round is remembered with its own receipt, and the other one is looked at all the same."""
    played = server.deal()
    played.play(*DECISIONS)
    _previewed(server, played.message)
    edited = Round()
    edited.CopyFrom(played.message)
    edited.events[1].receipt = edited.events[0].receipt
    found = refused(
        server.referee.PreviewRound, ultimate_texas_pb2.UltimateTexasServicePreviewRoundRequest(round=edited)
    )
    assert (found.reason, found.field) == ("FOREIGN", "round.events[1].receipt")
