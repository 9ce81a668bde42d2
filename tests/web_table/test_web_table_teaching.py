"""The page teaches: rules of every ruleset with cards, words, a guided first round, a proof in plain words."""

import re

import pytest
from playwright.sync_api import expect

from referee.rulesets import get
from tests.web_table.web_table_guest import TIMEOUT, Guest

pytestmark = pytest.mark.slow("drives a browser")

RULESET = "mau_binh.maubinh_com"
CODE = re.compile(r"\b[2-9TJQKA][SCDH]\b")


def test_tiles_say_and_show_how_rulesets_of_one_game_differ(table, invite) -> None:
    guest: Guest = invite("Lan")
    guest.enter(table.url)
    tiles = guest.page.locator('.tile[data-ruleset^="mau_binh"] small')
    expect(tiles.first).to_be_visible(timeout=TIMEOUT)
    sentences = [text.strip() for text in tiles.all_inner_texts()]
    assert len(set(sentences)) == len(sentences) >= 3
    assert all(len(text) > 20 for text in sentences)
    pictures = guest.page.locator(".tile .cards")
    drawn = pictures.evaluate_all("all => all.map(one => one.innerHTML)")
    assert len(set(drawn)) == len(drawn) >= 6


@pytest.mark.parametrize("ruleset", [RULESET, "tien_len.mien_nam", "ultimate_texas.casino"])
def test_rules_screen_shows_the_ruleset_with_cards_and_words(table, invite, ruleset: str) -> None:
    guest: Guest = invite("Lan")
    page = guest.page
    guest.enter(table.url)
    title = get(ruleset).title
    page.locator(".cell", has=page.locator(f'[data-ruleset="{ruleset}"]')).locator("button.help").click()
    dialog = page.locator("dialog")
    expect(dialog.locator("h2")).to_contain_text(title.vi, timeout=TIMEOUT)
    expect(dialog.locator("section").nth(2)).to_be_visible(timeout=TIMEOUT)
    assert dialog.locator('dd [role="img"]').count() >= 7
    text = dialog.inner_text()
    assert not CODE.search(text)
    wanted = {
        RULESET: ("Sập", "Binh lủng", "nhân 3|gấp 3", "39"),
        "tien_len.mien_nam": ("Chặt", "Thối", "Heo", "26"),
        "ultimate_texas.casino": ("500", "Trips", "Blind"),
    }[ruleset]
    for word in wanted:
        assert re.search(word, text, re.IGNORECASE), word


def test_question_mark_at_the_table_opens_the_rules_of_its_game(table, invite) -> None:
    guest: Guest = invite("Lan", language="en")
    guest.host(table.url, RULESET, bots=1)
    guest.page.locator(".tools button.help").click()
    expect(guest.page.locator("dialog h2")).to_contain_text("maubinh.com")
    expect(guest.page.locator('dialog [data-section="terms"]')).to_contain_text("Foul", timeout=TIMEOUT)


def test_first_round_is_guided_and_the_second_is_not(table, invite) -> None:
    guest: Guest = invite("Lan", is_guided=True)
    page = guest.page
    guest.host(table.url, RULESET, bots=1)
    number = guest.deal()
    guide = page.locator(".guide")
    expect(guide).to_contain_text("chi đầu")
    guide.get_by_role("button", name="Tiếp").click()
    expect(guide).to_contain_text("Gợi ý")
    guest.arrange()
    expect(page.locator(f'.result[data-round="{number}"]')).to_be_visible(timeout=2 * TIMEOUT)
    expect(guide).to_have_count(0)
    page.reload()
    guest.deal(after=number)
    expect(guide).to_have_count(0)


def test_one_word_for_one_hand_in_all_games(table, invite) -> None:
    guest: Guest = invite("Lan")
    page = guest.page
    guest.enter(table.url)
    texts = []
    for ruleset in ("mau_binh.classic", RULESET, "ultimate_texas.casino", "ultimate_texas.two_plus_three"):
        page.locator(".cell", has=page.locator(f'[data-ruleset="{ruleset}"]')).locator("button.help").click()
        expect(page.locator("dialog section").nth(2)).to_be_visible(timeout=TIMEOUT)
        texts.append(page.locator("dialog").inner_text())
        page.keyboard.press("Escape")
        expect(page.locator("dialog")).to_have_count(0)
    for text in texts:
        assert re.search(r"\bcù lũ\b", text, re.IGNORECASE)
        assert not re.search(r"\bcù lủ\b|\bđồng chất\b|\bhai đôi\b|\bchi [123]\b", text, re.IGNORECASE)


def test_proof_begins_with_three_sentences_and_keeps_its_checks_below(table, invite) -> None:
    guest: Guest = invite("Lan")
    page = guest.page
    guest.host(table.url, "ultimate_texas.casino")
    guest.get_ready()
    guest.bet()
    guest.end_verified()
    page.locator(".badge").click()
    dialog = page.locator("dialog")
    sentences = dialog.locator(".plain li")
    expect(sentences).to_have_count(3)
    assert not re.search("[A-Z]{4}|băm|hash|checkpoint|leaf", " ".join(sentences.all_inner_texts()))
    expect(dialog.locator("code").first).not_to_be_visible()
    dialog.locator("summary").click()
    expect(dialog.locator("code").first).to_be_visible()
    assert dialog.locator("li[data-outcome='PASSED']").count() > 15


def test_suggestion_in_text_mode_says_what_is_on_the_table_now(table, invite) -> None:
    guest: Guest = invite("Lan", way="TEXT")
    page = guest.page
    guest.host(table.url, RULESET, bots=1)
    guest.choose_text_mode()
    guest.deal()
    expect(page.locator("main.text li", has_text="Chi cuối:")).to_be_visible(timeout=TIMEOUT)
    before = page.locator("main.text section").first.inner_text()
    guest.type_command("gợi ý")
    answer = page.locator(".answers li").last
    expect(answer).to_contain_text("Chi đầu:", timeout=TIMEOUT)
    said = answer.inner_text()
    assert said not in before
    lines = page.locator("main.text section").first.locator("li", has_text=re.compile("^Chi (đầu|giữa|cuối):"))
    expect(lines).to_have_count(3)
    for line in lines.all_inner_texts():
        assert line in said
        assert line.count(",") == 1, "the line names the hand that its cards are"
