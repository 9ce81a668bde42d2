"""Four people and a spectator at one table, open and sealed; what each can prove by its own key, and elsewhere."""

import base64
import json
import re

import numpy as np
import pytest
import zxingcpp
from playwright.sync_api import Locator, expect

from tests.web_table.web_table_guest import MANY_ROUNDS, TIMEOUT, Guest

pytestmark = pytest.mark.slow("drives a browser")

RULESET = "mau_binh.maubinh_com"
TEXAS = "ultimate_texas.casino"
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


PIXELS = """(data) => new Promise((resolve, reject) => {
  const picture = new Image();
  picture.onerror = reject;
  picture.onload = () => {
    const {width, height} = picture;
    const canvas = new OffscreenCanvas(width, height).getContext('2d');
    canvas.drawImage(picture, 0, 0);
    const grey = [...canvas.getImageData(0, 0, width, height).data].filter((_, at) => at % 4 === 1);
    resolve({width, height, grey});
  };
  picture.src = 'data:image/png;base64,' + data;
})"""
"""The green of each pixel of a picture, row by row."""


def read_code(shown: Locator) -> str:
    """Return what a QR code on the screen says, read from a screenshot as a camera would."""
    picture = base64.b64encode(shown.screenshot()).decode()
    found = shown.page.context.new_page()
    pixels = found.evaluate(PIXELS, picture)
    found.close()
    image = np.array(pixels["grey"], dtype=np.uint8).reshape(pixels["height"], pixels["width"])
    (code,) = zxingcpp.read_barcodes(image)
    return code.text


@pytest.mark.parametrize("sealed", [False, True], ids=["open", "sealed"])
def test_four_people_and_a_spectator_share_a_table(table, invite, *, sealed: bool) -> None:
    """The spectator sees the result and can verify it, and never sees a hand before the showdown."""
    guests: list[Guest] = [invite(name) for name in ("An", "Bình", "Châu", "Dũng")]
    room = guests[0].host(table.url, RULESET, sealed=sealed)
    for guest in guests[1:]:
        guest.join(table.url, room)
    watcher: Guest = invite("Em")
    watcher.join(table.url, room, shown=".foot .state")
    for number in range(1, MANY_ROUNDS):
        for guest in guests:
            guest.get_ready()
        if guests[0].wait_dealt(number):
            break
    expect(watcher.page.locator(".watching")).to_contain_text("Bạn xem ván này", timeout=TIMEOUT)
    assert watcher.page.locator("[data-card]").count() == 0
    for guest in guests:
        guest.arrange()
    for guest in [*guests, watcher]:
        guest.wait_phase("LOBBY")
    nets = guests[0].nets()
    assert set(nets) == {guest.name for guest in guests}
    assert sum(nets.values()) == 0
    assert watcher.nets() == nets
    watcher.expect_verified()


def test_own_key_signs_the_round_and_cannot_be_read(table, invite) -> None:
    guest: Guest = invite("Lan")
    page = guest.page
    sent: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(str(frame))))
    bundles: list[str] = []
    page.on("response", lambda one: bundles.append(one.url) if "/api/bundles/" in one.url else None)
    guest.host(table.url, TEXAS)
    guest.get_ready()
    buttons = page.locator(".texas .buttons .button")
    expect(buttons.first).to_be_visible(timeout=TIMEOUT)
    kept = page.evaluate(KEPT)
    assert kept["isExtractable"] is False
    assert sum(kept["publicKey"] in frame for frame in sent) == 1, "only the hello names the key"
    buttons.nth(1).click()
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


def test_round_is_verified_elsewhere_by_the_link_of_its_proof(table, invite) -> None:
    """Another browser needs no name and no seat; a round that is not in the log is said not to be there."""
    guest, stranger = invite("Lan"), invite("Ai", language="en")
    guest.host(table.url, TEXAS)
    guest.get_ready()
    guest.bet()
    guest.end_verified()
    net = next(iter(guest.nets().values()))
    guest.page.locator(".badge").click()
    link = guest.page.locator("dialog .elsewhere a").get_attribute("href") or ""
    code = guest.page.locator("dialog .elsewhere svg")
    assert read_code(code) == link
    page = stranger.page
    page.goto(link)
    expect(page.locator(".badge")).to_have_attribute("data-state", "VERIFIED", timeout=TIMEOUT)
    expect(page.locator(".plain li")).to_have_count(3)
    shown = page.locator(".net b").inner_text().replace("\N{MINUS SIGN}", "-")
    assert int(re.sub(r"[^\d-]", "", shown)) == net
    page.locator("#table").fill("nosuchtable.1")
    page.locator("form .main").click()
    expect(page.locator(".badge")).to_have_attribute("data-state", "UNREACHED", timeout=TIMEOUT)


