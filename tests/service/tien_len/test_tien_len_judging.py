"""The hand-worked vectors of the game's law asked over gRPC: dealt by script, judged at the clock they name."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

from referee.cards import parse_cards
from referee.games.tien_len import Fault
from referee.rulesets import load_folder, load_texts
from referee.v1 import tien_len_pb2
from tests.service.tien_len_house import TienLenHouse
from tests.service.violations import facts_of

Vector: TypeAlias = dict[str, Any]

ROOT: Final = Path(__file__).parents[3]
VECTORS: Final = ROOT / "tests" / "vectors" / "tien_len"
RULES: Final = (ROOT / "referee" / "rulesets" / "tien_len.mien_nam.toml").read_text(encoding="utf-8")
EXAMPLE: Final = ROOT / "referee" / "rulesets" / "examples" / "tien_len.house_example.toml"
"""A ruleset in which the lowest card leads."""
STAKE: Final = 100


def _vectors(topic: str) -> list[Vector]:
    return [json.loads(line) for line in (VECTORS / f"{topic}.jsonl").read_text(encoding="utf-8").splitlines()]


def _house_rules(vector: Vector) -> str:
    """Copy the released ruleset with the vector's changes, under an id of its own."""
    text = RULES.replace('id = "tien_len.mien_nam"', f'id = "{_ruleset(vector)}"')
    for knob, value in vector["rules"].items():
        if knob == "instant_wins":
            text = re.sub(r"(?s)\[\[instant_wins\]\].*?(?=\n\[[^\[])", "", text)
            text = re.sub(r"(?s)\[names\.pattern\].*?\n\n", "[names.pattern]\n\n", text)
            text = text.replace("\n[title]", "instant_wins = []\n\n[title]")
        else:
            text = re.sub(rf"(?m)^{knob} = (?=\[|\"[A-Z]|30$).*$", f"{knob} = {json.dumps(value)}", text)
    return text


def _ruleset(vector: Vector) -> str:
    if vector.get("leader_by") == "LOWEST_CARD":
        return EXAMPLE.stem
    if "rules" not in vector:
        return "tien_len.mien_nam"
    return "tien_len." + re.sub("[^a-z0-9]", "_", vector["id"])


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory, tien_len: TienLenHouse) -> Iterator[TienLenHouse]:
    """Start a server with the variants that the vectors name."""
    folder = tmp_path_factory.mktemp("rulesets")
    shutil.copy(EXAMPLE, folder)
    for vector in (*_vectors("violations"), *_vectors("rounds")):
        if "rules" in vector:
            (folder / f"{_ruleset(vector)}.toml").write_text(_house_rules(vector), encoding="utf-8")
    running = type(tien_len)(tmp_path_factory.mktemp("scripted"), catalogue=load_folder(folder))
    yield running
    running.close()


def _event(text: str, number: int) -> tien_len_pb2.TienLenEvent:
    """Parse an event of a vector: ``0 3S 3C``, ``1 pass``, ``2 leave``, ``3 timeout``, a time with ``@``."""
    words = text.split()
    time = int(words.pop()[1:]) if words[-1].startswith("@") else number
    event = tien_len_pb2.TienLenEvent(seat=int(words[0]), time=time)
    if words[1] in {"pass", "leave", "timeout"}:
        getattr(event, {"pass": "pass_turn"}.get(words[1], words[1])).SetInParent()
    else:
        cards = "" if words[1] == "play" else " ".join(words[1:])
        event.play.CopyFrom(tien_len_pb2.Play(cards=[card.number for card in parse_cards(cards)]))  # type: ignore[misc] # the enum of the wire is the number itself
    return event


def _round_of(scripted: TienLenHouse, vector: Vector) -> tien_len_pb2.TienLenRound:
    hands = [parse_cards(hand) for hand in vector["hands"]]
    message: tien_len_pb2.TienLenRound = scripted.script(
        hands, leader=vector["leader"], leader_by=vector.get("leader_by", "DRAW"), ruleset=_ruleset(vector), stake=STAKE
    )
    message.events.extend([_event(text, number) for number, text in enumerate(vector["events"], start=1)])
    return message


@pytest.mark.parametrize("vector", _vectors("violations"), ids=lambda vector: vector["id"])
def test_an_event_is_answered_with_exactly_its_faults(scripted: TienLenHouse, vector: Vector) -> None:
    message = _round_of(scripted, vector)
    size = scripted.settled_size()
    action, _, closed_time = vector["event"].partition(" @")
    if action == "settle":
        scripted.clock.now = int(closed_time or max((event.time for event in message.events), default=0))
        if vector["violations"]:
            answer = scripted.settle(message)
            assert vector["violations"] == [facts_of(violation) for violation in answer.violations]
            assert not answer.HasField("outcome")
        else:
            assert scripted.preview(message).state.over
    else:
        last = max((event.time for event in message.events), default=0)
        event = _event(vector["event"], max(len(message.events) + 1, last))
        scripted.clock.now = event.time
        if event.time < last:  # the referee's own clock never goes back; a frontend's can
            message.events.append(event)
            accepted: Any = scripted.preview(message)
            assert accepted.refused_event_number == len(message.events)
            message.events.pop()
        else:
            event.time = 0
            accepted = scripted.accept(message, event)
            assert bool(vector["violations"]) == (not accepted.HasField("event"))
        checked = scripted.check(message, event)
        assert vector["violations"] == [facts_of(violation) for violation in accepted.violations]
        timeless = [fault for fault in vector["violations"] if fault["code"] != "OUT_OF_ORDER"]
        assert timeless == [facts_of(violation) for violation in checked.violations]
    assert scripted.settled_size() == size


@pytest.mark.parametrize("vector", _vectors("rounds"), ids=lambda vector: vector["id"])
def test_the_seat_on_turn_and_what_it_must_beat_follow_the_events(scripted: TienLenHouse, vector: Vector) -> None:
    """Before each event the state names a seat that may act, and lists the play that is then made."""
    whole = _round_of(scripted, vector)
    message = tien_len_pb2.TienLenRound()
    message.CopyFrom(whole)
    del message.events[:]
    last: list[int] = []
    for event in whole.events:
        state, listed = scripted.preview(message).state, scripted.plays(message)
        assert state.turn == listed.turn
        assert listed.may_pass == state.HasField("to_beat")
        if event.HasField("play"):
            assert event.seat == state.turn
            assert sorted(event.play.cards) in [sorted(play.cards) for play in listed.plays]
            combination = scripted.check(message, event).combination
            assert sorted(event.play.cards) == sorted(combination.cards)
            assert combination.name.vi
            last = sorted(event.play.cards)
        elif state.HasField("to_beat"):
            assert last in ([], sorted(state.to_beat.cards))
        message.events.append(event)
    assert scripted.preview(message).state.over


def test_what_every_game_can_find_wrong_has_one_code() -> None:
    """A frontend of several games knows it once."""
    shared = {"UNKNOWN_SEAT", "OUT_OF_ORDER", "ALREADY_LEFT", "CLOSED_TOO_EARLY", "ROUND_NOT_OVER", "ROUND_OVER"}
    assert shared <= {fault.value for fault in Fault}
    for game in ("tien_len", "mau_binh", "ultimate_texas"):
        assert shared <= set(load_texts(game).violations)
