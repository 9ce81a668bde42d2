"""The report's page: whole, bounded, escaped, in both languages, whatever the log is."""

import itertools
import json
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

from referee.audit import Code
from referee.audit.explanation import explain
from referee.audit.page.chart import Histogram, histogram, shades
from referee.audit.page.faults import MAX_PLACES
from referee.audit.page.page import (
    MAX_STORIES,
    MAX_TABLES,
    PageOptions,
    latest_rounds,
    leaves_of_rounds,
    render_page,
)
from referee.audit.page.rendering import SCRIPT, SCRIPT_HASH
from referee.audit.page.story import story_of
from referee.audit.page.words import load_words
from referee.audit.report import TableCounts
from referee.cli.main import app
from referee.finding import Finding
from referee.rulesets import load_builtin
from referee.suspicion.chance import CARDS
from referee.suspicion.owners import Owners
from referee.suspicion.population import LogCounts, RoundSample
from referee.suspicion.questions import questions
from referee.suspicion.report import CountedReport
from referee.suspicion.score import judge
from referee.transcript.inputs import MEDIA_TYPE
from referee.transcript.round import write_transcript
from tests.audit.audit_attack import WORD, Attacked, begun, ended
from tests.audit.audit_builder import (
    LOG,
    ORIGIN,
    REFEREE,
    ROOT,
    Auditor,
    LogBuilder,
    Table,
    abort,
    healthy_tables,
    sign,
)
from tests.audit.audit_mutations import MUTATIONS
from tests.audit.audit_tiles import publish, served

VOID = {"meta", "input", "br"}
HOSTILE = "<script>alert('&\"')</script>"


class Reader(HTMLParser):
    """Tags must nest; what is loaded, linked and shown is kept."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.references: set[str] = set()
        self.ids: Counter[str] = Counter()
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Handle the begin of a tag."""
        self.tags[tag] += 1
        for name, value in attrs:
            if name in {"href", "src", "action", "data", "srcset", "xlink:href"}:
                self.references.add(value or "")
            if name == "id":
                self.ids[value or ""] += 1
            assert not name.startswith("on"), name
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Handle a tag without content."""
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        """Handle the end of the innermost open tag."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Text between tags."""
        self.text.append(data)


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


def page_of(attacked: Attacked, audit: Auditor, **asked: Any) -> str:  # noqa: ANN401 - what a page is asked
    report = audit(
        attacked.bundle,
        now=attacked.now,
        as_of=attacked.as_of,
        documents=attacked.documents,
        witnessed=attacked.witnessed,
    )
    return render_page(report, attacked.bundle, catalogue=load_builtin(), options=PageOptions(**asked))


def played() -> LogBuilder:
    log = LogBuilder.founded()
    for table in healthy_tables([ruleset.id for ruleset in load_builtin()], seats=(3,)):
        log.play(table)
        log.play(table)
    return log


@pytest.mark.parametrize("name", [one.id for one in MUTATIONS])
def test_page_of_every_attack_is_whole_and_names_what_was_found(name: str, audit: Auditor):
    mutation = next(one for one in MUTATIONS if one.id == name)
    html = page_of(mutation.attack(), audit)
    reader = read(html)
    assert mutation.code.value in "".join(reader.text)
    assert explain(mutation.code).meaning.vi in "".join(reader.text)


def test_page_loads_nothing_from_anywhere(audit: Auditor):
    """No style sheet, picture, font or link but to places within it; the one script picks the reader's language."""
    reader = read(page_of(ended(played()), audit))
    assert all(reference.startswith("#") for reference in reader.references)
    assert {reference[1:] for reference in reader.references} <= set(reader.ids)
    assert not {"link", "img", "iframe", "object", "embed", "base", "form"} & set(reader.tags)
    html = page_of(ended(played()), audit)
    assert "default-src 'none'" in html
    assert re.findall(r"<script.*?</script>", html) == [f"<script>{SCRIPT}</script>"]
    assert f"script-src '{SCRIPT_HASH}'" in html
    assert not re.search(r"@import|url\(|@font-face", html)
    assert max(reader.ids.values()) == 1


