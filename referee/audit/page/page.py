"""The page: a report, the log it is of, and what was asked for, as the text of one HTML file.

The law: caps hold for whatever could grow with a log: tables, findings of a code, rounds, events. The findings that
weigh most come first, and the rounds shown are those asked for, else the first with findings, else the latest.

It refuses to know files, terminals and the time.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Final, Literal

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from referee.audit.finding import Code, Finding, Severity
from referee.audit.page import chart
from referee.audit.page.album import RoundKey, album_of, latest_rounds
from referee.audit.page.story import Story, story_of
from referee.audit.page.words import Phrase, Said, Words, load_words
from referee.audit.report import Report
from referee.audit.score import FAIL_RATE, NOTE_RATE, Kind, Measure, Score, Subject
from referee.audit.source import LogSource
from referee.audit.table import TableCounts
from referee.cards import DECK
from referee.rulesets import Catalogue

MAX_TABLES: Final = 100
"""Tables that are listed."""
MAX_PLACES: Final = 12
"""Findings of one code that are listed with their places."""
MAX_STORIES: Final = 6
"""Rounds that are shown where none were asked for."""
LATEST: Final = 2
"""Rounds that are shown where nothing is wrong with any."""
MAX_CHOSEN: Final = 20
"""Rounds that may be asked for."""

RANKS: Final = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
"""How ranks are written on cards, from the lowest number."""
SUITS: Final = "♠♣♦♥"

MAX_SCORES: Final = 4
"""Answers of each measure that are shown."""

Language = Literal["vi", "en", "both"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked of a page: languages, rounds to show, and what is shown so that others can do it again.

    ``command`` is the line that does the audit again; the keys are those that the audit rested on.
    """

    language: Language = "both"
    rounds: tuple[RoundKey, ...] = ()
    log_key: str = ""
    root_key: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fault:
    """All findings of one code and number: the words, the first of them, and how many there are."""

    code: Code
    number: int
    severity: Severity
    said: Said
    shown: tuple[Finding, ...]
    count: int

    @property
    def left_out(self) -> int:
        return self.count - len(self.shown)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """A score as a line of a table; ``verdict`` is ``fail``, ``note`` or ``quiet``."""

    score: Score
    what: Phrase
    where: Phrase | None
    verdict: str


def render_page(report: Report, source: LogSource, *, catalogue: Catalogue, asked: Asked) -> str:
    """The page for a report of the log in ``source``, with rounds named by the rulesets of the catalogue."""
    words = load_words()
    keys, why = _rounds_to_show(report, asked)
    album = album_of(source, report.size, keys) if keys else latest_rounds(source, report.size, count=LATEST)
    told = [(story, _of_round(report, story)) for leaves in album.values() if (story := story_of(leaves, catalogue))]
    with_findings = len(_faulty_rounds(report))
    statistics = report.statistics
    shown_tables = _tables_to_show(report)
    return _template().render(
        words=words.page,
        word=words.of,
        language=asked.language,
        report=report,
        asked=asked,
        failures=report.count(Severity.FAIL),
        notes=report.count(Severity.NOTE),
        faults=_faults(report, words),
        tables=shown_tables,
        tables_left_out=len(report.tables) - len(shown_tables),
        kinds=[(kind, words.of("kind", kind), _rows(report, kind, words)) for kind in Kind],
        histogram=chart.histogram(statistics.places, decks=statistics.decks) if statistics.places else None,
        shades=chart.shades(statistics.places, decks=statistics.decks) if statistics.places else (),
        dots=chart.dots(statistics.scores, Measure.ABORTED_POINTS, Measure.ABORTED_AHEAD),
        reach=chart.MAX_DEVIATION,
        row_of=lambda score: _row(score, words),
        stories=told,
        stories_why=words.page[f"stories_{why}" if told else "stories_none"],
        stories_left_out=max(0, with_findings - len(told)) if why == "worst" else 0,
        deck=DECK,
        ranks=RANKS,
        suits=SUITS,
        severity=Severity,
    )


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("referee.audit.page", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"spaced": _spaced, "moment": _moment, "after": _after, "chance": _chance}
    return environment.get_template("page.html.j2")


def _faulty_rounds(report: Report) -> list[RoundKey]:
    """The rounds that have findings, those that failed first, in the order of the findings."""
    keys = [(one.table_id, one.round_number) for one in report.findings]
    return list(dict.fromkeys([(table, number) for table, number in keys if table is not None and number is not None]))


