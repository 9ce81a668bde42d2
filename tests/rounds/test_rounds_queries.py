"""The queries of the page: each runs, its answer in the page holds, and a second writing over the leaves agrees."""

import json
import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import pytest

from referee.lab.odds.ultimate_texas.figures import DEALS, Figures
from referee.rounds.parquet import encode_rows
from referee.rounds.row import TABLES, RoundRow, Row, SeatRow
from referee.rulesets import get
from tests.command import referee
from tests.demo_log import ROUNDS, DemoLog
from tests.rounds.queries_page import ask, open_folder, queries, shown
from tests.rounds.rounds_log import export, log_of_every_kind, written_again

QUERIES: Final = {query.title: query for query in queries()}
KEY, TABLE, PAID, RETURNS, ABORTS, THINKING = QUERIES
SURE: Final = {
    TABLE: ("round_number", "outcome", "seat_count", "currency"),
    RETURNS: ("measure", "ruleset_id", "ruleset_version", "rounds", "exact", "verdict"),
}
"""Columns of the demo's answers that are the same in every run of it."""
CASINO: Final = "ultimate_texas.casino"
TABLE_ID: Final = "tien_len.mien_nam.2"
Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def tests_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the tables of the tests' log."""
    folder = tmp_path_factory.mktemp("tests")
    export(log_of_every_kind().entries, folder)
    return folder


