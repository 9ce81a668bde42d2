"""Each attack of ``tests/attacks`` ends with a quarrel about its rounds; the tables of whom it names are of attacks."""

from pathlib import Path
from typing import Final

from tests.attacks.named_parties import ELSEWHERE, NAMED

ATTACKS: Final = Path(__file__).parents[1] / "attacks"


def test_every_attack_whose_answer_is_listed_exists() -> None:
    sources = {path.stem: path.read_text("utf-8") for path in ATTACKS.glob("test_*.py")}
    assert set(ELSEWHERE) <= set(sources)
    named = [key.partition(".")[::2] for key in NAMED]
    assert [(module, name) for module, name in named if f"\ndef {name}(" not in sources[module]] == []
