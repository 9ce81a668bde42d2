"""Every field of a message is read: without it the page shows, says, asks or keeps something else, or it is not sent.

Each path of the protocol's examples, with the places of lists left out, is taken out of one example after the other
until the page differs. A truth is also turned: one that is false in every example reads like one that is not there.
What only shows when something is pressed is compared after the presses of ``PRESSES``.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, Route

from tests.web_table.web_table_guest import DESKTOP, QUIET, TIMEOUT
from tests.web_table.web_table_stage import EXAMPLES, Answer, Message, Stage, example

pytestmark = [
    pytest.mark.slow("drives a browser"),
    pytest.mark.whole("loads the page a thousand times, and needs a quiet machine, where no page is slow"),
]

Place = tuple[str, ...]
START: Final = 1_700_000_000_000
VIEWS: Final = sorted(path.stem for path in EXAMPLES.glob("view.*.json"))
PRESSES: Final = (
    ".felt .buttons .button:has(.idea)",
    ".tien-len .hand [data-card]",
    ".tien-len .buttons .main",
    ".last > .button",
    ".badge",
)
"""What is pressed, one after the other, where it is there and enabled."""
HISTORY: Final = ('[data-opens="history"]', "dialog li .button", "*dialog .steps .button:nth-of-type(2)")
"""What opens a replay, and each of its steps; a star says that it is pressed for as long as it can be."""
RESULTS: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "suggest": (("mau_binh.playing", "tien_len.turn", "ultimate_texas.preflop"), PRESSES[:1]),
    "check": (("mau_binh.playing",), ()),
    "replay": (("mau_binh.last", "mau_binh.sealed.last", "tien_len.last", "ultimate_texas.last"), HISTORY),
    "rules": (("mau_binh.playing",), ("button.help",)),
}
"""The commands whose results are read: each with the views in which it is asked, and the presses that ask it."""
WHOLE: Final = {"names", "header"}
"""Fields that are read as a whole: names by code, and what the referee is asked with. So is a text of two languages."""
FOR_OTHERS: Final[dict[str, str]] = {
    "rulesets.version": "the verifier's, for the check RULESET, as the three below",
    "rulesets.digest": "the verifier's",
    "rulesets.round_ms": "the verifier's",
    "rulesets.round_ms.shortest": "the verifier's",
    "rulesets.round_ms.longest": "the verifier's",
}
"""Fields that the page hands to the verifier, whose tests hold them."""
OF_ANOTHER_MOMENT: Final[dict[str, str]] = {
    "round.mau_binh.arrangement.back": "`Arranging` reads it where a tab takes a round over",
    "round.mau_binh.arrangement.front": "as the back",
    "round.mau_binh.showdown.chi.hands.units_lost": "`netOf` reads it while a lost chi is shown",
}
"""Fields that the page reads at a moment that no example shows while its clock is stopped."""
TRIES: Final = 3
"""How many examples are tried without a press before the presses are."""
ANSWERS: Final[dict[str, Any]] = {
    "check": {"violations": [], "values": []},
    "arrange": {"is_held": True},
    "preview": example("done.preview")["result"],
}
HANDS: Final = {"certificate": "e30=", "hand": {"cards": ["CARD_TWO_OF_SPADES", "CARD_TEN_OF_HEARTS"]}, "options": []}
"""What the referee's gateway answers."""
STILL: Final = f"""
  Date.now = () => {START};
  performance.now = () => 0;
  crypto.getRandomValues = (array) => array.fill(7);
  localStorage.clear();
  localStorage['referee.settings'] = '{{"name": "An", "language": "vi", "rooms": ["r"]}}';
"""
"""Stops the page's clocks and chance, and makes it a guest's who has a name."""
DRAWN: Final = """() => {
  return [document.title, document.body.innerHTML, JSON.stringify(localStorage)].join('\\n');
}"""
TOKEN: Final = re.compile(r"svelte-\w+|[0-9a-f]{64}|c\d+\b")


