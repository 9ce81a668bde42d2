"""What the proof of a round says, to whom, and of which lies; and what the page signs."""

import re
from typing import Final

import pytest
from playwright.sync_api import Page, Route, expect

from tests.web_table.web_table_guest import RULESETS, TIMEOUT, Guest, until
from tests.web_table.web_table_stage import Message, Stage

pytestmark = pytest.mark.slow("drives a browser")

TEXAS: Final = RULESETS["ultimate_texas"]
FORGET: Final = """() => Object.keys(localStorage).filter((key) => key.startsWith('referee.round'))
  .forEach((key) => localStorage.removeItem(key))"""
"""Makes the browser forget what it put into its rounds, as one in which the seat was not played."""
KEPT: Final = """() => new Promise((resolve) => {
  const opening = indexedDB.open('referee', 1);
  opening.onsuccess = () => {
    const reading = opening.result.transaction('keys').objectStore('keys').get('seat');
    reading.onsuccess = () => resolve([reading.result.publicKey, reading.result.secret.extractable]);
  };
})"""
"""What the browser keeps of its key: the public half, and whether the private one can be read."""
OWN: Final = ("OWN_SEED", "OWN_CARDS", "SHOWN_RESULT", "EVENT_RECEIPTS", "ATTESTATIONS")
"""Checks that need what the seat's browser kept: its seed, its cards, the payouts shown, and its moves' receipts."""
MINUS: Final = "\N{MINUS SIGN}"
YOURS: Final = re.compile(r"\b(you|your)\b|\bbạn\b", re.IGNORECASE)
SAID: Final = {
    "SEAT": ("your browser put a random number into it", "The cards you held", "The payouts are those"),
    "ELSEWHERE": ("nằm ở trình duyệt bạn đã chơi", "Bài mọi nhà lật ra", "Ai trả ai bao nhiêu đúng như"),
    "OTHER": ("mỗi nhà góp một số ngẫu nhiên", "Bài mọi nhà lật ra", "Ai trả ai bao nhiêu đúng như"),
}
"""What a proof says, by who looks: a seat, in English; its person in another browser; others."""


def proof_of(guest: Guest) -> Page:
    """Open the proof of the round that the table shows."""
    guest.expect_result()
    guest.page.locator(".badge").first.click()
    return guest.page


def checks_of(page: Page, *texts: str) -> dict[str, str]:
    """Check the proof's sentences, in order, and its counts; return what came of each check by its code."""
    sentences = page.locator(".proof .plain li")
    expect(sentences).to_have_count(len(texts), timeout=TIMEOUT)
    said = sentences.all_inner_texts()
    assert [text in sentence for text, sentence in zip(texts, said, strict=True)] == [True] * len(texts), said
    details = page.locator(".proof details")
    if details.get_attribute("open") is None:
        details.locator("summary").click()
    rows = page.locator(".proof li[data-outcome]").all()
    checks = {row.locator("code").first.inner_text(): row.get_attribute("data-outcome") or "" for row in rows}
    left_out = sum(row.get_attribute("data-outcome") == "NOT_CHECKED" for row in rows)
    assert 0 < left_out < len(rows)
    numbers = [int(number) for number in re.findall(r"\d+", details.locator("summary").inner_text())]
    assert numbers == [len(rows) - left_out, left_out]
    return checks


def test_proof_speaks_to_the_one_who_looks(table, invite) -> None:
    """A seat, also in another tab, a spectator, a stranger with the link, and a seat whose browser kept nothing."""
    an, binh, watcher = invite("An", language="en"), invite("Bình"), invite("Chi")
    room = an.host(table.url, TEXAS)
    binh.join(table.url, room)
    an.deal(binh)
    watcher.join(table.url, room, shown=".room")
    for guest in (an, binh):
        guest.bet()
    checks = checks_of(proof_of(an), *SAID["SEAT"])
    assert {checks[code] for code in OWN} == {"PASSED"}
    address = an.page.locator(".elsewhere a").get_attribute("href") or ""
    own_page, stranger = an.page.context.new_page(), invite("Lạ").page
    for page in (own_page, stranger):
        page.goto(address)
    assert checks_of(own_page, *SAID["SEAT"])["OWN_CARDS"] == "PASSED"
    for page in (proof_of(watcher), stranger):
        assert "OWN_SEED" not in checks_of(page, *SAID["OTHER"])
        assert not any(YOURS.search(text) for text in page.locator(".proof .plain li").all_inner_texts())
    binh.page.evaluate(FORGET)
    binh.page.reload()
    assert checks_of(proof_of(binh), *SAID["ELSEWHERE"])["OWN_SEED"] == "NOT_CHECKED"


def test_proof_says_which_times_differ_from_the_devices_clock(table, invite) -> None:
    """A seat whose device is forty seconds fast, also after a reload; not one that is right or only watched."""
    fast, right, joined = invite("An"), invite("Bình"), invite("Dung")
    for guest in (fast, joined):
        guest.page.add_init_script("const now = Date.now; Date.now = () => now.call(Date) + 40_000;")
    room = fast.host(table.url, TEXAS)
    right.join(table.url, room)
    fast.deal(right)
    joined.join(table.url, room, shown=".room")
    for guest in (fast, right):
        guest.bet()
    for _ in range(2):
        note = proof_of(fast).locator(".proof .clocks")
        expect(note).to_contain_text("có thể đồng hồ một bên sai", timeout=TIMEOUT)
        seconds = re.search(rf"\d+:\d+:\d+\D+\d+:\d+:\d+\D*\({MINUS}(\d+) ", note.inner_text())
        assert seconds, note.inner_text()
        assert 10 <= int(seconds[1]) <= 40
        fast.page.reload()  # the page no longer knows when it showed its seed: it says what it had kept
    for guest in (right, joined):
        expect(proof_of(guest).locator(".proof .plain li")).to_have_count(3, timeout=TIMEOUT)
        expect(guest.page.locator(".proof .clocks")).to_have_count(0)


