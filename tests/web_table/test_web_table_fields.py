"""Every field of a message is read: without it the page shows, says, asks or keeps something else, or it is not sent.

Each path of the protocol's examples, with the places of lists left out, is taken out of one example after the other
until the page differs. A truth is also turned: one that is false in every example reads like one that is not there.
Clocks, chance, stream and network of the page are those of ``fields.js``, so that one message always gives one reading.
"""

import copy
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page

from tests.web_table.web_table_guest import DESKTOP
from tests.web_table.web_table_stage import EXAMPLES, Message, done, example

pytestmark = pytest.mark.slow("drives a browser")

Place = tuple[str, ...]
Scene = Mapping[str, Any]
Show = Callable[[Message], Scene]
VIEWS: Final = sorted(path.stem for path in EXAMPLES.glob("view.*.json"))
ASKED: Final = (".felt .buttons .button:has(.idea)", 1)
PLAYED: Final = (".tien-len .buttons .main", 1)
OPENED: Final = ((".end .skip", 1), ASKED, (".last > .button", 1), (".badge", 1), ('[data-opens="scores"]', 1))
REPLAYED: Final = (
    ('[data-opens="history"]', 1),
    ("dialog li .button", 1),
    ("dialog .steps .button:nth-of-type(2)", 99),
)
"""What is pressed where it is there and enabled, and how often."""
ADVICE: Final = {
    game: example(f"done.{game}.suggest{street}")
    for game, street in (("mau_binh", ""), ("tien_len", ""), ("ultimate_texas", ".flop"))
}
"""What the table server suggests, by game."""
SHOWN_MS: Final = {"SHOWDOWN": 20_000, "ENDING": 2_000, "PLAYING": 2_000}
"""How long a view is shown by its phase: chi and sums of a show, a house's cards, a draft that is handed in."""
WHOLE: Final = {"names", "header"}
"""Fields that are read as a whole: names by code, and what the referee is asked with. So is a text of two languages."""
ENVELOPE: Final = {("type",), ("id",)}
"""Fields that say what an answer is and of which command, without which nothing of it is read."""
ELSEWHERE: Final = {
    **{
        f"welcome.rulesets.{name}": "the verifier reads it, whose tests hold it"
        for name in ("version", "digest", "round_ms", "round_ms.shortest", "round_ms.longest")
    },
    "welcome.gateway": "a sealed hand is opened there, with a token that no frame has: sealed rounds in a browser",
    "last.transfers.reason": "`checkShown` compares it with what was signed",
    "view.round.server_commitment": "a seat with a key signs its seed over it",
    "view.round.mau_binh.commitment": "a page that is loaded again finds by it what it is bound to, and opens that",
    "notice.code": "for a page with words of its own",
    "refused.detail": "for who writes a page",
}
"""Fields that are read where no frame without log and keys shows it, or by others: by what."""
RANKS: Final = ["TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN", "JACK", "QUEEN", "KING", "ACE"]
HANDS: Final = {"certificate": "e30=", "hand": {"cards": [f"CARD_{rank}_OF_SPADES" for rank in RANKS]}, "options": []}
"""What the referee's gateway answers."""
HANDED: Final = ("is_final", "takes_signed", "sign_now")
"""What is so of an arrangement that is to be signed."""
MANY_FRAMES: Final = 60
"""How many frames one page has: a browser keeps what was in them."""


def places(value: Any, at: Place = ()) -> Iterator[Place]:  # noqa: ANN401 - any JSON
    """Yield the path of each member of a value, with those of lists joined."""
    if isinstance(value, dict) and value.keys() != {"vi", "en"}:
        for name, member in value.items():
            yield (*at, name)
            if name not in WHOLE:
                yield from places(member, (*at, name))
    elif isinstance(value, list):
        for member in value:
            yield from places(member, at)


def owners(value: Any, path: Place) -> Iterator[Message]:  # noqa: ANN401 - any JSON
    """Yield the objects at a path."""
    if isinstance(value, list):
        for member in value:
            yield from owners(member, path)
    elif isinstance(value, dict) and not path:
        yield value
    elif isinstance(value, dict):
        yield from owners(value.get(path[0]), path[1:])