def test_everything_that_comes_from_a_log_is_escaped(audit: Auditor):
    """A referee that signs markup into reasons, codes and results, and an operator that does so into hostile notes."""
    log, parts = begun(WORD)
    found = msgspec.json.decode(parts.transcript)["results"]
    found["transfers"] = [{"amount": 1, "from": 0, "reason": HOSTILE, "subject": HOSTILE, "to": 1}]
    found["seats"][0]["instant_win"] = HOSTILE
    found["seats"][0]["hands"] = [HOSTILE] * 3
    parts.transcript = write_transcript(parts.header, parts.inputs, found)
    log.append(parts)
    report = audit(log.bundle())
    report.checkpoint += HOSTILE
    report.origin += HOSTILE
    report.findings += (Finding.of(Code.WRONG_RESULT, HOSTILE, slot=(HOSTILE, 1)),)
    report.tables[HOSTILE] = TableCounts(opened=1, aborted_before_deal={HOSTILE: 1})
    asked = PageOptions(log_key=HOSTILE, root_key=HOSTILE, command=HOSTILE)
    html = render_page(report, log.bundle(), catalogue=load_builtin(), options=asked)
    assert html.count("<script") == 1
    assert f"<script>{SCRIPT}</script>" in html
    assert "".join(read(html).text).count(HOSTILE) > 10


