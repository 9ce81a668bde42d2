"""The vectors of whole rounds and of judged events as cases: each row of them is dealt by script and played."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from referee_harness import vectors
from referee_harness.cases.rows import DEFAULTS, Case, Step

_TIMES: Final = frozenset({"OUT_OF_ORDER", "CLOSED_TOO_EARLY", "BEFORE_DEAL"})
"""Violations whose ``expected`` is a time."""
LOWEST_CARD_LEADS: Final = "tien_len.house_example"
"""The example of a house's ruleset, which a harness serves from ``referee/rulesets/examples``."""
Vector = Mapping[str, Any]
OPENED: Final[tuple[Step, ...]] = ({"open": {}}, {"deal": {}})


def vector_cases() -> Iterator[Case]:
    """Yield a case for each vector that can be played: rounds, judged events and checked arrangements."""
    for topic, steps_of in _TOPICS.items():
        for number, row in enumerate(vectors.rows(topic), 1):
            game = topic.partition("/")[0]
            head = dict(DEFAULTS[game]) | {
                name: row[name] for name in ("why", "source", "hands", "stake") if name in row
            }
            head |= {name: row[name] for name in ("house", "board", "leader", "ruleset", "rules") if name in row}
            head |= {"case": row["id"]} | _own(game, row)
            if row.get("leader_by") == "LOWEST_CARD":
                head["ruleset"] = LOWEST_CARD_LEADS
                del head["leader"]  # it follows from the cards
            steps = (*OPENED, *steps_of(row))
            yield Case(head=head, steps=steps, topic=topic, place=f"tests/vectors/{topic}.jsonl:{number}")


def _own(game: str, row: Vector) -> dict[str, Any]:
    """Return the members of a head that a game has of its own."""
    if game == "ultimate_texas" and "stakes" in row:
        return {"bets": [(stake["ante"], stake["trips"]) for stake in row["stakes"]], "stake": 2}
    if game == "ultimate_texas":
        rules = {"rules": {"order": row["order"]}} if "order" in row else {}
        return {"bets": [(2, 0)] * row["seats"], "stake": 2} | rules
    if "dealt" in row:
        return {"hands": [row["dealt"]], "seats": 2}
    return {}


def _tien_len_events(row: Vector) -> Iterator[dict[str, Any]]:
    for number, text in enumerate(row["events"], 1):
        event, _, time = text.partition(" @")
        yield {"accept": event, "at": f"dealt+{time or number}"}


def _tien_len_round(row: Vector) -> Iterator[Step]:
    for step in _tien_len_events(row):
        seat, _, choice = step["accept"].partition(" ")
        if choice not in {"pass", "leave", "timeout"}:
            yield {"ask": "ListPlays", "answer": {"turn": int(seat)}}
            yield {"check": step["accept"], "at": step["at"]}
        yield step
    paid = [
        f"{payer} {payee} {100 * units} {reason} {subject}".strip()
        for payer, payee, units, reason, subject in row["transfers"]
    ]
    winner = {"outcome.ending": row["ending"], f"outcome.seats[{row['winner']}].winner": True}
    yield {"settle": {}, "transfers": paid, "answer": winner}


def _tien_len_judged(row: Vector) -> Iterator[Step]:
    last = 0
    for number, text in enumerate(row["events"], 1):
        event, _, time = text.partition(" @")
        yield {"report": f"{event} @{time or number}"}
        last = max(last, int(time or number))
    event, _, time = row["event"].partition(" @")
    if event == "settle":
        yield {
            "settle" if row["violations"] else "preview": {},
            "at": f"dealt+{time or last}",
            "violations": row["violations"],
        }
        return
    when = int(time or max(len(row["events"]) + 1, last))
    if when < last:
        yield {"report": f"{event} @{when}"}
        yield {
            "preview": {},
            "violations": row["violations"],
            "answer": {"refused_event_number": len(row["events"]) + 1},
        }
        return
    yield {"check": event, "at": f"dealt+{when}", "violations": row["violations"]}
    yield {"accept": event, "violations": row["violations"]}


def _mau_binh_event(fields: Vector) -> str:
    if fields["kind"] == "LEAVE":
        return f"{fields['seat']} leave"
    return f"{fields['seat']} arrange {fields['back']} / {fields['middle']} / {fields['front']}"