def changed(message: Message, place: Place) -> Iterator[Message]:
    """Yield a message without its members at a path, then with those turned that are true or false."""
    *path, name = place
    for turns in (False, True):
        other = copy.deepcopy(message)
        for owner in owners(other, tuple(path)):
            value = owner.pop(name, None)
            if turns and isinstance(value, bool):
                owner[name] = not value
        yield other


def scene(
    *sent: Message, welcome: Message | None = None, presses: tuple[tuple[str, int], ...] = OPENED, **answers: Message
) -> Scene:
    """Return a scene of what is sent, with the answers to commands by name."""
    lasts = max([SHOWN_MS.get(message.get("phase", ""), 0) for message in sent], default=0)
    advice = next((ADVICE[game] for game in ADVICE for message in sent if game in message.get("ruleset", "")), done({}))
    checked = {"check": done({"violations": [], "value_names": []}), "arrange": done({"is_held": True})}
    answers = {"suggest": advice} | checked | answers
    return {"sent": sent, "welcome": welcome, "presses": presses, "lasts": lasts, "answers": answers, "hands": HANDS}


def answering(command: str, view: str, *presses: tuple[str, int], **answers: Message) -> Show:
    """Return how an answer to a command is shown over a view, once something is pressed."""
    shown = example(f"view.{view}")
    history = {"history": done({"rounds": [shown["last"]]})}
    return lambda message: scene(shown, presses=(*presses, *OPENED), **history | answers | {command: message})


def welcoming(*sent: Message) -> Show:
    """Return how a welcome is shown, by what follows it."""
    presses = ((".tile", 1), *OPENED, *REPLAYED[:2])
    history = done({"rounds": [example("view.mau_binh.last")["last"]]})
    return lambda message: scene(*sent, welcome=message, presses=presses, history=history)


def shows() -> Iterator[tuple[str, Message, Show]]:
    """Yield the kind of each message, an example, and how it is shown."""
    for name in VIEWS:
        binding = example(f"{name.rpartition('.')[0]}.binding") | {"version": 1}  # in which the page draws its seed
        yield "view", example(name), partial(scene, *([] if name.endswith(".binding") else [binding]))
    last, lobby, turn = example("view.mau_binh.last"), example("lobby"), example("view.tien_len.turn")
    won = last["last"] | {"instant_wins": [{"seat": 0, "cards": ["AS", "AH"]}]}
    yield "view", last | {"phase": "LOBBY", "last": won}, scene
    handed = example("view.mau_binh.playing")
    hand = handed["round"]["hand"][::-1]
    arrangement = {"back": hand[:5], "middle": hand[5:10], "front": hand[10:]}
    handed["round"]["mau_binh"] |= {"arrangement": arrangement} | dict.fromkeys(HANDED, True)
    yield "view", handed, scene
    for view in ("ultimate_texas.flop", "ultimate_texas.sealed.flop"):
        decides = example(f"view.{view}")
        decides["round"]["ultimate_texas"] |= {"legal": ["CHECK", "PLAY_2X"], "value": {"category": "FLUSH"}}
        decides["round"]["signatures"] = ["c2lnbmVk"]
        yield "view", decides, partial(scene, example("view.ultimate_texas.sealed.binding") | {"version": 1})
    yield "view", turn | {"referee": "AWAY"}, scene
    newer = turn | {"version": 1_000, "referee": "AWAY"}
    yield "view", turn, lambda message: scene(message, newer)
    for view, advice in (
        ("mau_binh.playing", "mau_binh.suggest"),
        ("tien_len.turn", "tien_len.suggest"),
        *((f"ultimate_texas.{street}", f"ultimate_texas.suggest.{street}") for street in ("preflop", "flop", "river")),
    ):
        yield f"suggest {advice.split('.')[0]}", example(f"done.{advice}"), answering("suggest", view, ASKED)
    for game in ("mau_binh", "mau_binh.sealed", "tien_len", "ultimate_texas", "ultimate_texas.sealed"):
        yield "replay", example(f"done.{game}.replay"), answering("replay", f"{game}.last", *REPLAYED)
    unknown = {"replay": example("refused.no_round")}
    yield "history", example("done.history"), answering("history", "mau_binh.last", *REPLAYED[:2], **unknown)
    yield "check", example("done.check"), answering("check", "mau_binh.playing")
    preview = example("done.preview")
    for found in (preview, done(preview["result"] | {"open_seats": 0})):
        yield "preview", found, lambda message: scene(lobby, preview=message)
    welcome, alone = example("welcome"), example("view.mau_binh.lobby")
    alone["persons"] = alone["persons"][:1]
    texas = [f"ultimate_texas.{moment}" for moment in ("last", "flop", "lobby")]
    for view in ("mau_binh.showdown", *texas, "mau_binh.sealed.playing"):
        yield "welcome", welcome, welcoming(example(f"view.{view}"))
    for sent in ((lobby,), (alone,)):
        yield "welcome", welcome, welcoming(*sent)
    yield "welcome", welcome | {"time": welcome["time"] + 600_000}, welcoming()
    dropping = lambda message: scene(newer, message, turn)  # noqa: E731 - of the same server: the older view is dropped
    yield "welcome", welcome, dropping
    yield "lobby", lobby | {"time": lobby["time"] + 600_000}, scene
    goodbye = example("goodbye")
    for message in (example("notice"), example("pong"), goodbye, goodbye | {"code": "OTHER_PROTOCOL"}):
        yield message["type"], message, lambda message: scene(turn, message)
    single = {"name": {"vi": "lá lẻ", "en": "single"}, "cards": turn["round"]["hand"][:1]}
    turn["round"]["tien_len"]["legal"]["plays"] = [single]
    play = done({"suggestions": [single | {"action": "PLAY", "reasons": [{"text": single["name"]}]}]})
    yield "suggest tien_len", play, lambda message: scene(turn, presses=(ASKED,), suggest=message)
    refusing = lambda message: scene(turn, presses=(ASKED, PLAYED), suggest=play, play=message)  # noqa: E731 - as above
    for name in ("unlawful_play", "bad_command"):
        yield "refused", example(f"refused.{name}"), refusing
    yield "refused", example("refused.no_room"), lambda message: scene(lobby, preview=message)