@pytest.fixture(scope="module")
def demo_folder(demo_log: DemoLog, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the tables of the demo's log."""
    folder = tmp_path_factory.mktemp("demo")
    assert referee("rounds", "export", demo_log.data, "--out", folder).returncode == 0
    return folder


@pytest.fixture(scope="module")
def leaves() -> dict[str, Rows]:
    """Return the rows of the tests' log as the second writing has them, the round's terms in every row."""
    rows = written_again(log_of_every_kind().entries)
    rounds = {row["round_id"]: row for row in rows["rounds"]}
    return {table: [rounds[row["round_id"]] | row for row in found] for table, found in rows.items()}


def answer(folder: Path, title: str, **variables: str) -> Rows:
    columns, rows = ask(open_folder(folder, **variables), QUERIES[title].sql)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def test_page_has_a_query_for_every_question():
    words = ("key", "table", "paid", "exact", "Aborts", "thinking")
    assert [word in title for word, title in zip(words, QUERIES, strict=True)] == [True] * len(words)


@pytest.mark.parametrize("title", QUERIES)
def test_answer_in_the_page_is_the_querys(title: str, tests_folder: Path, demo_folder: Path):
    """Of the tests' log it is the same in every cell; of the demo's, in the columns that no chance decides."""
    query = QUERIES[title]
    columns, rows = ask(open_folder(tests_folder if query.log == "tests" else demo_folder), query.sql)
    written = query.rows
    assert written[0] == columns
    if query.log == "tests":
        assert written[1:] == [[shown(value) for value in row] for row in rows]
    elif title in SURE:
        places = [columns.index(name) for name in SURE[title]]
        found = [[shown(row[place]) for place in places] for row in rows]
        assert found == [[row[place] for place in places] for row in written[1:]]
        assert len(found) > 2
    elif title == PAID:
        assert rounds_by_ruleset(columns, rows) == rounds_by_ruleset(columns, written[1:])
        assert set(rounds_by_ruleset(columns, rows).values()) == {ROUNDS}
    else:
        assert len(written[1:]) == len(rows) == 5


def rounds_by_ruleset(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Counter[str]:
    """Add up the rounds of each ruleset, for a demo may be played over midnight."""
    found: Counter[str] = Counter()
    for row in rows:
        found[row[columns.index("ruleset_id")]] += int(row[columns.index("rounds")])
    return found


def test_rounds_of_a_key_are_those_of_the_leaves(tests_folder: Path, leaves: dict[str, Rows]):
    keys = {row["seat_key"] for row in leaves["seats"] if row["seat_key"]}
    assert len(keys) > 5
    for key in keys:
        wanted = [row for row in leaves["seats"] if row["seat_key"] == key]
        found = answer(tests_folder, KEY, seat_key=key)
        assert [row["end_leaf"] for row in found] == sorted((row["end_leaf"] for row in wanted), reverse=True)
        assert {(row["seat"], row["net"]) for row in found} == {(row["seat"], row["net"]) for row in wanted}


def test_period_is_of_whole_days(tests_folder: Path, leaves: dict[str, Rows]):
    days = sorted({row["day"] for row in leaves["rounds"]})
    assert len(days) > 3
    for day in days:
        wanted = sum(row["day"] == day and row["outcome"] == "SETTLED" for row in leaves["rounds"])
        assert sum(row["rounds"] for row in answer(tests_folder, PAID, first_day=day, last_day=day)) == wanted


def test_rounds_of_a_table_are_those_of_the_leaves(tests_folder: Path, leaves: dict[str, Rows]):
    wanted = [row for row in leaves["rounds"] if row["table_id"] == TABLE_ID]
    found = answer(tests_folder, TABLE, table_id=TABLE_ID)
    assert [row["round_number"] for row in found] == [2, 1]
    for name in ("end_leaf", "staked", "transferred", "house_net", "outcome"):
        assert sorted(row[name] for row in found) == sorted(row[name] for row in wanted)


def test_what_was_paid_is_what_the_leaves_say(tests_folder: Path, leaves: dict[str, Rows]):
    wanted: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for row in leaves["rounds"]:
        if row["outcome"] == "SETTLED":
            wanted[row["day"], row["ruleset_id"]].update(
                rounds=1, **{name: row[name] for name in ("staked", "transferred", "house_net")}
            )
    found = answer(tests_folder, PAID)
    assert len(found) == len(wanted) >= 6
    for row in found:
        counts = wanted[row["day"].isoformat(), row["ruleset_id"]]
        assert {name: row[name] for name in counts} == dict(counts)


def test_aborts_by_table_are_those_of_the_leaves(tests_folder: Path, leaves: dict[str, Rows]):
    wanted = Counter((row["table_id"], row["reason"], row["stage"]) for row in leaves["aborts"])
    found = answer(tests_folder, ABORTS)
    assert sum(row["aborted"] for row in found) == wanted.total() == 3
    for row in found:
        own = {key: count for key, count in wanted.items() if key[0] == row["table_id"]}
        by_reason = Counter({reason: count for (_, reason, _), count in own.items()})
        assert (row["no_seed"], row["deadline"]) == (by_reason["SEED_MISSING"], by_reason["DEADLINE"])
        assert (row["operator"], row["after_deal"]) == (by_reason["OPERATOR"], sum("DEALT" in key for key in own))


def test_longest_thinking_times_are_those_of_the_leaves(tests_folder: Path, leaves: dict[str, Rows]):
    own = [row for row in leaves["events"] if "TIMEOUT" not in row["event"].values()]
    takes_turns = [row["ruleset_id"].startswith("tien_len.") for row in own]
    times = [row["since_event" if turns else "since_cards"] for row, turns in zip(own, takes_turns, strict=True)]
    assert {True, False} == set(takes_turns)
    assert [row["thinking_ms"] for row in answer(tests_folder, THINKING)] == sorted(times, reverse=True)[:5]


def test_returns_are_those_of_the_leaves(tests_folder: Path, leaves: dict[str, Rows]):
    """Each measure is computed again: the mean of its rounds, and the interval of that mean."""
    figures: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    seats: defaultdict[str, Rows] = defaultdict(list)
    for row in leaves["seats"]:
        if row["outcome"] == "SETTLED":
            seats[row["round_id"]].append(row)
    units = {category.value: units for category, units in get(CASINO).rules.trips_units.items()}  # type: ignore[attr-defined]
    paid: Counter[tuple[str, int, bool]] = Counter()
    for row in leaves["transfers"]:
        for seat, sign in ((row["payer"], -1), (row["payee"], 1)):
            paid[row["round_id"], seat, row["reason"] == "TRIPS"] += sign * row["amount"]
    for round_id, own in seats.items():
        name, bettors = own[0]["ruleset_id"], [row for row in own if row["side_bet"]]
        if name.startswith("ultimate_texas."):
            assert bettors
            trips = [paid[round_id, row["seat"], True] / row["side_bet"] for row in bettors]
            figures["Trips as paid", name].append(statistics.mean(trips))
            dealt = [units.get(json_of(row)["category"], -1) for row in bettors]
            figures["Trips by the cards", name].append(statistics.mean(dealt))
            rest = [paid[round_id, row["seat"], False] / row["bet"] for row in own]
            figures["Ante, Blind and Play", name].append(statistics.mean(rest))
            results = next(row["results"] for row in leaves["rounds"] if row["round_id"] == round_id)
            figures["house qualifies", name].append(results["house"]["qualifies"])
        else:
            figures["instant win", name].append(statistics.mean([json_of(row)["instant_win"] != "" for row in own]))
    found = answer(tests_folder, RETURNS)
    assert len(found) == len(figures) == 12
    for row in found:
        own_figures = figures[row["measure"], row["ruleset_id"]]
        mean, half = statistics.mean(own_figures), 3.29 * statistics.stdev(own_figures) / math.sqrt(len(own_figures))
        assert row["rounds"] == len(own_figures)
        assert (row["actual"], row["low"], row["high"]) == pytest.approx((mean, mean - half, mean + half), abs=6e-5)


def json_of(row: dict[str, Any]) -> dict[str, Any]:
    """Return the results of a seat."""
    result: dict[str, Any] = row["result"]
    return result


def test_exact_figures_are_those_of_referee_odds(tests_folder: Path):
    wanted: dict[tuple[str, str], Fraction] = {}
    for name in (CASINO, "ultimate_texas.two_plus_three"):
        figures, rules = Figures.read(referee("odds", name, "--json").stdout.strip().encode()), get(name).rules
        wanted |= {
            ("Trips by the cards", name): -figures.trips_edge(rules, folds=False),  # type: ignore[arg-type]
            ("Trips as paid", name): -figures.trips_edge(rules, folds=True),  # type: ignore[arg-type]
            ("Ante, Blind and Play", name): -figures.house_edge,
            ("house qualifies", name): figures.qualifies(rules),  # type: ignore[arg-type]
        }
    for name in ("mau_binh.chi_2020", "mau_binh.classic", "mau_binh.maubinh_com"):
        odds = json.loads(referee("odds", name, "--json").stdout)
        wanted["instant win", name] = Fraction(sum(one["wins"] for one in odds["chances"]), odds["hands"])
    found = {(row["measure"], row["ruleset_id"]): row["exact"] for row in answer(tests_folder, RETURNS)}
    assert found.pop(("instant win", "tien_len.mien_nam")) is None
    assert found == {key: round(float(value), 6) for key, value in wanted.items()}


def returns_of(folder: Path, categories: Sequence[str]) -> str:
    """Return the verdict on Trips by the cards where one seat a round bet on it and had these hands."""
    rows: dict[str, list[Row]] = {table: [] for table in TABLES}
    digest, now = get(CASINO).digest.hex(), round(datetime(2026, 1, 1, tzinfo=UTC).timestamp() * 1000)
    for number, category in enumerate(categories, 1):
        terms = {"table_id": "t", "round_number": number, "outcome": "SETTLED", "opened_time": now, "dealt_time": now}
        terms |= {"ended_time": now, "ruleset_id": CASINO, "ruleset_version": "1.0.0", "ruleset_digest": digest}
        terms |= {"randomness_suite": 1, "is_sealed": False, "seat_count": 1, "currency": "CHIP", "stake": 10}
        terms |= {"staked": 15, "transferred": 0, "house_net": 0, "event_count": 0, "board": (), "results": "{}"}
        terms |= {"open_leaf": 0, "deal_leaf": 0, "end_leaf": 0, "round_id": f"{number:064x}"}
        rows["rounds"].append(RoundRow(**terms))  # type: ignore[arg-type]
        result = json.dumps({"category": category})
        seat = {"seat": 0, "seat_key": None, "bet": 10, "side_bet": 5, "net": 0, "cards": (), "is_blamed": False}
        rows["seats"].append(SeatRow(round_id=f"{number:064x}", result=result, **seat))  # type: ignore[arg-type]
    for table in TABLES:
        file = folder / table / "day=2026-01-01" / "0.parquet"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(encode_rows(table, rows[table]))
    (verdict,) = [row["verdict"] for row in answer(folder, RETURNS) if row["measure"] == "Trips by the cards"]
    return str(verdict)


def test_returns_raise_an_alarm_for_a_poorer_deck_alone(tmp_path: Path):
    figures = Figures.counted(get(CASINO).rules)  # type: ignore[arg-type]
    assert figures is not None
    shares: Counter[str] = Counter()
    for one in figures.outcomes:
        shares[one.category] += one.deals
    sound = [category for category, deals in shares.items() for _ in range(round(12_000 * deals / DEALS))]
    assert returns_of(tmp_path / "sound", sound) == "inside"
    assert returns_of(tmp_path / "short", sound[: len(sound) // 2]) == "too few rounds"
    poorer = ["PAIR" if category in {"FLUSH", "FULL_HOUSE"} else category for category in sound]
    assert returns_of(tmp_path / "poorer", poorer) == "OUTSIDE"
