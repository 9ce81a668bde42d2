"""``referee audit --answered`` on a log of three tables: what it writes, and that nothing else changes."""

import json
from pathlib import Path

import duckdb
import pytest

from tests.audit.audit_builder import LOG, ROOT, LogBuilder, Table
from tests.audit.audit_tiles import publish, served
from tests.cli.printing import printed
from tests.command import refused

KEYS = ("--log-key", LOG.text, "--root-key", ROOT.text)
SEATS = (4, 3, 2)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Publish a log of two rounds of Mậu Binh at each number of seats, and of another game."""
    log = LogBuilder.founded()
    for seats in SEATS:
        table = Table(name=f"table-{seats}", ruleset_id="mau_binh.classic", seats=seats, keyed=True)
        for seed in range(2):
            log.play(table, seed=seed)
    log.play(Table(name="other", ruleset_id="tien_len.mien_nam", seats=4))
    return publish(served(log), tmp_path_factory.mktemp("answered"))


def audited(place: Path, *options: object) -> dict[str, object]:
    report: dict[str, object] = json.loads(printed("audit", place, *KEYS, "--json", *options))
    del report["now"]
    return report


def test_asking_adds_its_answers_and_changes_nothing_else(place, tmp_path):
    plain = audited(place)
    scores = tmp_path / "scores"
    asked = audited(place, "--answered", "--answered-scores", scores)
    assert asked.pop("answered") == {"rounds": 6}
    assert asked == plain
    kept = scores.read_bytes()
    audited(place, "--answered", "--answered-scores", scores)
    assert scores.read_bytes() == kept


def test_scores_are_a_table_beside_those_of_the_rounds(place, tmp_path):
    audited(place, "--answered", "--tables", tmp_path)
    scores = duckdb.read_parquet(str(tmp_path / "answered.parquet"))
    rounds = duckdb.read_parquet(str(tmp_path / "rounds" / "**" / "*.parquet")).filter("seat_count = 4")
    rows = scores.join(rounds, "deal_leaf").select("seat, known_seat, by_cards, by_hands").fetchall()
    assert len(rows) == 2 * 4 * 3
    assert all(first != second for first, second, *_ in rows)


def test_lines_say_what_was_asked(place):
    lines = printed("audit", place, *KEYS, "--answered").splitlines()
    assert "answered: 6 rounds scored, no questions; 0 rounds with an unknown deck" in lines


def test_settings_and_scores_need_the_question(place, tmp_path):
    assert "give it too" in refused("audit", place, *KEYS, "--answered-scores", tmp_path / "scores")
    settings = tmp_path / "settings.toml"
    settings.write_text("apart = []")
    message = refused("audit", place, *KEYS, "--answered", "--answered-settings", settings)
    assert "settings are together, table_talk and alone" in message
