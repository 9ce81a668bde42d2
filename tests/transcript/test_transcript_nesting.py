"""However deep a text is nested, it is refused as what it is not, and nothing else breaks."""

import pytest

from referee.games import GAMES, EventBytesError
from referee.transcript.inputs import TranscriptError, parse

DEPTHS = (10, 300, 1_000, 1_024, 5_000, 100_000)


def nested(depth: int) -> bytes:
    """So many lists in one another."""
    return b"[" * depth + b"]" * depth


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("member", ["more", "inputs", "results", "format"])
def test_deep_nesting_is_no_transcript(member: str, depth: int):
    with pytest.raises(TranscriptError):
        parse(b'{"%b":%b}' % (member.encode(), nested(depth)))


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("member", ["aaa", "kind", "seat", "cards", "back", "decision"])
@pytest.mark.parametrize("game", GAMES)
def test_deep_nesting_is_no_event(game: str, member: str, depth: int):
    for rest in (b"", b',"kind":"PASS","seat":0', b',"kind":"LEAVE","seat":0', b',"kind":"DECIDE","seat":0'):
        with pytest.raises(EventBytesError):
            GAMES[game].events.decode(
                b'{"%b":%b%b}' % (member.encode(), nested(depth), rest), time=0, round_id=bytes(32)
            )
