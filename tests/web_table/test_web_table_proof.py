"""What the proof of a round says: it counts what was checked, and speaks of the seat to that seat alone."""

import json
import re
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Page, Route, expect

from tests.command import referee
from tests.web_table.test_web_table_signing import Wire
from tests.web_table.web_table_guest import RULESETS, TIMEOUT, Guest, until

pytestmark = pytest.mark.slow("drives a browser")

TEXAS: Final = RULESETS["ultimate_texas"]
FORGET: Final = """() => Object.keys(localStorage).filter((key) => key.startsWith('referee.round'))
  .forEach((key) => localStorage.removeItem(key))"""
"""Makes the browser forget what it put into its rounds, as one in which the seat was not played."""
SHIFT: Final = "(() => { const now = Date.now; Date.now = () => now() + (%d); })()"
"""Moves a device's clock by so many milliseconds."""
MINUS: Final = "\N{MINUS SIGN}"
YOURS: Final = re.compile(r"\b(you|your)\b|\bbạn\b", re.IGNORECASE)
SEAT: Final = {
    "en": ["your browser put a random number into it", "The cards you held", "The payouts are those"],
    "vi": ["máy bạn góp một số ngẫu nhiên", "Bài bạn cầm", "Ai trả ai bao nhiêu đúng như"],
}
ELSEWHERE: Final = {
    "en": ["does not have your seat's number", "The cards that the seats showed", "The payouts are those"],
    "vi": ["nằm ở trình duyệt bạn đã chơi", "Bài mọi nhà lật ra", "Ai trả ai bao nhiêu đúng như"],
}
OTHER: Final = {
    "en": ["each seat put a random number into it", "The cards that the seats showed", "The payouts are those"],
    "vi": ["mỗi nhà góp một số ngẫu nhiên", "Bài mọi nhà lật ra", "Ai trả ai bao nhiêu đúng như"],
}


def proof_of(guest: Guest) -> Page:
    """Open the proof of the round that the table shows."""
    guest.expect_verified()
    guest.page.locator(".badge").first.click()
    return guest.page


def address_of(page: Page) -> str:
    """Return the address at which anyone verifies the round."""
    return page.locator(".elsewhere a").get_attribute("href") or ""


def sentences(page: Page, *, count: int = 3) -> list[str]:
    """Return the sentences of the proof."""
    expect(page.locator(".proof .plain li")).to_have_count(count, timeout=TIMEOUT)
    return page.locator(".proof .plain li").all_inner_texts()


def expect_sentences(page: Page, texts: list[str]) -> list[str]:
    """Check that the proof has these sentences, in order; return them whole."""
    found = sentences(page, count=len(texts))
    assert [text in sentence for text, sentence in zip(texts, found, strict=True)] == [True] * len(texts), found
    return found


def expect_counts(page: Page) -> None:
    """Check that the heading counts the checks that were made, and apart from them those that were not."""
    details = page.locator(".proof details")
    if details.get_attribute("open") is None:
        details.locator("summary").click()
    made = page.locator('.proof li[data-outcome="PASSED"], .proof li[data-outcome="FAILED"]').count()
    left_out = page.locator('.proof li[data-outcome="NOT_CHECKED"]').count()
    assert made > 0
    assert left_out > 0
    numbers = [int(one) for one in re.findall(r"\d+", details.locator("summary").inner_text())]
    assert numbers == [made, left_out]


def outcome_of(page: Page, code: str) -> str | None:
    """Return what came of a check; None if it is not listed."""
    row = page.locator(".proof li[data-outcome]", has=page.locator("code", has_text=re.compile(f"^{code}$")))
    return row.get_attribute("data-outcome") if row.count() else None


def test_proof_speaks_to_the_one_who_looks(table, invite) -> None:
    """Seats in both languages, a spectator, strangers with the link, and a seat whose browser kept nothing."""
    an, binh, watcher = invite("An", language="en"), invite("Bình", language="vi"), invite("Chi", language="en")
    room = an.host(table.url, TEXAS)
    binh.join(table.url, room)
    an.get_ready()
    binh.get_ready()
    for guest in (an, binh):
        guest.decisions()
    watcher.join(table.url, room, shown=".room")
    for guest in (an, binh):
        guest.bet()
    for guest in (an, binh, watcher):
        guest.end_verified()

    for guest, language in ((an, "en"), (binh, "vi")):
        expect_sentences(proof_of(guest), SEAT[language])
        expect_counts(guest.page)
        own = [outcome_of(guest.page, code) for code in ("OWN_SEED", "OWN_CARDS", "SHOWN_RESULT")]
        assert own == ["PASSED"] * 3
    address = address_of(an.page)

    assert not YOURS.search(" ".join(expect_sentences(proof_of(watcher), OTHER["en"])))
    expect_counts(watcher.page)
    assert outcome_of(watcher.page, "OWN_SEED") is None

    for language in ("en", "vi"):
        stranger = invite("Lạ", language=language).page
        stranger.goto(address)
        assert not YOURS.search(" ".join(expect_sentences(stranger, OTHER[language])))
        expect_counts(stranger)
        assert outcome_of(stranger, "OWN_SEED") is None

    own_page = binh.page.context.new_page()
    own_page.goto(address)
    expect_sentences(own_page, SEAT["vi"])
    assert outcome_of(own_page, "OWN_CARDS") == "PASSED"
    own_page.close()

    for guest, language in ((an, "en"), (binh, "vi")):
        guest.page.evaluate(FORGET)
        guest.page.reload()
        expect_sentences(proof_of(guest), ELSEWHERE[language])
        expect_counts(guest.page)
        assert outcome_of(guest.page, "OWN_SEED") == "NOT_CHECKED"


