"""A log of every kind of round, its rows written a second time from the leaves alone, and the rows of a folder."""

import base64
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final

import duckdb

from referee.audit import MemoryLog
from referee.audit.as_of import AuditTime
from referee.audit.trust import TrustedKeys
from referee.rounds.export import Exported, export_rounds
from referee.rulesets import load_builtin
from tests.audit.audit_builder import LOG, ORIGIN, ROOT, LogBuilder, Table, abort, healthy_tables, settle

TABLES: Final = ("rounds", "seats", "events", "transfers", "aborts")
HOUSE: Final = 255
NO_KEY: Final = "00" * 32
DAY_MS: Final = 86_400_000
KEYS: Final = TrustedKeys(log=LOG.text, root=ROOT.text)
TIME: Final = AuditTime(now=2**53 - 1)
_RANKS, _SUITS = "23456789TJQKA", "SCDH"


@cache
def log_of_every_kind() -> LogBuilder:
    """Make a log: rounds of each ruleset, sealed and keyed ones, aborts on days of their own, one open meanwhile."""
    log = LogBuilder.founded()
    late = log.lay_out(Table(name="late", ruleset_id="mau_binh.classic", seats=3, keyed=True))
    log.append(late, steps="OD")
    for table in healthy_tables(sorted(ruleset.id for ruleset in load_builtin()), seats=(2, 4)):
        for _ in range(2):
            log.play(table)
    log.play(Table(name="sealed", ruleset_id="mau_binh.classic", seats=3, sealed=True, keyed=True))
    for name, stage, reason, missing in (
        ("missing", "OPENED", "SEED_MISSING", (1,)),
        ("given-up", "DEALT", "DEADLINE", None),
        ("closed", "OPENED", "OPERATOR", None),
    ):
        next_day = log.time + DAY_MS
        table = Table(name=name, ruleset_id="tien_len.mien_nam", seats=3, keyed=True)
        parts = log.lay_out(table, deal_deadline=next_day, round_deadline=next_day + DAY_MS // 24)
        abort(parts, stage=stage, reason=reason, missing=missing)
        log.append(parts, steps="OER" if stage == "OPENED" else "ODER")
    settle(late)
    log.append(late, steps="UER")
    log.append(log.lay_out(Table(name="running", ruleset_id="tien_len.mien_nam", seats=2)), steps="O")
    return log


def bundle_of(entries: Sequence[bytes]) -> MemoryLog:
    """Return a log of these leaves under a signed checkpoint."""
    return LogBuilder(list(entries)).bundle()


def export(entries: Sequence[bytes], folder: Path, time: AuditTime = TIME) -> Exported:
    """Export a log of these leaves."""
    return export_rounds(bundle_of(entries), folder, origin=ORIGIN, keys=KEYS, time=time)


def rows_in(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return all rows of a folder's tables in the order of their keys, times as ms, with the day of each."""
    found = {}
    with duckdb.connect() as connection:
        for table in TABLES:
            files = f"'{folder}/{table}/*/*.parquet', hive_partitioning = true, union_by_name = true"
            result = connection.execute(f"FROM read_parquet({files})")
            names = [column[0] for column in result.description]
            rows = [dict(zip(names, map(_plain, row), strict=True)) for row in result.fetchall()]
            found[table] = sorted(rows, key=lambda row: (row["round_id"], row.get("seat", 0), row.get("number", 0)))
    return found


def written_again(entries: Iterable[bytes]) -> dict[str, list[dict[str, Any]]]:
    """Write the rows of a log's leaves with the standard library alone, without the two columns that games decide."""
    opened: dict[str, dict[str, Any]] = {}
    found: dict[str, list[dict[str, Any]]] = {table: [] for table in TABLES}
    for index, leaf in enumerate(entries):
        envelope = json.loads(leaf)
        kind = envelope["payloadType"].split(".")[2]
        said = json.loads(base64.b64decode(envelope["payload"]))
        if kind == "open":
            opened[said["round_id"]] = {"open": said, "open_leaf": index, "deal_leaf": None, "dealt_time": None}
        elif kind == "deal":
            opened[said["round_id"]] |= {"deal_leaf": index, "dealt_time": said["dealt_time"]}
        elif kind in {"settle", "abort"}:
            for table, rows in _ended(opened.pop(said["round_id"]), said, kind, index).items():
                found[table] += rows
    for rows in found.values():
        rows.sort(key=lambda row: (row["round_id"], row.get("seat", 0), row.get("number", 0)))
    return found


def _ended(known: dict[str, Any], said: dict[str, Any], kind: str, index: int) -> dict[str, list[dict[str, Any]]]:
    header, is_settled = known["open"]["header"], kind == "settle"
    seats = range(len(header["seat_keys"]))
    bets = header["seat_stakes"] or [[None, None] for _ in seats]
    time = said["inputs"]["closed_time"] if is_settled else said["aborted_time"]
    paid = said["results"]["transfers"] if is_settled else []
    hands = [[_card(number) for number in section] for section in said["inputs"]["sections"]] if is_settled else []
    net: defaultdict[int, int] = defaultdict(int)
    for one in paid:
        net[one["from"]] -= one["amount"]
        net[one["to"]] += one["amount"]
    of_round = {"round_id": said["round_id"], "day": datetime.fromtimestamp(time / 1000, UTC).date().isoformat()}
    blamed = [
        seat for seat in seats if not is_settled and said["reason"] == "SEED_MISSING" and not said["client_seeds"][seat]
    ]
    own = ("table_id", "round_number", "ruleset_id", "ruleset_version", "ruleset_digest", "currency", "stake")
    results = dict(said["results"]) if is_settled else {}
    shown = results.pop("seats", [])
    for name in ("transfers", "events_hash"):
        results.pop(name, None)
    return {
        "rounds": [
            of_round
            | {name: header[name] for name in (*own, "randomness_suite")}
            | {name: known[name] for name in ("open_leaf", "deal_leaf", "dealt_time")}
            | {
                "outcome": "SETTLED" if is_settled else "ABORTED",
                "opened_time": known["open"]["opened_time"],
                "ended_time": time,
                "is_sealed": "seat_tokens" in known["open"],
                "seat_count": len(seats),
                "staked": sum(sum(bet) for bet in header["seat_stakes"]) or header["stake"] * len(seats),
                "transferred": sum(one["amount"] for one in paid),
                "house_net": net[HOUSE],
                "event_count": len(said["inputs"]["events"]) if is_settled else 0,
                "board": hands[len(seats) :],
                "results": results if is_settled else None,
                "end_leaf": index,
            }
        ],
        "seats": [
            of_round
            | {
                "seat": seat,
                "seat_key": None if header["seat_keys"][seat] == NO_KEY else header["seat_keys"][seat],
                "bet": bets[seat][0],
                "side_bet": bets[seat][1],
                "net": net[seat] if is_settled else None,
                "cards": hands[seat] if is_settled else [],
                "result": shown[seat] if is_settled else None,
                "is_blamed": seat in blamed,
            }
            for seat in seats
        ],
        "events": _events(said, of_round) if is_settled else [],
        "transfers": [
            of_round
            | {
                "number": number,
                "payer": None if one["from"] == HOUSE else one["from"],
                "payee": None if one["to"] == HOUSE else one["to"],
                **{name: one[name] for name in ("amount", "reason", "subject")},
            }
            for number, one in enumerate(paid, 1)
        ],
        "aborts": []
        if is_settled
        else [
            of_round
            | {
                "reason": said["reason"],
                "stage": said["stage"],
                "seed_count": len([seed for seed in said["client_seeds"] if seed]),
                "blamed": blamed,
            }
        ],
    }


def _events(said: dict[str, Any], of_round: dict[str, Any]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for number, one in enumerate(said["inputs"]["events"], 1):
        opened = [said["inputs"]["dealt_time"]]
        opened += [late["time"] for late in said["inputs"]["unsealed"] if late["number"] < number]
        earlier = [event["time"] for event in said["inputs"]["events"][: number - 1]]
        rows.append(
            of_round
            | {
                "number": number,
                "seat": one["event"]["seat"],
                "kind": one["event"]["kind"],
                "event": one["event"],
                "time": one["time"],
                "is_received": one["received"] == 1,
                "since_event": one["time"] - max(opened + earlier),
                "since_cards": one["time"] - max(opened),
            }
        )
    return rows


def _card(number: int) -> str:
    return _RANKS[(number - 1) // 4] + _SUITS[(number - 1) % 4]


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return round(value.replace(tzinfo=UTC).timestamp() * 1000)
    if isinstance(value, str) and value.startswith("{"):
        return json.loads(value)
    return value.isoformat() if hasattr(value, "isoformat") else value