def test_page_of_a_large_log_is_bounded_and_says_what_is_left_out(audit: Auditor):
    """3,000 tables, 1,000 listed findings of 250,000 with every code: under 1.5 MB."""
    bundle = played().bundle()
    report = audit(bundle)
    report.tables = {f"table-{number}": TableCounts(opened=number) for number in range(3_000)}
    report.findings = tuple(
        Finding.of(code, "x" * 600, leaf_index=number, slot=(f"table-{number}", number))
        for number, code in zip(range(1_000), itertools.cycle(list(Code)), strict=False)
    )
    report.finding_counts = dict.fromkeys(Code, 250_000 // len(Code))
    html = render_page(report, bundle, catalogue=load_builtin(), options=PageOptions())
    text = "".join(read(html).text)
    assert len(html.encode()) < 1_500_000
    assert f"{3_000 - MAX_TABLES:,}".replace(",", "\u202f") in text
    assert text.count("table-") <= MAX_TABLES + MAX_PLACES * len(Code) + 3 * MAX_STORIES
    assert load_words().page["more_places"].vi in text
    assert load_words().page["stories_none"].vi in text


def test_each_language_is_complete_and_both_have_a_switch(audit: Auditor):
    attacked = next(one for one in MUTATIONS if one.id == "transfer_added").attack()
    pages = [page_of(attacked, audit, language=one) for one in ("vi", "en", "both")]
    vietnamese, english, both = ["".join(read(page).text) for page in pages]
    words = load_words().page
    for phrase in (words["title"], words["broken"], words["stories_worst"], words["rerun_intro"]):
        assert phrase.vi in vietnamese
        assert phrase.en not in vietnamese
        assert phrase.en in english
        assert phrase.vi not in english
        assert phrase.vi in both
        assert phrase.en in both
    assert [read(page).tags["input"] for page in pages] == [0, 0, 2]
    assert [re.findall('<html lang="(..)">', page) for page in pages] == [["vi"], ["en"], ["vi"]]


def test_every_code_and_every_phrase_has_words_in_both_languages():
    words = load_words()
    for code in Code:
        texts = explain(code)
        assert texts.meaning.vi != texts.meaning.en, code
        assert texts.remedy.vi != texts.remedy.en, code
        for text in (texts.meaning.vi, texts.remedy.vi, texts.meaning.en, texts.remedy.en):
            assert text[0].isupper(), text
            assert text.endswith("."), text
    assert len({explain(code).meaning.en for code in Code}) == len(Code)
    assert all(phrase.vi and phrase.en for phrase in words.page.values())


def test_every_phrase_of_the_page_is_used():
    """And none is missing: the template refuses a name that has no words."""
    room = Path(__file__).parents[2] / "referee" / "audit" / "page"
    used = "".join([(room / name).read_text("utf-8") for name in ("page.html.j2", "macros.html.j2", "page.py")])
    names = set(load_words().page)
    unused = {name for name in names if not re.search(rf"words\.{name}\b|page\[\"{name}\"\]", used)}
    dynamic = {name for name in names if name.startswith(("verdict_", "stories_", "chance_"))}
    assert unused - dynamic == set()


def test_rounds_shown_are_those_asked_for_else_the_worst_else_the_latest(audit: Auditor):
    log = played()
    text = "".join(read(page_of(ended(log), audit)).text)
    assert load_words().page["stories_latest"].vi in text
    chosen = page_of(ended(log), audit, rounds=(("mau_binh.classic.3", 2), ("nowhere", 1)))
    text = "".join(read(chosen).text)
    assert load_words().page["stories_chosen"].vi in text
    assert len(re.findall(r'<article class="story">', chosen)) == 1
    attacked = next(one for one in MUTATIONS if one.id == "two_cards_swapped").attack()
    assert load_words().page["stories_worst"].vi in page_of(attacked, audit)


@pytest.mark.parametrize("ruleset_id", [ruleset.id for ruleset in load_builtin()])
def test_story_shows_the_round_as_its_transcript_does(ruleset_id: str):
    log = LogBuilder.founded()
    parts = log.play(Table(name="felt", ruleset_id=ruleset_id, seats=3))
    bundle = log.bundle()
    album = leaves_of_rounds(bundle, len(bundle.entries), [("felt", 1)])
    story = story_of(album["felt", 1], load_builtin())
    found = json.loads(parts.transcript)["results"]
    assert story is not None
    assert [seat.hand for seat in story.seats] == [tuple(section) for section in parts.inputs.sections[:3]]
    assert [seat.net for seat in story.seats] == [seat["net"] for seat in found["seats"]]
    assert [paid.amount for paid in story.paid] == [one["amount"] for one in found["transfers"]]
    assert len(story.events) == len(parts.inputs.events)
    openings = ["UNSEAL"] * len(parts.unseals)
    assert [step.kind for step in story.steps] == ["OPEN", "DEAL", *openings, "SETTLE", "REVEAL"]
    opened = [section for event in story.events for section in event.opens]
    assert sorted(opened) == sorted(section for leaf in parts.unseals for section in leaf.sections)
    for paid, one in zip(story.paid, found["transfers"], strict=True):
        named = [table[one["reason"]].vi for table in parts.table.ruleset.names.values() if one["reason"] in table]
        assert paid.reason.vi in named
    assert story.title.vi == parts.table.ruleset.title.vi
    assert bool(story.board) == ruleset_id.startswith("ultimate_texas")


def test_hands_of_an_aborted_round_are_dealt_again():
    log = LogBuilder.founded()
    parts = log.lay_out(Table(name="felt", ruleset_id="tien_len.mien_nam", seats=2))
    abort(parts, stage="DEALT", reason="DEADLINE")
    log.append(parts)
    bundle = log.bundle()
    (leaves,) = latest_rounds(bundle, len(bundle.entries), count=1).values()
    story = story_of(leaves, load_builtin())
    assert story is not None
    hands = [tuple(card.number for card in section) for section in parts.deal.sections[:2]]
    assert [seat.hand for seat in story.seats] == hands
    assert (story.is_settled, story.paid, story.steps[2].reason) == (False, (), "DEADLINE")


def test_spoilt_leaves_of_a_round_are_shown_as_such():
    log = LogBuilder.founded()
    parts = log.prepare(Table(name="felt", ruleset_id="mau_binh.classic", seats=2))
    spoilt = sign(MEDIA_TYPE, parts.transcript.replace(b'"format":1', b'"format":9'), REFEREE)
    story = story_of([(0, parts.open_leaf), (1, b"nothing"), (2, spoilt)], load_builtin())
    assert story is not None
    assert [step.kind for step in story.steps] == ["OPEN", "?", "?"]
    assert story_of([(1, parts.deal_leaf)], load_builtin()) is None


def test_latest_rounds_are_those_revealed_last():
    log = played()
    bundle = log.bundle()
    latest = latest_rounds(bundle, len(bundle.entries), count=2)
    assert [number for _, number in latest] == [2, 1]
    tail = [leaf for leaves in reversed(latest.values()) for _, leaf in leaves]
    assert tail == list(bundle.entries[-len(tail) :])
    assert [b"referee.open." in leaves[0][1] for leaves in latest.values()] == [True, True]
    for (table, number), leaves in latest.items():
        assert leaves_of_rounds(bundle, len(bundle.entries), [(table, number)]) == {(table, number): leaves}


def table_of(*, count: int, decks: int) -> list[list[int]]:
    """Make a table of cells as even as possible, but for one of so many."""
    places = [[decks // CARDS] * CARDS for _ in range(CARDS)]
    places[3][7] = count
    return places


@pytest.mark.parametrize("decks", [60, 5_200, 520_000])
def test_bounds_of_the_histogram_are_where_the_audit_finds_a_cell(decks: int):
    """A cell at the bound is found, and one a step towards the mean is not."""
    chart = histogram(table_of(count=decks // CARDS, decks=decks), decks=decks)

    def is_found(count: int) -> bool:
        population = LogCounts()
        population.decks = decks
        for row, cells in zip(population.cells, table_of(count=count, decks=decks), strict=True):
            row[1:] = cells
        asked = list(questions(population, Owners(), {}, repeated=()))
        kinds = [one for one in asked if one.subject.card is not None]
        other = [one for one in asked if one.subject.kind == kinds[0].subject.kind]
        return any(
            one.code is Code.CARDS_BY_PLACE_UNEVEN and "chi-square" not in one.detail for one in judge(other).suspicions
        )

    assert is_found(chart.high)
    assert not is_found(chart.high - 1)
    if chart.low is not None:
        assert is_found(chart.low)
        assert not is_found(chart.low + 1)


@pytest.mark.parametrize("decks", [1, 2, 52, 1_000, 100_000])
def test_histogram_holds_every_cell_and_the_whole_distribution(decks: int):
    drawn = LogCounts()
    for number in range(min(decks, 60)):
        deck = bytes([1 + (card + number) % CARDS for card in range(CARDS)])
        drawn.add(RoundSample(table_id="felt", game="tien_len", seat_count=2, leaf_index=0, deck=deck))
    places = [row[1:] for row in drawn.cells]
    chart = histogram(places, decks=decks)
    assert isinstance(chart, Histogram)
    assert sum(bar.cells for bar in chart.bars) == CARDS * CARDS
    assert abs(sum(bar.expected for bar in chart.bars) - CARDS * CARDS) < 1
    assert all(one.last + 1 == other.first for one, other in itertools.pairwise(chart.bars))
    assert chart.start <= (chart.low or 0) <= chart.mean <= chart.high < chart.stop
    assert sum(path.count("M") for path in shades(places, decks=decks)) == CARDS * CARDS


def test_command_writes_the_page_in_a_language_with_the_rounds_asked_for(tmp_path: Path):
    log = played()
    publish(served(log), tmp_path / "log")
    page, keys = tmp_path / "page.html", ("--log-key", LOG.text, "--root-key", ROOT.text)
    asked = ("--html", str(page), "--language", "en", "--round", "tien_len.mien_nam.3:1")
    result = CliRunner().invoke(app, ["audit", str(tmp_path / "log"), *keys, *asked])
    assert result.exit_code == 0, result.output
    html = page.read_text(encoding="utf-8")
    text = "".join(read(html).text)
    assert load_words().page["stories_chosen"].en in text
    assert f"--root-key {ROOT.text}" in text
    assert ORIGIN in text
    wrong = CliRunner().invoke(app, ["audit", str(tmp_path / "log"), *keys, "--html", str(page), "--round", "felt"])
    assert (wrong.exit_code, "give a table" in wrong.output) == (2, True)
    nowhere = CliRunner().invoke(app, ["audit", str(tmp_path / "log"), *keys, "--html", str(tmp_path / "no" / "page")])
    assert (nowhere.exit_code, "cannot be written" in nowhere.output) == (2, True)


def test_page_of_a_log_that_cannot_be_read_is_whole(audit: Auditor):
    """Without a checkpoint that holds there is nothing but that to say."""
    bundle = replace(played().bundle(), checkpoint=b"nothing")
    report = audit(bundle)
    html = render_page(report, bundle, catalogue=load_builtin(), options=PageOptions())
    assert Code.CHECKPOINT_REFUSED.value in "".join(read(html).text)
    assert msgspec.json.decode(msgspec.json.encode(report), type=CountedReport) == report
