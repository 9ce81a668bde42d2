"""What is behind a page: a real table server whose stream is noted and may be changed, or a scripted one.

A scripted table server shows the page the views of the protocol's examples, changed as a test needs them.
"""

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page, WebSocketRoute

EXAMPLES: Final = Path(__file__).parents[2] / "clients" / "table" / "examples"
Message = dict[str, Any]
SWEEP: Final = (((0, 2, 0), (1, 1, 1), (2, 0, 2)), ((2, 2, 0), (1, 1, 1), (0, 0, 2)), ((1, 2, 0), (0, 0, 2), (2, 1, 1)))
FOUL: Final = (((0, 1, 0), (1, 0, 1), (2, 0, 0)), ((0, 0, 1), (1, 1, 0), (2, 0, 0)), ((0, 0, 1), (1, 1, 0), (2, 0, 0)))
"""By chi, then by seat: whose hand of the example of a showdown it has, and what it wins and loses by it."""
SIX_PAIRS: Final = ["AS", "AH", "KS", "KD", "JC", "9C", "9H", "7S", "7D", "4C", "4H", "2S", "2D"]


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
    """The server behind one page: scripted, shown one view after the other, or real if there is no first one.

    ``sent`` has what the page sends, which a real server does not get where it ``is_swallowed``; ``shown`` what that
    server sends, which ``change`` may change. ``answers`` has a scripted one's by name, done with nothing by default.
    """

    def __init__(self, page: Page, first: Message | None = None, **answers: Message) -> None:
        self.page, self.first = page, first
        self.sent: list[Message] = []
        self.shown: list[Message] = []
        self.is_swallowed: Callable[[Message], bool] = lambda _message: False
        self.change: Callable[[Message], object] = lambda _message: None
        unchecked = done({"violations": [], "value_names": []})
        usual = {"arrange": done({"is_held": True}), "check": unchecked, "preview": example("done.preview")}
        self.answers: dict[str, Message] = usual | answers
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
        return [message for message in self.sent if message.get("name") == name]

    def _open(self, socket: WebSocketRoute) -> None:
        self.attempts += 1
        if self.is_away:
            socket.close()
            return
        self._socket = socket
        server = None if self.first is not None else socket.connect_to_server()
        socket.on_message(lambda data: self._take(json.loads(data), server))
        if server is not None:
            server.on_message(lambda data: self._give(json.loads(data)))

    def _give(self, message: Message) -> None:
        self.change(message)
        self.shown.append(message)
        self.send(message)

    def _take(self, message: Message, server: WebSocketRoute | None) -> None:
        self.sent.append(message)
        if server is not None:
            if not self.is_swallowed(message):
                server.send(json.dumps(message))
            return
        match message["type"]:
            case "hello":
                self.send(example("welcome") | {"gateway": None, "time": now()})
                self.show(self.first or {})
            case "ping":
                self.send({"type": "pong", "sent": message["sent"], "time": now()})
            case "command":
                self.send(self.answers.get(message["name"], done({})) | {"id": message["id"]})


def dealt(name: str, *, you: int = 0) -> Message:
    """Return an example view whose round was dealt at this moment and is the given seat's."""
    view = example(name)
    moment = now()
    if view["round"]:
        view["round"] |= {"dealt_time": moment, "you": you}
        view["you"] = view["round"]["seats"][you]["person"]
    if view.get("phase_end_time"):
        view["phase_end_time"] = moment + 60_000
    return view


def finished(game: str, **changes: Any) -> Message:  # noqa: ANN401 - members of the view
    """Return the view after a round of a game, between rounds, without its proof."""
    view = example(f"view.{game}.last")
    view["last"].pop("proof", None)
    return view | {"phase": "LOBBY", "phase_end_time": None} | changes


def ending(game: str) -> Message:
    """Return the view of the end of a round of a game."""
    return finished(game, phase="ENDING", phase_end_time=now() + 60_000)


def instant_win(*, dealt_ms: int = 0) -> Message:
    """Return a view of a round, dealt so many milliseconds ago, that the player's own hand wins at the deal."""
    view = dealt("view.mau_binh.playing") | {"phase": "SHOWDOWN", "phase_end_time": now() + 6_000}
    view["round"]["dealt_time"] -= dealt_ms
    view["round"]["hand"] = sorted(SIX_PAIRS)
    name = {"vi": "lục phé bôn", "en": "six pairs"}
    view["round"]["mau_binh"]["instant_wins"] = [{"seat": 0, "name": name, "cards": sorted(SIX_PAIRS)}]
    return view


def showdown(*, fouled: bool = False) -> Message:
    """Return a view of a show whose chi are all counted; the first seat sweeps both others, or the last seat fouls.

    Seats change hands of the example, and pay by its ruleset: 1 a chi, 2 more for a sweep, 3 to each for a foul.
    """
    view = dealt("view.mau_binh.showdown")
    shown, table = view["round"]["mau_binh"]["showdown"], FOUL if fouled else SWEEP
    for at, (chi, order) in enumerate(zip(shown["chi"], table, strict=True)):
        chi["start_time"] = now() - 16_000 + 5_000 * at
        chi["hands"] = [
            chi["hands"][example] | {"seat": seat, "units_won": won, "units_lost": lost, "fouled": fouled and seat == 2}
            for seat, (example, won, lost) in enumerate(order)
        ]
    if fouled:
        back, middle = (chi["hands"][2] for chi in shown["chi"][:2])
        back["cards"], middle["cards"] = middle["cards"], back["cards"]  # the higher straight is in the middle
    for line, added in zip(shown["summary"], (3, 3, -6) if fouled else (4, -2, -2), strict=True):
        net = added + sum(hands[line["seat"]][1] - hands[line["seat"]][2] for hands in table)
        line |= {"added_units": added, "net_units": net, "net_minor": net * view["stake_minor"]}
        line |= {"winner": line["seat"] == int(fouled), "fouled": fouled and added < 0}
    return view


def chop() -> Message:
    """Return a view of Tiến Lên in which a two has just been chopped."""
    view = dealt("view.tien_len.turn")
    two: Message = {"seat": 1, "action": "PLAY", "cards": ["2S"], "name": {"vi": "lá lẻ", "en": "single"}}
    run: Message = {"seat": 2, "action": "PLAY", "name": {"vi": "3 đôi thông", "en": "three pairs in a row"}}
    run["cards"] = ["5S", "5C", "6S", "6C", "7S", "7C"]
    run["chops"] = {"seat": 1, "cards": ["2S"], "name": {"vi": "heo đen", "en": "black two"}, "amount_minor": 6000}
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