def test_downloaded_bundle_has_the_receipts_of_ones_own_moves(table, invite, tmp_path: Path) -> None:
    """The page keeps what proves a move when the table answers it; a receipt of a changed move counts for nothing."""
    guest = invite("An", language="en")
    guest.host(table.url, TEXAS, bots=1)
    guest.get_ready()
    guest.bet()
    page = proof_of(guest)
    page.locator(".proof details summary").click()
    assert outcome_of(page, "EVENT_RECEIPTS") == "PASSED"
    with page.expect_download(timeout=TIMEOUT) as download:
        page.locator("a[download]").click()
    file = tmp_path / "bundle.json"
    download.value.save_as(file)
    bundle = json.loads(file.read_text())
    (kept,) = [json.loads(text) for text in bundle["event_receipts"]]
    assert json.loads(kept["events"][-1])["seat"] == 0

    origin, log_key, root_key = page.locator(".proof dl dd").all_inner_texts()[-3:]
    keys = ["--log-key", log_key, "--root-key", root_key, "--origin", origin]
    proved = referee("verify", file, *keys)
    assert proved.returncode == 0, proved.stdout
    assert "RECEIPT_REFUSED" not in proved.stdout
    kept["events"][-1] = kept["events"][-1].replace('"seat":0', '"seat":1')
    bundle["event_receipts"] = [json.dumps(kept, sort_keys=True, separators=(",", ":"))]
    file.write_text(json.dumps(bundle))
    changed = referee("verify", file, *keys)
    assert changed.returncode == 0, changed.stdout
    assert "RECEIPT_REFUSED" in changed.stdout


def test_proof_says_which_times_differ_from_the_devices_clock(table, invite) -> None:
    """Seats whose devices are forty seconds slow, fast and right, and a fast one that joined when the deal was over."""
    slow, fast, right = invite("An", language="en"), invite("Bình", language="vi"), invite("Chi", language="en")
    joined = invite("Dung", language="en")
    for guest, shift in ((slow, -40_000), (fast, 40_000), (joined, 40_000)):
        guest.page.add_init_script(SHIFT % shift)
    room = slow.host(table.url, TEXAS)
    for guest in (fast, right):
        guest.join(table.url, room)
    seats = (slow, fast, right)
    for guest in seats:
        guest.get_ready()
    for guest in seats:
        guest.decisions()
    joined.join(table.url, room, shown=".room")
    for guest in seats:
        guest.bet()
    for guest in (*seats, joined):
        expect(proof_of(guest).locator(".proof .plain li")).to_have_count(3, timeout=TIMEOUT)

    for guest, sign, meaning in ((slow, "+", "either clock may be wrong"), (fast, MINUS, "có thể đồng hồ một bên sai")):
        note = guest.page.locator(".proof .clocks")
        expect(note).to_contain_text(meaning)
        found = re.search(r"(\d+):(\d+):(\d+)\D+(\d+):(\d+):(\d+)\D*\((.)(\d+) ", note.inner_text())
        assert found, note.inner_text()
        hours, minutes, seconds, own_hours, own_minutes, own_seconds = map(int, found.groups()[:6])
        apart = ((hours - own_hours) * 60 + minutes - own_minutes) * 60 + seconds - own_seconds
        said = int(found[8]) * (1 if found[7] == "+" else -1)
        assert found[7] == sign
        assert 10 <= abs(said) <= 40
        assert (apart - said + 1) % 86_400 <= 2
    for guest in (right, joined):
        expect(guest.page.locator(".proof .clocks")).to_have_count(0)

    fast.page.reload()  # the page no longer knows when it showed its seed: it says what it had kept
    expect(proof_of(fast).locator(".proof .clocks")).to_contain_text(f"({MINUS}", timeout=TIMEOUT)


