"""Calls that would settle a round, or open cards, by a course which an audit refuses."""

from typing import Any, Final

from referee.audit import Code
from referee.v1 import ultimate_texas_pb2
from tests.attacks.courses import adopt_cards, continuation
from tests.service.append_rounds import CASES, instead_of
from tests.service.house import House
from tests.service.refused_rounds import Call
from tests.service.table import Table

__all__ = ["CASES"]

CHECK: Final = ultimate_texas_pb2.DECISION_CHECK
PLAY_4X: Final = ultimate_texas_pb2.DECISION_PLAY_4X
TIMEOUT: Final = ultimate_texas_pb2.DECISION_TIMEOUT


def texas(house: House, **how: Any) -> Table:  # noqa: ANN401 - what Table takes
    return house.table("ultimate_texas", seats=2, **how).play()


@instead_of(Code.OPENED_WITHOUT_UNSEAL, "COURSE_FORKED")
def settlement_of_a_course_that_opened_otherwise(house: House) -> Call:
    """Let both seats bet at once in a continuation that ends the round, and settle it with the other's cards."""
    table = texas(house)
    rewound = continuation(table)
    for seat in (0, 1):
        rewound.accept(seat, decision=PLAY_4X)
        house.clock.now += 1
        table.accept(seat, decision=PLAY_4X)
    table.open_section()
    adopt_cards(rewound, table)
    return rewound.settle