def test_proof_of_an_aborted_round_speaks_of_no_payout(table, invite) -> None:
    """A seat binds itself and never shows its seed, so the round is aborted in the log."""
    an, binh = invite("An"), invite("Bình")
    stage = Stage(binh.page)
    stage.is_swallowed = lambda message: message.get("name") == "seed"
    room = an.host(table.url, TEXAS)
    binh.join(table.url, room)
    for guest in (an, binh):
        guest.press(guest.page.locator(".ready"))
    ended = lambda: [view["last"] for view in stage.shown if view.get("last")]  # noqa: E731
    until(an.page, ended, "no round has ended")
    stranger = invite("Lạ", language="en").page
    stranger.goto(f"{table.url}?table={ended()[0]['table']}&round={ended()[0]['number']}")
    checks_of(stranger, "aborted and nobody pays")


def another_card(message: Message) -> None:
    """Show a seat another card than it was dealt, as a lie that no payout gives away."""
    if hand := (message.get("round") or {}).get("hand"):
        deck = [rank + suit for rank in "23456789TJQKA" for suit in "SCDH"]
        hand[0] = next(card for card in deck if card not in hand)


def another_payout(message: Message) -> None:
    """Show another payout than the referee signed."""
    if last := message.get("last"):
        transfers = last.setdefault("transfers", [])
        if not transfers:  # the round was a push
            transfers.append({"payer": 0, "payee": 1, "amount_minor": 0, "reason": "ANTE"})
        transfers[0]["amount_minor"] += 1


def another_tree(bundle: Message) -> None:
    """Change a hash of the newest proof of a bundle."""
    proof = next(leaf["proof"] for leaf in reversed(bundle["leaves"]) if leaf["proof"])
    proof[0] = ("1" if proof[0].startswith("0") else "0") + proof[0][1:]


@pytest.mark.parametrize(
    ("lie", "code"), [(another_card, "OWN_CARDS"), (another_payout, "SHOWN_RESULT"), (another_tree, "TREE")]
)
def test_lie_turns_the_badge_red_and_names_the_check(table, invite, lie, code: str) -> None:
    """Whether the table server says it, or somebody between the page and the bundle."""
    guest: Guest = invite("Lan")

    def tamper(route: Route) -> None:
        bundle = route.fetch().json()
        lie(bundle)
        route.fulfill(json=bundle)

    if code == "TREE":
        guest.page.route("**/api/bundles/**", tamper)
    else:
        Stage(guest.page).change = lie
    guest.host(table.url, TEXAS, bots=1)
    guest.deal()
    guest.bet()
    badge = guest.page.locator(".between .badge")
    expect(badge).to_have_attribute("data-state", "FAILED", timeout=2 * TIMEOUT)
    expect(badge).to_contain_text(code)
    badge.click()
    expect(guest.page.locator('dialog li[data-outcome="FAILED"] code').first).to_have_text(code)


def test_signed_move_that_was_lost_is_sent_again_as_it_was(table, invite) -> None:
    """After the page was loaded again; by a key that the browser keeps, and that even the page cannot read."""
    guest: Guest = invite("Lan", language="en")
    stage = Stage(guest.page)
    guest.host(table.url, TEXAS, bots=1)
    guest.deal()
    key, is_extractable = guest.page.evaluate(KEPT)
    assert not is_extractable
    assert [message["type"] for message in stage.sent if message.get("seat_key") == key] == ["hello"]
    stage.is_swallowed = lambda message: message.get("name") == "decide"
    guest.bet()
    until(guest.page, lambda: stage.of("decide"), "no decision was sent")
    stage.is_swallowed = lambda _message: False
    guest.page.reload()
    assert checks_of(proof_of(guest), *SAID["SEAT"])["ATTESTATIONS"] == "PASSED"
    first, *_, second = stage.of("decide")
    assert first == second


def test_last_to_be_done_signs_by_itself_once_everyone_is(table, invite) -> None:
    """What would end the others' arranging is kept unsigned; the page signs it when the table asks for that."""
    first, last = invite("An", language="en"), invite("Bình", language="en")
    stage = Stage(last.page)
    room = first.host(table.url, RULESETS["mau_binh"])
    last.join(table.url, room)
    first.deal(last)
    for guest in (first, last):
        guest.page.locator(".arrange .buttons .button").first.click()
        expect(guest.page.locator(".hint.kept")).to_be_visible(timeout=TIMEOUT)
    last.page.locator(".arrange .main").click()
    expect(last.page.locator(".arrange .main")).to_be_disabled()
    first.page.locator(".arrange .main").click()
    assert checks_of(proof_of(last), *SAID["SEAT"])["ATTESTATIONS"] == "PASSED"
    assert ["signature" in command for command in stage.of("arrange")] == [False, False, True]