def test_cards_that_the_log_does_not_have_turn_the_badge_red(table, invite) -> None:
    """A table server shows a seat another card than it was dealt, as a lie that no payout gives away."""
    guest: Guest = invite("Lan", language="en")
    wire = Wire(guest)

    def swap(message) -> None:
        hand = (message.get("round") or {}).get("hand")
        if hand:
            deck = [rank + suit for rank in "23456789TJQKA" for suit in "SCDH"]
            hand[0] = next(card for card in deck if card not in hand)

    wire.change = swap
    guest.host(table.url, TEXAS)
    guest.get_ready()
    guest.bet()
    badge = guest.page.locator(".badge").first
    expect(badge).to_have_attribute("data-state", "FAILED", timeout=TIMEOUT)
    expect(badge).to_contain_text("OWN_CARDS")


def test_proof_of_an_aborted_round_speaks_of_no_payout(table, invite) -> None:
    """A seat binds itself and never shows its seed, so the round is aborted in the log."""
    an, binh = invite("An", language="en"), invite("Bình", language="en")
    wire = Wire(binh)
    wire.is_swallowed = lambda message: message.get("name") == "seed"
    room = an.host(table.url, TEXAS)
    binh.join(table.url, room)
    an.get_ready()
    binh.get_ready()
    until(an.page, lambda: wire.ended, "no round has ended")
    (ended, *_) = wire.ended
    assert ended["end"] == "ABORTED"
    stranger = invite("Lạ", language="en").page
    stranger.goto(f"{table.url}?table={ended['table']}&round={ended['number']}")
    (sentence,) = sentences(stranger, count=1)
    assert "aborted and nobody pays" in sentence
    expect_counts(stranger)


def test_round_is_verified_elsewhere_by_the_link_of_its_proof(table, invite) -> None:
    """Another browser needs no name and no seat; a round that is not in the log is said not to be there."""
    guest, stranger = invite("Lan"), invite("Ai", language="en")
    guest.host(table.url, TEXAS)
    guest.get_ready()
    guest.bet()
    guest.end_verified()
    net = next(iter(guest.nets().values()))
    link = address_of(proof_of(guest))
    page = stranger.page
    page.goto(link)
    expect(page.locator(".badge")).to_have_attribute("data-state", "VERIFIED", timeout=TIMEOUT)
    expect(page.locator(".plain li")).to_have_count(3)
    shown = page.locator(".net b").inner_text().replace("\N{MINUS SIGN}", "-")
    assert int(re.sub(r"[^\d-]", "", shown)) == net
    page.locator("#table").fill("nosuchtable.1")
    page.locator("form .main").click()
    expect(page.locator(".badge")).to_have_attribute("data-state", "UNREACHED", timeout=TIMEOUT)


@pytest.mark.parametrize("language", ["vi", "en"])
def test_tampered_bundle_turns_the_badge_red_and_names_the_check(table, invite, language: str) -> None:
    guest = invite("Lan", language=language)

    def tamper(route: Route) -> None:
        bundle = route.fetch().json()
        proof = next(leaf["proof"] for leaf in reversed(bundle["leaves"]) if leaf["proof"])
        proof[0] = ("1" if proof[0].startswith("0") else "0") + proof[0][1:]
        route.fulfill(body=json.dumps(bundle), content_type="application/json")

    guest.page.route("**/api/bundles/**", tamper)
    guest.host(table.url, TEXAS, bots=1)
    guest.get_ready()
    guest.bet()
    badge = guest.page.locator(".badge")
    expect(badge).to_have_attribute("data-state", "FAILED", timeout=TIMEOUT)
    expect(badge).to_contain_text("TREE")
    badge.click()
    failed = guest.page.locator('dialog li[data-outcome="FAILED"]')
    expect(failed.locator("code").first).to_have_text("TREE")
    assert "rgb(179, 38, 30)" in badge.evaluate("one => getComputedStyle(one).backgroundColor")


def test_payouts_that_the_referee_did_not_sign_turn_the_badge_red(table, invite) -> None:
    """The page does not trust the table server: it compares the payouts shown with the payouts signed."""
    guest = invite("Lan", language="en")

    def forge(socket) -> None:
        server = socket.connect_to_server()

        def pass_on(message: str) -> None:
            shown = json.loads(message)
            if last := shown.get("last"):
                transfers = last.setdefault("transfers", [])
                if not transfers:  # the round was a push
                    transfers.append({"payer": 0, "payee": 1, "amount_minor": 0, "reason": "ANTE"})
                transfers[0]["amount_minor"] += 1
            socket.send(json.dumps(shown))

        server.on_message(pass_on)

    guest.page.route_web_socket(re.compile("/api/stream"), forge)
    guest.host(table.url, TEXAS, bots=1)
    guest.get_ready()
    guest.bet()
    badge = guest.page.locator(".badge")
    expect(badge).to_have_attribute("data-state", "FAILED", timeout=TIMEOUT)
    expect(badge).to_contain_text("SHOWN_RESULT")
