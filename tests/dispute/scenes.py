"""Quarrels for the pages and their pictures: three attacks of ``tests/attacks`` and one honest crash, by the command.

Each scene leaves a log and the files that people hold. Clock and entropy of the server are fixed, its keys are not.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from referee.v1 import shuffler_pb2
from tests.attacks.courses import adopt_cards, continuation, forget_openings
from tests.attacks.test_attack_dropped_move import TABLE, bet_dropped, kept
from tests.attacks.test_attack_rewound_course import CHECK, FOLD, PLAY_1X, checked
from tests.command import Done, referee
from tests.service.house import House

DAY_MS: Final = 86_400_000


@dataclass(frozen=True)
class Quarrel:
    """A round's table, and the files that people hold by name."""

    table: str
    files: Mapping[str, bytes]


def dropped_move(house: House, _: pytest.MonkeyPatch) -> Quarrel:
    """Settle a round with a timeout in the place of a bet that was received; the player kept the bet's receipt."""
    table, file = bet_dropped(house, keyed=True)
    table.settle()
    table.reveal()
    return Quarrel(TABLE, {"move.receipt.json": file, "checkpoint": house.checkpoint().encode()})


def rewound_course(house: House, patch: pytest.MonkeyPatch) -> Quarrel:
    """Settle a course that is not the one whose cards were opened, on an operator's own program."""
    table, _ = checked(house, keyed=True)
    for seat in range(2):
        table.accept(seat, decision=CHECK)
    table.open_section()
    table.accept(0, decision=PLAY_1X)
    rewound = continuation(table)
    table.accept(1, decision=FOLD)
    table.open_section()
    forget_openings(patch)
    rewound.accept(1, decision=PLAY_1X)
    adopt_cards(rewound, table)
    rewound.settle()
    table.reveal()
    return Quarrel(table.name, {"fold.receipt.json": kept(table)})


def forbidden_stakes(house: House, patch: pytest.MonkeyPatch) -> Quarrel:
    """Open a round for a stake that its ruleset forbids, on an operator's own program."""
    patch.setattr("referee.service.terms._check_stakes", lambda *_, **__: None)
    house.open("felt", stake_minor=2**53 - 1)
    reason = shuffler_pb2.ABORT_REASON_OPERATOR
    house.shuffler.AbortRound(
        shuffler_pb2.AbortRoundRequest(round={"table_id": "felt", "round_number": 1}, reason=reason)
    )
    return Quarrel("felt", {})


def client_died(house: House, _: pytest.MonkeyPatch) -> Quarrel:
    """Give up a round for a seed that a client lost with its machine; its player hands in the seed, and a letter."""
    table = house.table(seats=2).open()
    table.contribute(0)
    house.clock.now = table.header.deal_deadline_time + 1
    table.abort(shuffler_pb2.ABORT_REASON_SEED_MISSING)
    table.reveal()
    seed = {"round_id": table.round_id.hex(), "seat": 1, "seed": table.players[1].seed.hex()}
    return Quarrel(table.name, {"seed.jsonl": json.dumps(seed).encode(), "letter.txt": b"I was cheated"})


SCENES: Final[dict[str, Callable[[House, pytest.MonkeyPatch], Quarrel]]] = {
    "dropped_move": dropped_move,
    "rewound_course": rewound_course,
    "forbidden_stakes": forbidden_stakes,
    "client_died": client_died,
}
"""Scenes by name; the last is a crash in which everybody was honest."""


@dataclass(frozen=True)
class Played:
    """A scene that was played: its data folder, the table, a folder of what people hold, and the time in ms."""

    data: Path
    table: str
    held: Path
    now: int

    def dispute(self, *options: object) -> Done:
        """Run ``referee dispute`` about the table's latest round a day later."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("referee.cli.dispute.system_clock", lambda: self.now + DAY_MS)
            return referee("dispute", self.data, self.table, "--held", self.held, *options)


def play(name: str, folder: Path) -> Played:
    """Play a scene in an empty folder."""
    with pytest.MonkeyPatch.context() as patch:
        house = House(folder / "data")
        try:
            quarrel = SCENES[name](house, patch)
        finally:
            house.close()
    held = folder / "held"
    held.mkdir()
    for file, data in quarrel.files.items():
        (held / file).write_bytes(data)
    return Played(house.folder, quarrel.table, held, house.clock.now)
