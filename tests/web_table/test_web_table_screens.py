"""Every screen, dialog and state in three sizes: whole, accessible, in plain words; and over a round nothing jumps."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import pytest
from playwright.sync_api import FloatRect, expect

from tests.node_project import install
from tests.table.table_process import WEB
from tests.web_table import web_table_stage as stages
from tests.web_table.pictures import keep
from tests.web_table.web_table_guest import RULESETS, SIZES, TIMEOUT, Guest, box_of
from tests.web_table.web_table_stage import Message, Stage, dealt, done, ending, example, finished, spectator

pytestmark = pytest.mark.slow("drives a browser")

RAW: Final = re.compile(r"\b[2-9TJQKA][SCDH]\b|\bnull\b|undefined|NaN|\{\w+\}")
"""What no text has: a card's code, a value that is missing, a word's empty place."""
FAULTS: Final = """(inView) => {
  const drawn = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
  const said = (what, all) => all.map((one) => `${what}: ${one.outerHTML.slice(0, 200)}`);
  const over = document.documentElement.scrollWidth - innerWidth;
  const isCut = (one) => one.scrollWidth > one.clientWidth + 1;
  const isCovered = (one) => {
    const {x, y, width, height, bottom} = one.getBoundingClientRect();
    return y < 0 || bottom > innerHeight || !one.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  };
  return [
    ...(over > 0 ? [`scrolls sideways by ${over}`] : []),
    ...said('cut', drawn(':is(button, summary, h1, h2, h3, label):not([data-card], .spoken)').filter(isCut)),
    ...said('covered or out of view', inView.flatMap(drawn).filter(isCovered)),
  ];
}"""
"""What is too wide, is cut, or has to be in view and is not."""
AXE: Final = """axe.run(document, {resultTypes: ['violations'], rules: {'target-size': {enabled: true}}})
  .then(({violations}) => violations.filter(({impact}) => ['serious', 'critical'].includes(impact))
    .map(({id, nodes}) => `${id}: ${nodes.map(({html}) => html.slice(0, 200))}`))"""
"""What axe-core finds serious, targets of less than 24 pixels too."""
CLASSES: Final = "[...document.querySelectorAll('[class*=svelte-]')].flatMap((one) => [...one.classList])"
DRAWN: Final = "() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"
SHIFTS: Final = """
  window.shift = 0;
  const add = (entries) => { for (const one of entries) window.shift += one.value; };
  const observer = new PerformanceObserver((list) => add(list.getEntries()));
  observer.observe({type: 'layout-shift', buffered: true});
  window.shiftsUntilNow = () => { add(observer.takeRecords()); return window.shift; };
