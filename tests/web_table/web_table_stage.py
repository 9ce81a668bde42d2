"""A scripted table server: a page is shown the views of the protocol's examples, changed as a test needs them."""

import copy
import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page, WebSocketRoute

EXAMPLES: Final = Path(__file__).parents[2] / "clients" / "table" / "examples"
Answer = Callable[[dict[str, Any]], dict[str, Any]]


def example(name: str) -> dict[str, Any]:
    """Return an example of the protocol by its name."""
    found: dict[str, Any] = json.loads((EXAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    return found


def now() -> int:
    """Return the time as the protocol has it."""
    return int(time.time() * 1000)


class Stage:
    """The server behind one page. ``sent`` has the commands of the page; ``answers`` their results by name.

    ``refusals`` has the messages by which commands are refused, by name.
    """

    def __init__(self, page: Page, first: dict[str, Any]) -> None:
        self.page = page
        self.first = first
        self.sent: list[dict[str, Any]] = []
        self.answers: dict[str, Answer] = {
            "arrange": lambda _command: {"is_held": True},
            "check": lambda _command: {"violations": [], "is_acceptable": True, "values": []},
        }
        self.refusals: dict[str, dict[str, Any]] = {}
        self.version = 100
        self._socket: WebSocketRoute | None = None
        self._is_away = False
        page.route_web_socket(re.compile("/api/stream"), self._open)

    def show(self, view: dict[str, Any]) -> None:
        """Send the page a view that is newer than all before."""
        self.version += 1
        self.send(view | {"version": self.version, "time": now()})

    def send(self, message: dict[str, Any]) -> None:
        """Send the page any message."""
        assert self._socket is not None
        self._socket.send(json.dumps(message))

    def close(self) -> None:
        """Cut the page off, and again each time that it comes back."""
        assert self._socket is not None
        self._is_away = True
        self._socket.close()

    def names(self) -> list[str]:
        """Return the names of the commands that the page has sent."""
        return [one["name"] for one in self.sent]

    def _open(self, socket: WebSocketRoute) -> None:
        if self._is_away:
            socket.close()
            return
        self._socket = socket
        socket.on_message(lambda data: self._take(json.loads(data)))

    def _take(self, message: dict[str, Any]) -> None:
        match message["type"]:
            case "hello":
                self.send(example("welcome") | {"time": now(), "gateway": None})
                self.show(self.first) if self.first["type"] == "view" else self.send(self.first)
            case "ping":
                self.send({"type": "pong", "sent": message["sent"], "time": now()})
            case "command":
                self.sent.append(message)
                if refusal := self.refusals.get(message["name"]):
                    self.send(refusal | {"id": message["id"]})
                    return
                result = self.answers.get(message["name"], lambda _command: {})(message)
                self.send({"type": "done", "id": message["id"], "result": result})


def dealt(name: str, *, you: int = 0) -> dict[str, Any]:
    """Return an example view whose round was dealt at this moment and is the given seat's."""
    view = copy.deepcopy(example(name))
    moment = now()
    if view["round"]:
        view["round"]["dealt_time"] = moment
        view["round"]["you"] = you
        view["you"] = view["round"]["seats"][you]["person"]
    if view.get("deadline"):
        view["deadline"] = moment + 60_000
    return view


def shifted(value: Any, *, by: int) -> Any:  # noqa: ANN401 - any JSON
    """Return a JSON value with all members whose names end in time moved by some milliseconds."""
    if isinstance(value, dict):
        return {
            name: one + by if name.endswith("time") and isinstance(one, int) else shifted(one, by=by)
            for name, one in value.items()
        }
    return [shifted(one, by=by) for one in value] if isinstance(value, list) else value
