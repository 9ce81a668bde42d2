"""The chain of a seat's events in the page signs and refuses exactly what the Python SDK's does."""

import hashlib
import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
from referee_client.errors import VerificationError
from referee_client.seat import SeatSecrets
from referee_client.seat_chain import AlreadySignedError, SeatChain

from referee.transcript.chain import Course
from tests.randomness import random_from
from tests.web_table.web_table_packages import WEB, installed

pytestmark = pytest.mark.slow("builds or checks a Node project")

SCRIPT: Final = Path(__file__).with_name("chain.mjs")
SCRIPTS: Final = 120
STEPS: Final = 9
SECONDS: Final = 120
ROUND, DECK = hashlib.sha256(b"round").digest(), hashlib.sha256(b"deck").digest()
SEAT: Final = 1
SECRETS: Final = SeatSecrets.make(SEAT, private_key=hashlib.sha256(b"key").digest())


def canonical(event: dict[str, Any]) -> bytes:
    """Return the bytes of an event."""
    return json.dumps(event, sort_keys=True, separators=(",", ":")).encode()


class Script:
    """One round as a seat sees it, drawn at random: what is shown step by step, and what the SDK does there.

    Where ``is_hidden`` the page is shown the seat's own events alone, and the SDK acknowledges them one by one.
    """

    def __init__(self, draw: random.Random, *, is_hidden: bool) -> None:
        self.draw = draw
        self.is_hidden = is_hidden
        self.chain = SeatChain(SECRETS, round_id=ROUND, deck_root=DECK)
        self.course = Course.begin(round_id=ROUND, deck_root=DECK)
        self.shown: list[dict[str, Any]] = []
        self.signature = b""
        self.forgets = True
        self.steps: list[dict[str, Any]] = []
        self.expected: list[Any] = []

    def append(self, event: dict[str, Any]) -> None:
        """Add an event to the course."""
        raw, time = canonical(event), 1_000 + self.course.number
        self.course = self.course.append(raw, time=time, received=True, seat=event["seat"], seen=event.get("seen"))
        self.shown.append({"event": raw.decode(), "time": time, "received": True})

    def happen(self) -> None:
        """Let something happen at the table."""
        pending = self.chain.pending
        kinds = ["OTHER", "ACCEPT", "ACCEPT", "NOTHING"]
        match self.draw.choice(kinds if self.is_hidden else [*kinds, "TIMEOUT", "FORGET", "FORGE"]):
            case "OTHER":
                self.append({"kind": "PASS", "seat": 0, "seen": self.draw.randint(0, self.course.number)})
            case "TIMEOUT":
                self.append({"kind": "PASS", "seat": SEAT})
            case "ACCEPT" if pending is not None and pending.seen >= self.newest_timeout:
                self.append(json.loads(pending.event))
                self.signature = pending.signature
                if self.is_hidden:
                    self.chain.acknowledge()
            case "FORGET" if not self.forgets:
                self.chain, self.forgets = SeatChain(SECRETS, round_id=ROUND, deck_root=DECK), True
            case "FORGE" if self.draw.random() < 0.2:
                self.append({"kind": "PASS", "seat": SEAT, "seen": self.course.number})

    @property
    def newest_timeout(self) -> int:
        """Number of the seat's newest event that the clock made; 0 for none."""
        events = [json.loads(one["event"]) for one in self.shown]
        return max((at for at, one in enumerate(events, 1) if one["seat"] == SEAT and "seen" not in one), default=0)

    def sign(self) -> None:
        """Ask both for a signature on a choice of two, so that the same is often chosen again."""
        choice = {"kind": "PLAY", "cards": [self.draw.randint(1, 2)]}
        shown = [one for one in self.shown if not self.is_hidden or json.loads(one["event"])["seat"] == SEAT]
        course = {"deck_root": DECK.hex(), "is_whole": not self.is_hidden, "events": shown}
        course["signature"] = self.signature.hex()
        played = {"round_id": ROUND.hex(), "you": SEAT, "course": course}
        step = {"forgets": self.forgets, "round": played, "key": SECRETS.public_key.hex(), "choice": choice}
        self.steps.append(step)
        self.expected.append(self.expected_of(choice))
        self.forgets = False

    def expected_of(self, choice: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
        """Return what the SDK does."""
        try:
            if not self.is_hidden:
                self.chain.show(self.course, signature=self.signature)
            signed = self.chain.sign(canonical({**choice, "seat": SEAT}))
        except VerificationError:
            return "COURSE"
        except AlreadySignedError:
            return "SIGNED"
        return {"event": signed.event.decode(), "seen": signed.seen, "move": signed.move.hex()}


@pytest.mark.parametrize("is_hidden", [False, True], ids=["whole", "hidden"])
def test_page_signs_and_refuses_what_the_python_sdk_does(tmp_path: Path, *, is_hidden: bool) -> None:
    installed("the page's chain is not compared with the SDK's")
    node = shutil.which("node")
    assert node is not None
    scripts = [Script(random_from(number), is_hidden=is_hidden) for number in range(SCRIPTS)]
    for one in scripts:
        for _ in range(STEPS):
            one.happen()
            one.sign()
    expected = [one.expected for one in scripts]
    kinds = [outcome if isinstance(outcome, str) else "MOVE" for outcomes in expected for outcome in outcomes]
    expected_kinds = ("MOVE", "SIGNED") if is_hidden else ("MOVE", "SIGNED", "COURSE")
    assert min(kinds.count(kind) for kind in expected_kinds) > SCRIPTS // 4
    given = tmp_path / "scripts.json"
    given.write_text(json.dumps([one.steps for one in scripts]))
    command = [node, str(SCRIPT), str(tmp_path / "built"), str(given)]
    done = subprocess.run(command, cwd=WEB, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == expected