"""
"""Sums layout shifts, also those that follow an input."""
STEADY: Final = 0.1
"""The largest sum of layout shifts that Web Vitals call good."""


@dataclass(frozen=True)
class Screen:
    """What the page is sent first, what is pressed then, what has to be in view without scrolling, and what is said."""

    first: Callable[[], Message]
    presses: tuple[str, ...] = ()
    main: str = ""
    answers: dict[str, Message] = field(default_factory=dict)
    address: str = ""
    name: str = "Lan"
    says: str = ""
    then: Callable[[Stage], object] = lambda _stage: None


def lobby() -> Message:
    """Return what a person outside every room is sent."""
    return example("lobby")


def result(game: str) -> Message:
    """Return a result with its proof, and with a mark."""
    view = finished(game)
    view["last"]["proof"] = example(f"view.{game}.last")["last"]["proof"]
    view["last"]["seats"][0]["fouled"] = True
    return view


def aborted() -> Message:
    """Return the result of a round that was aborted because a seat did not show its seed."""
    view = finished("mau_binh")
    kept = {name: view["last"][name] for name in ("number", "table", "round_id", "time", "seats")}
    return view | {"last": kept | {"end": "ABORTED", "reason": "SEED_MISSING", "fault": [1]}}


def taken_over(stage: Stage) -> None:
    """Say that another tab has taken over, and cut the page off."""
    stage.send(example("goodbye"))
    stage.cut()


TURN: Final = partial(dealt, "view.tien_len.turn")
REPLAY: Final = ('[data-opens="history"]', "dialog li .button", "dialog .steps .button:nth-of-type(2)")


def screens_of(game: str) -> dict[str, Screen]:
    """Return the screens that each game has: its result, and a step of a replay."""
    history = {"history": done({"rounds": [finished(game)["last"]]}), "replay": example(f"done.{game}.replay")}
    return {
        f"{game}: result": Screen(partial(finished, game), main=".ready"),
        f"{game}: reasons": Screen(partial(result, game), (".why summary",)),
        f"{game}: replay": Screen(partial(finished, game), REPLAY, answers=history),
    }


SCREENS: Final[dict[str, Screen]] = {
    "door": Screen(lobby, name=""),
    "invitation": Screen(lobby, address="#someroom", name=""),
    "dead invitation": Screen(lobby, answers={"preview": example("refused.no_room")}, address="#someroom", name=""),
    "connecting": Screen(lambda: {"type": "silence"}),
    "lobby": Screen(lobby, ('.tile[data-ruleset="mau_binh.classic"]',)),
    "room": Screen(lambda: example("view.mau_binh.lobby"), main=".ready"),
    "bets": Screen(lambda: example("view.ultimate_texas.lobby"), main=".ready"),
    "shuffling": Screen(partial(dealt, "view.tien_len.seeding")),
    "arranging": Screen(partial(dealt, "view.mau_binh.playing"), main=".arrange .main"),
    "foul": Screen(
        partial(dealt, "view.mau_binh.playing"), (".arrange .main",), answers={"check": example("done.check")}
    ),
    "opening": Screen(partial(dealt, "view.mau_binh.sealed.opening")),
    "arranging watched": Screen(partial(spectator, "view.mau_binh.playing")),
    "show": Screen(stages.showdown, says=r"sập.* \+4 chi"),
    "foul shown": Screen(
        partial(stages.showdown, fouled=True), says="Máy Bình \N{MINUS SIGN}6 chi.*\N{MINUS SIGN}6.000"
    ),
    "instant win": Screen(partial(stages.instant_win, dealt_ms=9_000), says="Lục phé bôn"),
    "turn": Screen(TURN, main=".tien-len .main"),
    "chop": Screen(stages.chop, (".last summary",), says="Chặt!.*2♠ của Máy An, ăn 6.000"),
    "turn watched": Screen(partial(spectator, "view.tien_len.turn")),
    "aborted": Screen(aborted, main=".ready", says="Không ai phải trả. Máy An chưa góp số ngẫu nhiên."),
    "last play": Screen(partial(ending, "tien_len")),
    "preflop": Screen(partial(dealt, "view.ultimate_texas.preflop"), main=".texas .buttons .ask"),
    "flop": Screen(partial(dealt, "view.ultimate_texas.flop"), main=".texas .buttons .ask"),
    "river": Screen(partial(dealt, "view.ultimate_texas.river"), main=".texas .buttons .ask"),
    "flop watched": Screen(partial(spectator, "view.ultimate_texas.flop")),
    "house": Screen(partial(ending, "ultimate_texas")),
    **{name: Screen(TURN, (f'[data-opens="{name}"]',)) for name in ("invite", "settings", "leave")},
    "scores": Screen(partial(finished, "tien_len"), ('[data-opens="scores"]',)),
    "proof": Screen(partial(result, "tien_len"), (".badge",)),
    "verify": Screen(lobby, address="?round=1&table=nosuchtable.1"),
    "connection lost": Screen(TURN, then=Stage.cut),
    "taken over": Screen(TURN, then=taken_over),
    "referee away": Screen(lambda: TURN() | {"referee": "AWAY"}),
    **{name: screen for game in RULESETS for name, screen in screens_of(game).items()},
}


@pytest.fixture(scope="session")
def axe() -> str:
    """Return the source of axe-core; skip if the page's packages cannot be installed."""
    if why := install(WEB):
        pytest.skip(f"axe-core is not run: {why}")
    return (WEB / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


def visit(guest: Guest, url: str, stage: Stage, screen: Screen, language: str) -> None:
    """Load a screen anew, as a person of this name or without one, and press what leads to it."""
    page = guest.page
    stage.first, stage.is_away = screen.first(), False
    stage.answers |= {"preview": example("done.preview")} | screen.answers
    page.goto(f"{url}licenses.md")
    kept = json.dumps({"name": screen.name, "language": language, "rooms": ["someroom"]})
    page.evaluate("(kept) => { localStorage.clear(); localStorage['referee.settings'] = kept; }", kept)
    page.goto(f"{url}{screen.address}")
    shown = ".room, .tile, .panel, .proof" if screen.name or screen.address else ".door"
    shown += ", .badge:not([hidden]), [role=alert], h1:has-text('…')"  # the last: no server answers yet
    expect(page.locator(shown).first).to_be_visible(timeout=TIMEOUT)
    for selector in screen.presses:
        guest.press(page.locator(selector).first)
    screen.then(stage)


@pytest.mark.parametrize("size", SIZES)
def test_every_screen_is_whole_accessible_and_in_plain_words(files, invite, axe, size: str) -> None:
    """With a notice over each scene, which covers no plate; all screens together draw every component."""
    language = "en" if size == "desktop" else "vi"
    guest: Guest = invite("Lan", language=language, viewport=SIZES[size], still=True)
    page = guest.page
    stage = Stage(page, lobby())
    drawn: set[str] = set()
    faults: list[str] = []
    for name, screen in SCREENS.items():
        visit(guest, files, stage, screen, language)
        if screen.main:
            stage.send(example("notice"))
            expect(page.locator(".notice")).to_be_visible(timeout=TIMEOUT)
        guest.wait_still()
        keep(page, f"{size}-{name}")
        page.evaluate(axe)
        found = page.evaluate(FAULTS, [screen.main, ".others .plate"] if screen.main else []) + page.evaluate(AXE)
        text = page.locator("body").inner_text()
        found += RAW.findall(text)
        if language == "vi" and not re.search(screen.says, text, re.IGNORECASE | re.DOTALL):
            found.append(f"{screen.says} is not in {text}")
        if screen.says and "foul" in name:
            found += re.findall(r"^0$", page.locator(".showdown .seat").nth(2).inner_text(), re.MULTILINE)
        faults += [f"{name}: {fault}" for fault in found]
        drawn.update(page.evaluate(CLASSES))
    assert faults == []
    css = (WEB / "dist" / "assets" / "index.css").read_text("utf-8")
    assert set(re.findall(r"svelte-\w+", css)) - drawn == set(), "components that no screen of the list shows"


ROUNDS: Final = {
    "mau_binh": ("binding", "seeding", "playing", "showdown"),
    "tien_len": ("binding", "seeding", "turn", "last"),
    "ultimate_texas": ("binding", "seeding", "preflop", "flop", "river", "last"),
}
"""What each game shows of a round, by its examples; ``last`` is first its ending, which is skipped, then its result."""


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("game", ROUNDS)
def test_nothing_jumps_over_a_whole_round_and_the_focus_stays(files, invite, game: str, size: str) -> None:
    """From one result to the next, with every suggestion asked for, and the show or the ending skipped.

    What is free never lies where a bet lies on a later street: checking twice in one place never bets or folds.
    """
    guest: Guest = invite("Lan", viewport=SIZES[size])
    page = guest.page
    page.add_init_script(SHIFTS)
    advice = f"done.{game}.suggest" + (".preflop" if game == "ultimate_texas" else "")
    stage = Stage(page, finished(game), suggest=example(advice))
    guest.enter(files)
    guest.press(page.locator(".ready"))
    guest.wait_still()
    page.evaluate("shiftsUntilNow(); window.shift = 0")
    shifts = {}
    boxes: dict[bool, list[FloatRect]] = {True: [], False: []}
    views = [dealt(f"view.{game}.{moment}") if moment != "last" else ending(game) for moment in ROUNDS[game]]
    for view in [*views, finished(game)]:
        stage.show(view)
        expect(page.locator(f'.room[data-phase="{view["phase"]}"]')).to_be_visible(timeout=TIMEOUT)
        for button in page.locator(".felt .buttons .button:enabled:has(.idea), .skip").all():
            guest.wait_still()
            guest.press(button)
        page.evaluate(DRAWN)
        guest.wait_still()
        for button in page.locator("[data-decision]").all():
            boxes[button.get_attribute("data-decision") == "CHECK"].append(box_of(button))
        shifts[view["phase"]] = page.evaluate("shiftsUntilNow()")
        assert page.evaluate("document.activeElement !== document.body"), "the focus fell to the body"
    assert shifts["LOBBY"] < STEADY, shifts
    assert len(stage.of("skip")) == (game == "mau_binh")
    assert stage.of("suggest")
    assert len(boxes[True]) == 2 * (game == "ultimate_texas")
    assert [(free, bet) for free in boxes[True] for bet in boxes[False] if overlap(free, bet)] == []


def overlap(one: FloatRect, other: FloatRect) -> bool:
    """Return whether two boxes share a place."""
    is_beside = one["x"] >= other["x"] + other["width"] or other["x"] >= one["x"] + one["width"]
    return not is_beside and one["y"] < other["y"] + other["height"] and other["y"] < one["y"] + one["height"]
