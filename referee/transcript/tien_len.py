"""Former names, until their callers use the game's codec."""

# ruff: noqa: D101, D103 - former names, gone with their last caller

from typing import NamedTuple

from referee.games.game import ResultValue
from referee.games.tien_len.codec import decode_event, encode_event, encode_results
from referee.games.tien_len.settlement import Outcome, settle
from referee.games.tien_len.state import State
from referee.money import Transfer

__all__ = ["Judged", "close", "decode_event", "encode_event", "found_json"]


class Judged(NamedTuple):
    state: State
    outcome: Outcome

    @property
    def transfers(self) -> tuple[Transfer, ...]:
        """Everything paid."""
        return self.outcome.transfers


def close(state: State, *, stake: int, closed_time: int) -> Judged:
    del stake, closed_time
    return Judged(state, settle(state))


def found_json(judged: Judged, *, events_hash: bytes) -> dict[str, ResultValue]:
    return {**encode_results(judged.state, judged.outcome), "events_hash": events_hash.hex()}