def test_invitations_code_leads_to_the_room(table, invite) -> None:
    host, guest = invite("An"), invite("Bình")
    host.host(table.url, RULESET)
    host.page.locator("nav .button").first.click()
    code = host.page.locator("dialog svg[role=img]")
    expect(code).to_be_visible(timeout=TIMEOUT)
    guest.page.goto(read_code(code))
    expect(guest.page.locator(".preview")).to_contain_text("An mời bạn", timeout=TIMEOUT)


def test_installed_page_opens_without_a_network_and_says_so(table, browser) -> None:
    context = browser.new_context(locale="vi-VN")
    try:
        page = context.new_page()
        Guest(page, "Lan", "MOUSE").enter(table.url)
        expect(page.locator(".tile").first).to_be_visible(timeout=TIMEOUT)
        page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
        manifest = page.request.get(f"{table.url}manifest.json").json()
        assert {one["sizes"] for one in manifest["icons"]} >= {"192x192", "512x512"}
        for one in manifest["icons"]:
            assert page.request.get(f"{table.url}{one['src'].removeprefix('./')}").ok
        context.set_offline(True)
        page.reload()
        expect(page.locator("main.waiting h1")).to_have_text("Bạn đang ngoại tuyến", timeout=TIMEOUT)
        context.set_offline(False)
        expect(page.locator(".tile").first).to_be_visible(timeout=TIMEOUT)
    finally:
        context.close()


def test_history_replays_every_step(table, invite) -> None:
    guest: Guest = invite("Lan")
    page = guest.page
    guest.host(table.url, TEXAS, bots=1)
    guest.get_ready()
    guest.bet()
    guest.wait_phase("LOBBY")
    page.locator("nav .button").nth(2).click()
    page.locator("dialog li .button").first.click()
    step = page.locator("dialog #step")
    expect(step).to_be_visible(timeout=TIMEOUT)
    steps = int(step.get_attribute("max") or "0")
    assert steps >= 2
    seen = set()
    for at in range(steps):
        page.locator("dialog .steps .button").nth(1).click()
        expect(page.locator("dialog .steps .number")).to_have_text(f"{at + 1}/{steps}")
        seen.add(page.locator("dialog .event").inner_text())
    assert len(seen) >= 2


def test_avatar_is_chosen_seen_by_others_and_kept(table, invite) -> None:
    first, second = invite("An"), invite("Bình", way="KEYS")
    room = first.host(table.url, RULESET)
    second.join(table.url, room)
    first.page.locator("nav .button").nth(3).click()
    first.page.get_by_role("radio", name="trâu").check()
    face = second.page.locator('.plate[data-person="An"] .face')
    expect(face).to_have_text("🐃", timeout=TIMEOUT)
    second.press(second.page.locator("nav .button").nth(3))
    second.tab_to(second.page.get_by_role("radio", name="Chữ cái"))
    second.page.keyboard.press("ArrowRight")
    expect(first.page.locator('.plate[data-person="Bình"] .face')).to_have_text("🐭", timeout=TIMEOUT)
    first.page.reload()
    expect(first.page.locator('.plate[data-person="An"] .face')).to_have_text("🐃", timeout=TIMEOUT)


def test_scores_have_rounds_won_best_and_worst_of_the_session(table, invite) -> None:
    guest: Guest = invite("Lan")
    guest.host(table.url, TEXAS)
    nets = []
    for number in (1, 2):
        guest.get_ready()
        guest.bet()
        expect(guest.page.locator(f'.result[data-round="{number}"]')).to_be_visible(timeout=TIMEOUT)
        nets.append(guest.nets()["Lan"])
    guest.page.locator("nav .button").nth(1).click()
    cells = [one.inner_text() for one in guest.page.locator("dialog tbody td.number").all()]
    shown = [int(re.sub(r"[^\d-]", "", one.replace("\N{MINUS SIGN}", "-"))) for one in cells[:5]]
    assert shown == [2, sum(net > 0 for net in nets), max(nets), min(nets), sum(nets)]


def test_page_sends_nothing_to_anyone_else(table, invite) -> None:
    guest: Guest = invite("Lan")
    hosts: set[str] = set()
    guest.page.on("request", lambda one: hosts.add(re.sub(r"^\w+://([^/]+)/.*", r"\1", one.url)))
    guest.host(table.url, TEXAS)
    guest.get_ready()
    expect(guest.page.locator(".texas .buttons .button").first).to_be_visible(timeout=TIMEOUT)
    assert hosts == {re.sub(r"^\w+://([^/]+)/.*", r"\1", table.url)}