def places(value: Any, at: Place = ()) -> Iterator[Place]:  # noqa: ANN401 - any JSON
    """Yield the path of each member of a value, with those of lists joined."""
    if isinstance(value, dict) and value.keys() != {"vi", "en"}:
        for name, one in value.items():
            yield (*at, name)
            if name not in WHOLE:
                yield from places(one, (*at, name))
    elif isinstance(value, list):
        for one in value:
            yield from places(one, at)


def without(value: Any, place: Place) -> Any:  # noqa: ANN401 - any JSON
    """Return a value without the members at a path."""
    if isinstance(value, list):
        return [without(one, place) for one in value]
    if not isinstance(value, dict) or not place:
        return value
    first, *rest = place
    if not rest:
        return {name: one for name, one in value.items() if name != first}
    return {name: without(one, tuple(rest)) if name == first else one for name, one in value.items()}


def always(result: Message) -> Answer:
    """Answer every command of a name by this result."""
    return lambda _command: result


def turned(value: Any, place: Place) -> Any:  # noqa: ANN401 - any JSON
    """Return a value whose members at a path are turned where they are true or false."""
    if isinstance(value, list):
        return [turned(one, place) for one in value]
    if not place:
        return not value if isinstance(value, bool) else value
    if not isinstance(value, dict):
        return value
    first, *rest = place
    return {name: turned(one, tuple(rest)) if name == first else one for name, one in value.items()}


class ExactStage(Stage):
    """A server that puts nothing into what it shows first: no version, no time."""

    def begin(self) -> None:
        """Send the page the first message as it is."""
        self.send(self.first)


class Looker:
    """A page that is loaded anew for each message, and what comes of each."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.url = page, url
        self.asked: list[str] = []
        self.known: dict[str, str] = {}
        page.add_init_script(STILL)
        page.on("pageerror", lambda error: self.asked.append(f"error {error}"))
        page.route("**/api/bundles/**", lambda route: self._answer(route, {"leaves": []}))
        page.route("**/referee.v1.*/*", lambda route: self._answer(route, HANDS))
        self.stage = ExactStage(page, example("lobby"), time=lambda: START)

    def look(self, first: Message, *, answers: dict[str, Any], presses: tuple[str, ...]) -> str:
        """Return all that the page makes of a message and of some answers: what it draws, says, asks and keeps."""
        stage = self.stage
        stage.first, stage.version, stage.sent, self.asked[:] = first, 100, [], []
        stage.welcome = answers.get("welcome") or example("welcome")
        stage.welcome |= {"gateway": stage.welcome.get("gateway") and self.url}
        stage.refusals = {name: one for name, one in answers.items() if one.get("type") == "refused"}
        stage.answers = {name: always(one) for name, one in (ANSWERS | answers).items()}
        self.page.goto("about:blank")
        self.page.goto(self.url)
        self.page.evaluate(QUIET)
        for message in answers.get("then", []):
            stage.send(message)
            self.page.evaluate(QUIET)
        for selector in presses:
            target = self.page.locator(selector.removeprefix("*")).first
            while target.is_visible() and target.is_enabled():
                target.click(force=True)
                if selector.startswith("*"):
                    self.asked.append(self.page.evaluate(DRAWN))
                    continue
                self.page.evaluate(QUIET)
                break
        sent = [json.dumps({**one, "id": "", "signature": "", "tab": ""}, sort_keys=True) for one in stage.sent]
        return TOKEN.sub("", "\n".join([self.page.evaluate(DRAWN), *sent, *self.asked]))

    def steady(self, key: str, look: Callable[[], str]) -> str:
        """Return what comes of a whole message, once it comes twice in a row."""
        if key not in self.known:
            before = look()
            while (after := look()) != before:
                before = after
            self.known[key] = before
        return self.known[key]

    def _answer(self, route: Route, answer: Message) -> None:
        self.asked.append(f"{route.request.url} {route.request.post_data}")
        route.fulfill(json=answer)


@pytest.fixture
def looker(browser: Browser, files: str) -> Iterator[Looker]:
    """Open the page of a guest who has a name."""
    context = browser.new_context(locale="vi-VN", viewport=DESKTOP, reduced_motion="reduce")
    context.set_default_timeout(TIMEOUT)
    yield Looker(context.new_page(), files)
    context.close()


def unread(
    looker: Looker, examples: dict[str, Message], show: Callable[[str, Message, tuple[str, ...]], str]
) -> set[str]:
    """Return the paths of some examples that the page does not read, as ``show`` gives one to the page."""
    having: dict[Place, list[str]] = {}
    for name, message in examples.items():
        for place in dict.fromkeys(places(message)):
            having.setdefault(place, []).append(name)

    def is_read(name: str, place: Place, presses: tuple[str, ...]) -> bool:
        whole = looker.steady(f"{name} {presses}", lambda: show(name, examples[name], presses))
        changed = [without(examples[name], place), turned(examples[name], place)]
        return any(show(name, one, presses) != whole for one in changed if one != examples[name])

    return {
        ".".join(place)
        for place, names in having.items()
        if not any(is_read(name, place, ()) for name in names[:TRIES])
        and not any(is_read(name, place, PRESSES) for name in names)
    }


def test_every_field_of_a_view_is_read(looker: Looker) -> None:
    examples = {name: example(name) for name in VIEWS}
    suggested = {
        game: example(f"done.{game}")["result"]
        for game in ("mau_binh.suggest", "tien_len.suggest", "ultimate_texas.suggest.preflop")
    }

    def show(name: str, view: Message, presses: tuple[str, ...]) -> str:
        answer: Message = next((one for game, one in suggested.items() if game.split(".")[0] in name), {})
        return looker.look(view, answers={"suggest": answer}, presses=presses)

    assert unread(looker, examples, show) - {*FOR_OTHERS, *OF_ANOTHER_MOMENT} == set()


@pytest.mark.parametrize("command", RESULTS)
def test_every_field_of_an_answer_is_read(looker: Looker, command: str) -> None:
    views, opens = RESULTS[command]
    answers = {view: answer_of(command, view) for view in views}

    def show(name: str, answer: Message, presses: tuple[str, ...]) -> str:
        view = example(f"view.{name}")
        given = {"history": {"rounds": [view["last"]]}} | {command: answer}
        return looker.look(view, answers=given, presses=(*opens, *presses))

    assert unread(looker, answers, show) == set()


def answer_of(command: str, view: str) -> Message:
    """Return the example of a command's answer that belongs to a view."""
    game, moment = view.partition(".")[0], view.rpartition(".")[2]
    match command:
        case "suggest":
            name = f"{game}.suggest.preflop" if moment == "preflop" else f"{game}.suggest"
        case "replay":
            name = f"{view.removesuffix('.last')}.replay"
        case _:
            name = command
    result: Message = example(f"done.{name}")["result"]
    return result


