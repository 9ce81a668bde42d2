"""What the page signs: kept until it is answered, once for each place of its seat's chain, and on no other course."""

import base64
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.web_table.web_table_guest import RULESETS, TIMEOUT, Guest, until

pytestmark = pytest.mark.slow("drives a browser")

TEXAS = RULESETS["ultimate_texas"]
RULESET = RULESETS["mau_binh"]
KEPT = """() => new Promise((resolve, reject) => {
  const opening = indexedDB.open('referee', 1);
  opening.onerror = () => reject(opening.error);
  opening.onsuccess = () => {
    const reading = opening.result.transaction('keys').objectStore('keys').get('seat');
    reading.onsuccess = () => resolve({
      publicKey: reading.result.publicKey,
      isExtractable: reading.result.secret.extractable ?? true,
    });
  };
})"""
"""What the browser keeps of its key."""
Message = dict[str, Any]


class Wire:
    """The stream of a page: what it sends is noted by name, and may be swallowed; what it is sent may be changed.

    ``ended`` has the last rounds of the views that it was sent.
    """

    def __init__(self, guest: Guest) -> None:
        self.sent: list[Message] = []
        self.ended: list[Message] = []
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
            if message.get("last"):
                self.ended.append(message["last"])
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
    guest.host(url, TEXAS)
    guest.get_ready()
    guest.decisions()
    return wire


def wait(guest: Guest, wire: Wire, count: int) -> None:
    """Wait until the page has sent so many decisions."""
    until(guest.page, lambda: len(wire.of("decide")) >= count, f"fewer than {count} decisions were sent")


def test_page_reloaded_before_the_answer_sends_the_same_bytes_again(table, invite) -> None:
    guest: Guest = invite("Lan")
    wire = sit(guest, table.url)
    wire.is_swallowed = is_decision
    guest.bet()
    wait(guest, wire, 1)
    wire.is_swallowed = lambda _message: False
    guest.page.reload()
    guest.end_verified()
    first, second = wire.of("decide")
    parts = ("decision", "seen", "signature", "round_id")
    assert [first[part] for part in parts] == [second[part] for part in parts]
    guest.expect_verified()


def test_page_signs_no_other_event_while_one_is_unanswered(table, invite) -> None:
    """The table server may have handed it in: until it is answered or the clock makes it void, it counts."""
    guest: Guest = invite("Lan")
    wire = sit(guest, table.url)
    wire.is_swallowed = is_decision
    guest.bet()
    wait(guest, wire, 1)
    guest.page.reload()
    guest.decisions()
    wait(guest, wire, 2)
    guest.page.locator('[data-decision="CHECK"]').click()
    wire.is_swallowed = lambda _message: False
    guest.page.reload()
    guest.end_verified()
    sent = wire.of("decide")
    assert len(sent) == 3
    assert len({(one["decision"], one["seen"], one["signature"]) for one in sent}) == 1


@pytest.mark.parametrize("is_reloaded", [False, True], ids=["at once", "after a reload"])
def test_refused_move_is_forgotten_and_another_is_signed(table, invite, *, is_reloaded: bool) -> None:
    guest: Guest = invite("Lan")
    wire = sit(guest, table.url)
    wire.answer = refusal
    guest.page.locator('[data-decision="CHECK"]').click()
    expect(guest.page.locator(".texas")).to_contain_text("không", timeout=TIMEOUT)
    wire.answer = lambda _message: None
    if is_reloaded:
        guest.page.reload()
        guest.decisions()
    guest.bet()
    guest.end_verified()
    first, second = wire.of("decide")
    assert first["decision"] != second["decision"]
    guest.expect_verified()


def test_page_signs_nothing_on_a_course_with_a_move_that_is_not_its_own(table, invite) -> None:
    guest: Guest = invite("Lan")
    wire = Wire(guest)

    def forge(message: Message) -> None:
        course = (message.get("round") or {}).get("course")
        if course is not None:
            event = json.dumps({"decision": "CHECK", "kind": "DECIDE", "seat": 0, "seen": 0}, separators=(",", ":"))
            course["events"] = [{"event": event, "time": message["time"], "received": True}]

    wire.change = forge
    guest.host(table.url, TEXAS)
    guest.get_ready()
    guest.bet()
    expect(guest.page.locator(".texas")).to_contain_text("Diễn biến ván khác với lúc nãy", timeout=TIMEOUT)
    assert wire.of("decide") == []


def test_last_to_be_done_signs_by_itself_once_everyone_is(table, invite) -> None:
    """What would end the others' arranging is kept unsigned; the page signs it when the table asks for that."""
    first, last = invite("An"), invite("Bình")
    wire = Wire(last)
    room = first.host(table.url, RULESET)
    last.join(table.url, room)
    first.deal(last)
    for guest in (first, last):
        guest.page.locator(".arrange .buttons .button").first.click()
        expect(guest.page.locator(".hint.kept")).to_contain_text("hết giờ thì tính cách xếp này", timeout=TIMEOUT)
    last.page.locator(".arrange .main").click()
    expect(last.page.locator(".arrange .main")).to_be_disabled()
    assert ["signature" in one for one in wire.of("arrange")] == [False, False]
    first.page.locator(".arrange .main").click()
    for guest in (first, last):
        guest.end_verified()
    assert ["signature" in one for one in wire.of("arrange")] == [False, False, True]
    last.page.locator(".badge").click()
    last.page.locator("dialog summary").click()
    expect(last.page.locator('dialog li[data-outcome="PASSED"] code', has_text="ATTESTATIONS")).to_have_count(1)


def test_own_key_signs_the_round_and_cannot_be_read(table, invite) -> None:
    guest: Guest = invite("Lan")
    page = guest.page
    sent: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(str(frame))))
    bundles: list[str] = []
    page.on("response", lambda one: bundles.append(one.url) if "/api/bundles/" in one.url else None)
    guest.host(table.url, TEXAS)
    guest.get_ready()
    guest.decisions()
    kept = page.evaluate(KEPT)
    assert kept["isExtractable"] is False
    assert sum(kept["publicKey"] in frame for frame in sent) == 1, "only the hello names the key"
    guest.bet()
    guest.end_verified()
    assert any('"decide"' in frame and '"signature"' in frame for frame in sent)
    payloads = [
        json.loads(base64.b64decode(json.loads(leaf["leaf"])["payload"]))
        for leaf in page.request.get(bundles[-1]).json()["leaves"]
    ]
    headers = [one["header"] for one in payloads if "header" in one]
    assert any(kept["publicKey"] in json.dumps(header) for header in headers), "the round names the seat's key"
    page.locator(".badge").click()
    page.locator("dialog summary").click()
    signed = page.locator('dialog li[data-outcome="PASSED"] code', has_text="ATTESTATIONS")
    expect(signed).to_have_count(1)