def _mau_binh_round(row: Vector) -> Iterator[Step]:
    dealt = row["dealt_time"]
    for event in row["events"]:
        yield {"accept": _mau_binh_event(event), "at": f"dealt+{event['time'] - dealt}"}
    paid = [
        f"{one['payer']} {one['payee']} {one['amount']} {one['reason']} {one['subject']}".strip()
        for one in row["transfers"]
    ]
    yield {"settle": {}, "at": f"dealt+{max(row['closed_time'] - dealt, 0)}", "transfers": paid, "net": row["net"]}


def _since(violations: list[Vector], dealt: int) -> list[dict[str, Any]]:
    """Return violations whose times are in ms after the deal."""
    times = {"deadline_time", "received_time"}
    return [
        {
            name: fact - dealt if name in times or (name == "expected" and one["code"] in _TIMES) else fact
            for name, fact in one.items()
        }
        for one in violations
    ]


def _mau_binh_refused(row: Vector) -> Iterator[Step]:
    dealt, number = row["dealt_time"], row["refused_event"]
    violations = _since(row["violations"], dealt)
    events = row["events"][:number] if number else row["events"]
    last = dealt
    for index, event in enumerate(events, 1):
        since = event["time"] - dealt
        if index == number and event["time"] < last:
            yield {"report": f"{_mau_binh_event(event)} @{since}"}
            yield {"preview": {}, "violations": violations, "answer": {"refused_event_number": number}}
        elif index == number:
            yield {"accept": _mau_binh_event(event), "at": f"dealt+{since}", "violations": violations}
        else:
            yield {"report": f"{_mau_binh_event(event)} @{since}"}
        last = max(last, event["time"])
    if not number:
        yield {"settle": {}, "at": f"dealt+{row['closed_time'] - dealt}", "violations": violations}


def _mau_binh_checked(row: Vector) -> Iterator[Step]:
    event = f"0 arrange {row['back']} / {row['middle']} / {row['front']}"
    is_lawful = all(fault["code"].startswith("FOULED_") for fault in row["violations"])
    answer = {"acceptable": is_lawful, "values": [{}] * 3 if is_lawful else []}
    yield {"check": event, "violations": row["violations"], "answer": answer}


def _texas_events(events: list[Vector], dealt: int | None) -> Iterator[Step]:
    for fields in events:
        step: dict[str, Any] = {"accept": f"{fields['seat']} {fields['decision']}", "open_cards": True}
        if dealt is not None:
            step["at"] = f"dealt+{fields['time'] - dealt}"
        elif fields["decision"] == "TIMEOUT":
            step["wait"] = 30_000
        yield step


def _texas_settled(row: Vector) -> Iterator[Step]:
    yield from _texas_events(row["events"], None)
    paid = [
        f"{one['payer']} {one['payee']} {one['amount']} {one['reason']} {one['subject']}".strip()
        for one in row["transfers"]
    ]
    seats = {f"outcome.seats[{seat}].result": one["result"] for seat, one in enumerate(row["seats"])}
    seats |= {f"outcome.seats[{seat}].value.category": one["category"] for seat, one in enumerate(row["seats"])}
    house = {"outcome.house_value.category": row["house_category"], "outcome.house_qualified": row["house_qualifies"]}
    yield {"settle": {}, "transfers": paid, "net": row["net"], "answer": seats | house}


def _texas_judged(row: Vector) -> Iterator[Step]:
    dealt = row["dealt_time"]
    yield from _texas_events(row["events"], dealt)
    event, since = row["event"], row["event"]["time"] - dealt
    text, violations = f"{event['seat']} {event['decision']}", _since(row["violations"], dealt)
    last = max([one["time"] - dealt for one in row["events"]], default=0)
    if since < last:
        yield {"report": f"{text} @{since}"}
        yield {"preview": {}, "violations": violations}
    else:
        yield {"accept": text, "at": f"dealt+{since}", "violations": violations}


_TOPICS: Final[Mapping[str, Callable[[Vector], Iterator[Step]]]] = {
    "mau_binh/settlement": _mau_binh_round,
    "mau_binh/refusal": _mau_binh_refused,
    "mau_binh/arrangement": _mau_binh_checked,
    "tien_len/rounds": _tien_len_round,
    "tien_len/violations": _tien_len_judged,
    "ultimate_texas/settlements": _texas_settled,
    "ultimate_texas/decisions": _texas_judged,
}
"""How the rows of a topic are played."""
