"""Each reason of a refusal and each finding of the audit is produced by what the index names, and each broken rule."""

import pytest

from referee.games.mau_binh.code import ViolationCode
from referee.games.tien_len import Fault
from referee.rulesets import load_texts
from tests.cases.all_cases import ALL
from tests.service.producers import INSTEAD, findings, reasons


def test_every_reason_is_produced() -> None:
    assert [reason for reason, producers in reasons().items() if not producers] == []


def test_every_finding_is_produced() -> None:
    """That a call which would cause it is refused produces no finding."""
    produced = {code: [one for one in by if not one.endswith(INSTEAD)] for code, by in findings().items()}
    assert [code for code, producers in produced.items() if not producers] == []


@pytest.mark.parametrize(("game", "codes"), [("mau_binh", set(ViolationCode)), ("tien_len", set(Fault))])
def test_every_violation_is_answered_to_some_case(game: str, codes: set[str]) -> None:
    """Those of Ultimate Texas Hold'em are in its vectors."""
    steps = [step for case in ALL if case.game == game for step in case.steps]
    found = [one if isinstance(one, str) else one["code"] for step in steps for one in step.get("violations", ())]
    assert codes <= set(found)


def test_what_every_game_can_find_wrong_has_one_code() -> None:
    """A frontend of several games knows it once."""
    shared = {"UNKNOWN_SEAT", "OUT_OF_ORDER", "ALREADY_LEFT", "CLOSED_TOO_EARLY", "ROUND_NOT_OVER", "ROUND_OVER"}
    assert shared <= {fault.value for fault in Fault}
    for game in ("tien_len", "mau_binh", "ultimate_texas"):
        assert shared <= set(load_texts(game).violations)
