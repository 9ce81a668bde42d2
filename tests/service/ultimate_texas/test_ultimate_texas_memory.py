"""What the server remembers of a round saves work and changes no answer: a server that knows nothing says the same."""

from typing import Any, TypeAlias

from google.protobuf.message import Message

from referee.v1 import ultimate_texas_pb2

Server: TypeAlias = Any
Refused: TypeAlias = Any
Told: TypeAlias = ultimate_texas_pb2.UltimateTexasRound

DECISIONS = ((0, "CHECK"), (1, "PLAY_4X"), (0, "CHECK"), (0, "PLAY_1X"))


def _previewed(server: Server, told: Told) -> Message:
    return server.referee.PreviewRound(ultimate_texas_pb2.UltimateTexasServicePreviewRoundRequest(round=told))


def _variants(told: Told) -> list[Told]:
    """The round as played, its beginnings, and the round with each event turned into another without a receipt."""
    found = []
    for count in range(len(told.events) + 1):
        begun = Told(header=told.header, certificates=told.certificates, events=told.events[:count])
        found.append(begun)
        if count:
            edited = Told()
            edited.CopyFrom(told)
            for event in edited.events:
                event.ClearField("receipt")
            edited.events[count - 1].decision = ultimate_texas_pb2.DECISION_LEAVE
            found.append(edited)
    return found


def test_round_asked_in_any_order_has_the_answer_of_a_server_that_knows_nothing(server: Server):
    """Beginnings, edited rounds and the whole one, asked after one another in both orders, then after a restart."""
    played = server.deal()
    played.play(*DECISIONS)
    told = Told()
    told.CopyFrom(played.told)
    asked = _variants(told)
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
    _previewed(server, played.told)
    edited = Told()
    edited.CopyFrom(played.told)
    edited.events[1].receipt = edited.events[0].receipt
    found = refused(
        server.referee.PreviewRound, ultimate_texas_pb2.UltimateTexasServicePreviewRoundRequest(round=edited)
    )
    assert (found.reason, found.field) == ("FOREIGN", "round.events[1].receipt")