def owner_of(kind: str, place: Place) -> tuple[str, Place]:
    """Return the kind of a field: a finished round's record is one in a view, a history and a replay."""
    match kind, place:
        case _, (*_, "violations", name):
            return "violation", (name,)
        case ("view" | "replay", ("last" | "result", *rest)) | ("history", ("result", "rounds", *rest)) if rest:
            return "last", tuple(rest)
        case _:
            return kind, place


class Looker:
    """A page in whose frames scenes are shown, and what came of whole examples."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.url, self.looks = page, url, 0
        self.known: dict[tuple[int, Show], str] = {}

    def look(self, shown: Scene) -> str:
        """Return a digest of all that the page makes of a scene: what it draws, says, asks and keeps."""
        if self.looks % MANY_FRAMES == 0:
            self.page.goto(f"{self.url}licenses.md")
            self.page.add_script_tag(path=Path(__file__).with_name("fields.js"))
            self.page.evaluate("(welcome) => { window.welcome = welcome; }", example("welcome"))
        self.looks += 1
        digest: str = self.page.evaluate("(scene) => look({...scene, welcome: scene.welcome ?? welcome})", shown)
        return digest

    def is_read(self, whole: Message, place: Place, show: Show) -> bool:
        """Return whether the page differs without a field of an example, or with the other truth."""
        key = id(whole), show
        if key not in self.known:
            self.known[key] = self.look(show(whole))
        return any(self.look(show(other)) != self.known[key] for other in changed(whole, place))


@pytest.fixture
def looker(browser: Browser, files: str) -> Iterator[Looker]:
    """Open a page in whose frames scenes are shown."""
    context = browser.new_context(locale="vi-VN", timezone_id="UTC", viewport=DESKTOP, bypass_csp=True)
    yield Looker(context.new_page(), files)
    context.close()


def test_every_field_that_is_sent_is_read(looker: Looker) -> None:
    having: dict[tuple[str, Place], list[tuple[Message, Place, Show]]] = {}
    for kind, message, show in shows():
        for place in dict.fromkeys(places(message)):
            if kind == "view" or place not in ENVELOPE:
                having.setdefault(owner_of(kind, place), []).append((message, place, show))
    names = {".".join((kind, *place)): shown for (kind, place), shown in having.items()}
    assert len(names) > 250
    assert ELSEWHERE.keys() - names.keys() == set(), "no example has these fields any more"
    assert [
        name for name in names if name not in ELSEWHERE and not any(looker.is_read(*shown) for shown in names[name])
    ] == []