def _rounds_to_show(report: Report, asked: Asked) -> tuple[list[RoundKey], str]:
    """The rounds to show, and the reason by the name of its words."""
    if asked.rounds:
        return list(dict.fromkeys(asked.rounds))[:MAX_CHOSEN], "chosen"
    faulty = _faulty_rounds(report)[:MAX_STORIES]
    return faulty, "worst" if faulty else "latest"


def _of_round(report: Report, story: Story) -> tuple[Finding, ...]:
    key = story.table_id, story.round_number
    return tuple([one for one in report.findings if (one.table_id, one.round_number) == key][:MAX_PLACES])


def _faults(report: Report, words: Words) -> list[_Fault]:
    """Findings by code and number, failures first; what is counted and not listed is counted with its code."""
    listed: dict[tuple[Code, int], list[Finding]] = {}
    for finding in report.findings:
        listed.setdefault((finding.code, finding.number), []).append(finding)
    unlisted = dict(report.finding_counts)
    for (code, _), found in listed.items():
        unlisted[code] -= len(found)
    faults = []
    for (code, number), found in listed.items():
        more = unlisted.pop(code, 0)
        faults.append(
            _Fault(
                code=code,
                number=number,
                severity=code.severity,
                said=words.finding(code),
                shown=tuple(found[:MAX_PLACES]),
                count=len(found) + more,
            )
        )
    return sorted(faults, key=lambda fault: (fault.severity is Severity.NOTE, fault.number))


def _tables_to_show(report: Report) -> Mapping[str, TableCounts]:
    """Tables with findings first, then those that played most, as many as fit; by name among these."""
    faulty = {one.table_id for one in report.findings}
    ranked = sorted(report.tables, key=lambda name: (name not in faulty, -report.tables[name].opened, name))
    return {name: report.tables[name] for name in sorted(ranked[:MAX_TABLES])}


def _rows(report: Report, kind: Kind, words: Words) -> Sequence[_Row]:
    """The least likely answers of a kind, a few of each measure."""
    seen: Counter[Measure] = Counter()
    rows = []
    for score in report.statistics.scores:
        seen[score.subject.measure] += score.kind is kind
        if score.kind is kind and seen[score.subject.measure] <= MAX_SCORES:
            rows.append(_row(score, words))
    return rows


def _row(score: Score, words: Words) -> _Row:
    subject = score.subject
    said = words.of("measure", subject.measure)
    card = "" if subject.card is None else _card_name(subject.card)
    place = "" if subject.place is None else str(subject.place + 1)
    verdict = "quiet"
    if score.log10_anywhere <= math.log10(FAIL_RATE):
        verdict = "note" if score.code.severity is Severity.NOTE else "fail"
    elif score.log10_anywhere <= math.log10(NOTE_RATE) and score.code.severity is Severity.FAIL:
        verdict = "note"
    return _Row(
        score=score,
        what=Phrase(vi=said.vi.format(card=card, place=place), en=said.en.format(card=card, place=place)),
        where=_where(subject, words),
        verdict=verdict,
    )


def _where(subject: Subject, words: Words) -> Phrase | None:
    if subject.game is None:
        return None
    game = words.of("game", subject.game)
    page = words.page
    table = page["all_tables"] if subject.table_id is None else None
    return Phrase(
        vi=f"{table.vi if table else subject.table_id} · {game.vi} · {page['seat'].vi} {subject.seat}",
        en=f"{table.en if table else subject.table_id} · {game.en} · {page['seat'].en} {subject.seat}",
    )


def _card_name(number: int) -> str:
    """A card as rank and suit sign."""
    card = DECK[number - 1]
    return f"{RANKS[card.rank]}{SUITS[card.suit]}"


def _spaced(number: float) -> str:
    """A number with narrow spaces between thousands, which both languages read."""
    return f"{number:,}".replace(",", "\u202f").replace("-", "\N{MINUS SIGN}")


def _moment(time: int) -> str:
    """A time in ms since 1970 as UTC; the number itself beyond the calendar's end."""
    try:
        return datetime.fromtimestamp(time / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, OSError, ValueError):
        return f"{time} ms"


def _after(milliseconds: int) -> str:
    """A time after the deal, in seconds."""
    return f"+{milliseconds / 1000:,.1f} s".replace(",", "\u202f")


def _chance(log10: float) -> str:
    """The exponent of a chance that it stays below."""
    return f"\N{MINUS SIGN}{int(-log10)}"
