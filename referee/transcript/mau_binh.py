"""Former names, until their callers use the game's codec."""

# ruff: noqa: D103 - former names, gone with their last caller

from referee.games.game import ResultValue
from referee.games.mau_binh.codec import bound, decode_event, encode_event, encode_results
from referee.games.mau_binh.progress import opens
from referee.games.mau_binh.settlement import Outcome
from referee.games.mau_binh.state import State

__all__ = ["bound", "decode_event", "encode_event", "found_json", "opening_between"]


def opening_between(before: State, after: State) -> int | None:
    return (opens(before, after) or (None,))[-1]


def found_json(state: State, outcome: Outcome, *, events_hash: bytes) -> dict[str, ResultValue]:
    return {**encode_results(state, outcome), "events_hash": events_hash.hex()}
