"""What the page signs: once for each place of its seat's chain, kept before it is sent, and on no other course."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.web_table.web_table_guest import MANY_ROUNDS, TIMEOUT, Guest

pytestmark = pytest.mark.slow("drives a browser")

TEXAS = "ultimate_texas.casino"
RULESET = "mau_binh.maubinh_com"
Message = dict[str, Any]


class Wire:
    """The stream of a page: what it sends is noted by name, and may be swallowed; what it is sent may be changed."""

    def __init__(self, guest: Guest) -> None:
        self.sent: list[Message] = []
        self.answer: Callable[[Message], Message | None] = lambda _message: None
        self.is_swallowed: Callable[[Message], bool] = lambda _message: False
        self.change: Callable[[Message], None] = lambda _message: None
        guest.page.route_web_socket(re.compile("/api/stream"), self._carry)

    def of(self, name: str) -> list[Message]:
        """Return the commands of this name that the page has sent."""
        return [one for one in self.sent if one.get("name") == name]

    def _carry(self, socket: Any) -> None:  # noqa: ANN401 - what Playwright routes
        server = socket.connect_to_server()

        def take(data: str) -> None:
            message = json.loads(data)
            self.sent.append(message)
            if answer := self.answer(message):
                socket.send(json.dumps(answer))
            elif not self.is_swallowed(message):
                server.send(data)

        def give(data: str) -> None:
            message = json.loads(data)
            self.change(message)
            socket.send(json.dumps(message))

        socket.on_message(take)
        server.on_message(give)


def is_decision(message: Message) -> bool:
    """Return whether a message is a decision of Ultimate Texas."""
    return bool(message.get("name") == "decide")


def refusal(message: Message) -> Message | None:
    """Return the answer of a table server that takes no decision, and passes on what it was sent later."""
    text = {"vi": "không", "en": "no"}
    return {"type": "refused", "id": message["id"], "code": "BUSY", "text": text} if is_decision(message) else None


def sit(guest: Guest, url: str) -> Wire:
    """Seat a guest alone at Ultimate Texas, with its first decision ahead."""
    wire = Wire(guest)
    guest.enter(url)
    guest.open_room(TEXAS, bots=0)
    guest.get_ready()
    expect(guest.page.locator(".texas .buttons .button")).to_have_count(4, timeout=TIMEOUT)
    guest.wait_still()
    return wire


def wait(guest: Guest, wire: Wire, count: int) -> None:
    """Wait until the page has sent so many decisions."""
    for _ in range(TIMEOUT // 50):
        if len(wire.of("decide")) >= count:
            return
        guest.page.wait_for_timeout(50)
    raise AssertionError(wire.sent)


def test_page_reloaded_before_the_answer_sends_the_same_bytes_again(table, invite) -> None:
    guest: Guest = invite("Lan")
    wire = sit(guest, table.url)
    wire.is_swallowed = is_decision
    guest.page.locator(".texas .buttons .button").nth(1).click()
    wait(guest, wire, 1)
    wire.is_swallowed = lambda _message: False
    guest.page.reload()
    guest.wait_phase("LOBBY")
    first, second = wire.of("decide")
    parts = ("decision", "seen", "signature", "round_id")
    assert [first[part] for part in parts] == [second[part] for part in parts]
    guest.expect_verified()


def test_page_signs_no_other_event_for_one_place(table, invite) -> None:
    """A refused decision may still be handed in by the table server: until the clock makes it void, it counts."""
    guest: Guest = invite("Lan")
    wire = sit(guest, table.url)
    wire.answer = refusal
    buttons = guest.page.locator(".texas .buttons .button")
    buttons.nth(0).click()
    expect(guest.page.locator(".texas")).to_contain_text("không", timeout=TIMEOUT)
    guest.page.reload()
    expect(buttons).to_have_count(4, timeout=TIMEOUT)
    guest.wait_still()
    buttons.nth(1).click()
    expect(guest.page.locator(".texas")).to_contain_text("đã ký một nước khác", timeout=TIMEOUT)
    signed = {(one["decision"], one["signature"]) for one in wire.of("decide")}
    assert len(wire.of("decide")) == 3
    assert len(signed) == 1


def test_page_signs_nothing_on_a_course_with_a_move_that_is_not_its_own(table, invite) -> None:
    guest: Guest = invite("Lan")
    wire = Wire(guest)

    def forge(message: Message) -> None:
        course = (message.get("round") or {}).get("course")
        if course is not None:
            event = json.dumps({"decision": "CHECK", "kind": "DECIDE", "seat": 0, "seen": 0}, separators=(",", ":"))
            course["events"] = [{"event": event, "time": message["time"], "received": True}]

    wire.change = forge
    guest.enter(table.url)
    guest.open_room(TEXAS, bots=0)
    guest.get_ready()
    buttons = guest.page.locator(".texas .buttons .button")
    expect(buttons).to_have_count(4, timeout=TIMEOUT)
    guest.wait_still()
    buttons.nth(1).click()
    expect(guest.page.locator(".texas")).to_contain_text("diễn biến khác", timeout=TIMEOUT)
    assert wire.of("decide") == []


def test_last_to_be_done_signs_by_itself_once_everyone_is(table, invite) -> None:
    """What would end the others' arranging is kept unsigned; the page signs it when the table asks for that."""
    first, last = invite("An"), invite("Bình")
    wire = Wire(last)
    first.enter(table.url)
    room = first.open_room(RULESET, bots=0)
    last.enter(f"{table.url}#{room}")
    expect(last.page.locator(".ready")).to_be_visible(timeout=TIMEOUT)
    for number in range(1, MANY_ROUNDS):
        first.get_ready()
        last.get_ready()
        if first.wait_dealt(number):
            break
    for guest in (first, last):
        guest.page.locator(".arrange .buttons .button").first.click()
        expect(guest.page.locator(".hint.kept")).to_contain_text("Bàn đã giữ", timeout=TIMEOUT)
    last.page.locator(".arrange .main").click()
    expect(last.page.locator(".arrange .main")).to_be_disabled()
    assert ["signature" in one for one in wire.of("arrange")] == [False, False]
    first.page.locator(".arrange .main").click()
    for guest in (first, last):
        guest.wait_phase("LOBBY")
        guest.expect_verified()
    assert ["signature" in one for one in wire.of("arrange")] == [False, False, True]
    last.page.locator(".badge").click()
    last.page.locator("dialog summary").click()
    expect(last.page.locator('dialog li[data-outcome="PASSED"] code', has_text="ATTESTATIONS")).to_have_count(1)
