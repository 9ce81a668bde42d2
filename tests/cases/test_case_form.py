"""The form of cases: what is no case is refused with its line, and a case that fails says how."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from referee_harness.cases.engine import MismatchError, run
from referee_harness.cases.rows import Case, CaseFormError, read
from referee_harness.cases.secrets import Secrets
from referee_harness.cases.servers import Served, by_calls, serve_scripted

from tests.cases.all_cases import WRITTEN

FOLDER: Final = Path(__file__).parent
HEAD: Final = '{"case": "c", "why": "w", "source": "s"}\n'


def test_line_of_a_case_has_at_most_120_columns_and_each_case_steps() -> None:
    lines = [line for file in FOLDER.glob("*/*.jsonl") for line in file.read_text(encoding="utf-8").splitlines()]
    assert max(map(len, lines)) <= 120
    assert all(case.steps for case in WRITTEN)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{", "1: no JSON"),
        ("[]", "1: a line is an object"),
        ('{"open": {}}', "1: a step before the first head"),
        ('{"case": "c", "why": "w"}', "1: the head lacks 'source'"),
        ('{"case": "c", "why": "w", "source": "s", "hand": []}', "1: a head has no 'hand'"),
        (HEAD + '{"open": {}, "deal": {}}', "2: a step does one thing"),
        (HEAD + '{"open": {}, "refuse": ""}', "2: a step has no 'refuse'"),
        (HEAD + HEAD, "2: the file has a case 'c' already"),
    ],
)
def test_line_that_is_no_part_of_a_case_is_refused(tmp_path: Path, text: str, fault: str) -> None:
    (tmp_path / "topic.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(CaseFormError, match=re.escape(fault)):
        list(read(tmp_path / "topic.jsonl"))


@pytest.fixture(scope="module")
def scripted() -> Iterator[Served]:
    """Run a harness."""
    with serve_scripted() as world:
        yield world


def manual(folder: Path, *change: str) -> list[Case]:
    """Return the case of the page, perhaps with a change."""
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    (folder / "tien_len").mkdir()
    (folder / "tien_len" / "judging.jsonl").write_text(text.replace(*change) if change else text, encoding="utf-8")
    return list(read(folder / "tien_len" / "judging.jsonl"))


def test_case_of_the_page_holds(scripted: Served, tmp_path: Path) -> None:
    (case,) = manual(tmp_path)
    run(case, scripted, by_calls(scripted))


@pytest.mark.parametrize(
    ("old", "new", "difference"),
    [
        ('"state.turn": 0', '"state.turn": 1', '+ answer: {"state.turn": 0, "state.to_beat.kind": "PAIR"}'),
        ('["DOES_NOT_BEAT"]', '["WRONG_KIND"]', '+ violations: ["DOES_NOT_BEAT"]'),
        ('"1 5H", "violations"', '"1 4S 4C", "violations"', "+ violations: []"),
        (
            '"violations": [{"code": "ROUND_NOT_OVER"}]',
            '"refused": "EXPIRED round"',
            '- refused: "EXPIRED round"\n+ refused: ""',
        ),
    ],
)
def test_case_that_fails_prints_a_diff(scripted: Served, tmp_path: Path, old: str, new: str, difference: str) -> None:
    (case,) = manual(tmp_path, old, new)
    with pytest.raises(MismatchError) as caught:
        run(case, scripted, by_calls(scripted))
    assert difference in str(caught.value)
    assert str(caught.value).endswith('-k "pair-over-pair"')


def test_seat_keeps_its_key_and_has_a_seed_of_its_own_in_every_round() -> None:
    first, second = (Secrets("table", seat=0, round_id=round_id) for round_id in (b"\1" * 32, b"\2" * 32))

    assert first.key == second.key
    assert len({first.seed, first.token, first.nonce, second.seed, second.token, second.nonce}) == 6
