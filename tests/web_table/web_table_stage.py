"""A scripted table server: a page is shown the views of the protocol's examples, changed as a test needs them."""

import copy
import json
import re
import time
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page, WebSocketRoute

EXAMPLES: Final = Path(__file__).parents[2] / "clients" / "table" / "examples"
Message = dict[str, Any]
SWEEP: Final = (((0, 2, 0), (1, 1, 1), (2, 0, 2)), ((2, 2, 0), (1, 1, 1), (0, 0, 2)), ((1, 2, 0), (0, 0, 2), (2, 1, 1)))
FOUL: Final = (((0, 1, 0), (1, 0, 1), (2, 0, 0)), ((0, 0, 1), (1, 1, 0), (2, 0, 0)), ((0, 0, 1), (1, 1, 0), (2, 0, 0)))
"""By chi, then by seat: whose hand of the example of a showdown it has, and what it wins and loses by it."""
SIX_PAIRS: Final = [["AS", "AH"], ["KS", "KD"], ["9C", "9H"], ["7S", "7D"], ["4C", "4H"], ["2S", "2D"], ["JC"]]


def example(name: str) -> Message:
    """Return an example of the protocol by its name."""
    found: Message = json.loads((EXAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    return found


def done(result: Message) -> Message:
    """Return the answer to a command that was done."""
    return {"type": "done", "result": result}


def now() -> int:
    """Return the time as the protocol has it."""
    return int(time.time() * 1000)


class Stage:
    """The server behind one page, which shows it one view after the other.

    ``sent`` has the commands of the page, ``answers`` the answers to commands by name: done with nothing by default.
    """

    def __init__(self, page: Page, first: Message, **answers: Message) -> None:
        self.page, self.first = page, first
        self.sent: list[Message] = []
        self.answers: dict[str, Message] = {
            "arrange": done({"is_held": True}),
            "check": done({"violations": [], "value_names": []}),
            "preview": example("done.preview"),
        } | answers
        self.version = 100
        self.attempts = 0
        self.is_away = False
        self._socket: WebSocketRoute | None = None
        page.route_web_socket(re.compile("/api/stream"), self._open)

    def show(self, message: Message) -> None:
        """Send the page a message; a view is newer than all before."""
        self.version += 1
        newer = {"version": self.version, "time": now()} if message["type"] == "view" else {}
        self.send(message | newer)

    def send(self, message: Message) -> None:
        """Send the page any message as it is."""
        assert self._socket is not None
        self._socket.send(json.dumps(message))

    def cut(self) -> None:
        """Cut the page off, and again each time that it tries to come back while ``is_away``."""
        assert self._socket is not None
        self.is_away = True
        self._socket.close()

    def of(self, name: str) -> list[Message]:
        """Return the commands of a name that the page has sent."""
        return [command for command in self.sent if command["name"] == name]

    def _open(self, socket: WebSocketRoute) -> None:
        self.attempts += 1
        if self.is_away:
            socket.close()
            return
        self._socket = socket
        socket.on_message(lambda data: self._take(json.loads(data)))

    def _take(self, message: Message) -> None:
        match message["type"]:
            case "hello":
                self.send(example("welcome") | {"gateway": None, "time": now()})
                self.show(self.first)
            case "ping":
                self.send({"type": "pong", "sent": message["sent"], "time": now()})
            case "command":
                self.sent.append(message)
                answer = self.answers.get(message["name"], done({}))
                self.send(answer | {"id": message["id"]})


def dealt(name: str, *, you: int = 0) -> Message:
    """Return an example view whose round was dealt at this moment and is the given seat's."""
    view = copy.deepcopy(example(name))
    moment = now()
    if view["round"]:
        view["round"]["dealt_time"] = moment
        view["round"]["you"] = you
        view["you"] = view["round"]["seats"][you]["person"]
    if view.get("phase_end_time"):
        view["phase_end_time"] = moment + 60_000
    return view


def finished(game: str) -> Message:
    """Return the view after a round of a game, between rounds, without its proof."""
    view = copy.deepcopy(example(f"view.{game}.last"))
    view["last"].pop("proof", None)
    return view | {"phase": "LOBBY", "phase_end_time": None}


def ending(game: str) -> Message:
    """Return the view of the end of a round of a game."""
    return finished(game) | {"phase": "ENDING", "phase_end_time": now() + 60_000}


def instant_win(*, dealt_ms: int = 0) -> Message:
    """Return a view of a round, dealt so many milliseconds ago, that the player's own hand wins at the deal."""
    view = dealt("view.mau_binh.playing")
    view |= {"phase": "SHOWDOWN", "phase_end_time": now() + 6_000}
    view["round"]["dealt_time"] -= dealt_ms
    view["round"]["hand"] = sorted(card for group in SIX_PAIRS for card in group)
    name = {"vi": "lục phé bôn", "en": "six pairs"}
    view["round"]["mau_binh"]["instant_wins"] = [{"seat": 0, "name": name, "groups": SIX_PAIRS}]
    return view


def showdown(*, fouled: bool = False) -> Message:
    """Return a view of a show whose chi are all counted; the first seat sweeps both others, or the last seat fouls.

    Seats change hands of the example, and pay by its ruleset: 1 a chi, 2 more for a sweep, 3 to each for a foul.
    """
    view = dealt("view.mau_binh.showdown")
    shown = view["round"]["mau_binh"]["showdown"]
    for at, (chi, order) in enumerate(zip(shown["chi"], FOUL if fouled else SWEEP, strict=True)):
        chi["start_time"] = now() - 16_000 + 5_000 * at
        chi["hands"] = [
            chi["hands"][example] | {"seat": seat, "units_won": won, "units_lost": lost}
            for seat, (example, won, lost) in enumerate(order)
        ]
        chi["hands"][2]["fouled"] = fouled
    if fouled:
        back, middle = (chi["hands"][2] for chi in shown["chi"][:2])
        back["cards"], middle["cards"] = middle["cards"], back["cards"]  # the higher straight is in the middle
    units = [sum(hands[seat][1] - hands[seat][2] for hands in (FOUL if fouled else SWEEP)) for seat in range(3)]
    added = (3, 3, -6) if fouled else (4, -2, -2)
    for seat, line in enumerate(shown["summary"]):
        net = units[seat] + added[seat]
        line |= {"added_units": added[seat], "net_units": net, "net_minor": net * view["stake_minor"]}
        line |= {"winner": seat == (1 if fouled else 0), "fouled": fouled and seat == 2}
    return view


def chop() -> Message:
    """Return a view of Tiến Lên in which a two has just been chopped."""
    view = dealt("view.tien_len.turn")
    two: Message = {"seat": 1, "action": "PLAY", "cards": ["2S"]}
    two["name"] = {"vi": "lá lẻ", "en": "single"}
    run: Message = {"seat": 2, "action": "PLAY"}
    run |= {"name": {"vi": "3 đôi thông", "en": "three pairs in a row"}, "cards": ["5S", "5C", "6S", "6C", "7S", "7C"]}
    black = {"vi": "heo đen", "en": "black two"}
    run["chops"] = {"seat": 1, "cards": ["2S"], "name": black, "amount_minor": 6000}
    view["round"]["tien_len"] |= {
        "trick": [two, run],
        "last_trick": [two],
        "to_beat": run["name"],
        "cards_left": [13, 12, 7],
        "passed": [],
        "played": [*two["cards"], *run["cards"]],
    }
    return view


def spectator(name: str) -> Message:
    """Return a round as somebody without a seat sees it."""
    view = dealt(name)
    person = view["persons"][0] | {"person": "watcher", "name": "Khách", "place": "WATCHING"}
    view |= {"persons": [*view["persons"], person], "you": "watcher"}
    view["round"] |= {"you": None, "hand": None}
    for part in view["round"].values():
        if isinstance(part, dict):
            part.pop("legal", None)
    return view