def test_every_other_message_is_read(looker: Looker) -> None:
    """The welcome, a lobby, what a link leads to, refusals, notices and the last words of a server."""
    lobby, view, flop = (example(name) for name in ("lobby", "view.tien_len.turn", "view.ultimate_texas.flop"))

    def show(name: str, message: Message, presses: tuple[str, ...]) -> str:
        match name:
            case "lobby":
                return looker.look(message, answers={}, presses=presses)
            case "welcome":
                shown = (lobby, example("view.mau_binh.showdown"), example("view.ultimate_texas.last"), flop)
                welcomed = {"welcome": message}
                return "".join(looker.look(one, answers=welcomed, presses=(".tile", ".badge")) for one in shown)
            case "done.preview":
                return looker.look(lobby, answers={"preview": message["result"]}, presses=presses)
            case "refused.unlawful_play":
                pressed = (".tien-len .buttons .button:has(.idea)", ".tien-len .buttons .main")
                suggest = example("done.tien_len.suggest")["result"]
                return looker.look(view, answers={"play": message, "suggest": suggest}, presses=(*pressed, *presses))
            case _:
                return looker.look(view, answers={"then": [message]}, presses=presses)

    names = ("welcome", "lobby", "done.preview", "refused.unlawful_play", "notice", "goodbye", "pong")
    found = {name: unread(looker, {name: example(name)}, show) for name in names}
    assert {f"{name}: {path}" for name, paths in found.items() for path in paths} - FOR_OTHERS.keys() == set()
