"""The page: a report and its log as the text of one HTML file.

Everything that could grow with a log is capped: tables, findings of a code, rounds, events. Findings are sorted by
cause. The page shows the rounds that were chosen, else the first with findings, else the latest.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from referee.audit.page import chart
from referee.audit.page.faults import MAX_PLACES, faults_by_cause
from referee.audit.page.played import money_by_currency, played_rulesets
from referee.audit.page.rendering import RANKS, SUITS, Language, render
from referee.audit.page.story import RoundKey, Story, story_of
from referee.audit.page.words import Words, load_words
from referee.audit.report import Report, TableCounts
from referee.audit.source import LogSource
from referee.cards import DECK
from referee.dealing.leaf import OPEN_TYPE, REVEAL_TYPE
from referee.evidence.dsse import Envelope, EnvelopeError
from referee.evidence.outside import OutsideError, read_json
from referee.evidence.printable import printable
from referee.finding import Finding, Phrase, Severity
from referee.games import GAMES
from referee.rulesets import Catalogue
from referee.suspicion.owners import YOUNG, Owner
from referee.suspicion.report import CountedReport
from referee.suspicion.score import FAIL_RATE, NOTE_RATE, Measure, QuestionKind, Score, Subject

MAX_TABLES: Final = 100
"""Most tables listed."""
MAX_STORIES: Final = 6
"""Most rounds with findings shown, if no rounds were chosen."""
LATEST: Final = 2
"""Rounds shown if none has a finding."""
MAX_CHOSEN: Final = 20
"""Most rounds that may be chosen."""

DECKS_FOR_PICTURE: Final = 520
"""Fewest decks for which the chart of cards by place is drawn; each card is then expected ten times at each place."""
MAX_SCORES: Final = 4
"""Most scores of each measure shown."""

TAIL: Final = 400
"""Leaves at a log's end among which the latest rounds are searched."""

Album = dict[RoundKey, list[tuple[int, bytes]]]
"""Leaves with their indexes, in order, by round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageOptions:
    """Options of a page: languages, rounds to show, the auditor, the trusted keys and witnesses, and the command line.

    ``command`` is the command line that repeats the audit. ``keys_from`` says where the two keys are from.
    ``witnesses`` are verifier keys, of which ``quorum`` must have cosigned.
    """

    language: Language = "both"
    rounds: tuple[RoundKey, ...] = ()
    log_key: str = ""
    root_key: str = ""
    keys_from: str = ""
    witnesses: tuple[str, ...] = ()
    quorum: int = 0
    auditor: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """A score as a row of a table; ``verdict`` is ``fail``, ``note`` or ``quiet``."""

    score: Score
    what: Phrase
    where: Phrase | None
    verdict: str


def render_page(report: CountedReport, source: LogSource, *, catalogue: Catalogue, options: PageOptions) -> str:
    """Render the page for a report of the log in ``source``; rulesets of the catalogue name the games."""
    words = load_words()
    keys, why = _rounds_to_show(report, options)
    album = leaves_of_rounds(source, report.size, keys) if keys else latest_rounds(source, report.size, count=LATEST)
    stories = [(story, _of_round(report, story)) for leaves in album.values() if (story := story_of(leaves, catalogue))]
    with_findings = len(_faulty_rounds(report))
    statistics = report.statistics
    shown_tables = _tables_to_show(report)
    places = statistics.places if statistics.decks >= DECKS_FOR_PICTURE else ()
    return render(
        "page.html.j2",
        options.language,
        report=report,
        asked=options,
        failures=report.count(Severity.FAIL),
        notes=report.count(Severity.NOTE),
        causes=faults_by_cause(report),
        rulesets=played_rulesets(report.money, catalogue),
        currencies=money_by_currency(report.money, catalogue),
        glossary=words.glossary,
        tables=shown_tables,
        tables_left_out=len(report.tables) - len(shown_tables),
        kinds=[(kind, words.of("kind", kind), _rows(report, kind, words)) for kind in QuestionKind],
        histogram=chart.histogram(places, decks=statistics.decks) if places else None,
        shades=chart.shades(places, decks=statistics.decks) if places else (),
        chance_verdict=_verdict_on(statistics.scores),
        dots=chart.dots(statistics.scores, Measure.CHOSEN_DECKS),
        answered=None if report.answered is None else chart.Growth.of(report.answered),
        reach=chart.MAX_DEVIATION,
        row_of=lambda score: _row(score, words),
        stories=stories,
        stories_why=words.page[f"stories_{why}" if stories else "stories_none"],
        stories_left_out=max(0, with_findings - len(stories)) if why == "worst" else 0,
    )


def _faulty_rounds(report: Report) -> list[RoundKey]:
    """Return the rounds that have findings, in the order of the findings."""
    keys = [(one.table_id, one.round_number) for one in report.findings]
    return list(dict.fromkeys([(table, number) for table, number in keys if table is not None and number is not None]))


def _rounds_to_show(report: Report, options: PageOptions) -> tuple[list[RoundKey], str]:
    """Return the rounds to show, and the reason as a part of a text's name: chosen, worst or latest."""
    if options.rounds:
        return list(dict.fromkeys(options.rounds))[:MAX_CHOSEN], "chosen"
    faulty = _faulty_rounds(report)[:MAX_STORIES]
    return faulty, "worst" if faulty else "latest"


def _of_round(report: Report, story: Story) -> tuple[Finding, ...]:
    key = story.table_id, story.round_number
    return tuple([one for one in report.findings if (one.table_id, one.round_number) == key][:MAX_PLACES])


def _tables_to_show(report: CountedReport) -> Mapping[str, TableCounts]:
    """Return at most ``MAX_TABLES`` tables by name: those with findings, then those with the most rounds."""
    faulty = {one.table_id for one in report.findings}
    ranked = sorted(report.tables, key=lambda name: (name not in faulty, -report.tables[name].opened, name))
    return {name: report.tables[name] for name in sorted(ranked[:MAX_TABLES])}


def _rows(report: CountedReport, kind: QuestionKind, words: Words) -> Sequence[_Row]:
    """Return rows for the least likely scores of a kind, at most ``MAX_SCORES`` of each measure."""
    seen: Counter[Measure] = Counter()
    rows = []
    for score in report.statistics.scores:
        seen[score.subject.measure] += score.kind is kind
        if score.kind is kind and seen[score.subject.measure] <= MAX_SCORES:
            rows.append(_row(score, words))
    return rows


def _row(score: Score, words: Words) -> _Row:
    subject = score.subject
    text = words.of("measure", subject.measure)
    shown = {
        "card": "" if subject.card is None else _card_name(subject.card),
        "place": "" if subject.place is None else str(subject.place + 1),
        "game": "" if subject.game is None else _game_name(subject.game),
    }
    verdict = "quiet"
    if score.log10_anywhere <= math.log10(FAIL_RATE):
        verdict = "note" if score.code.severity is Severity.NOTE else "fail"
    elif score.log10_anywhere <= math.log10(NOTE_RATE) and score.code.severity is Severity.FAIL:
        verdict = "note"
    return _Row(
        score=score,
        what=Phrase(vi=text.vi.format(**shown), en=text.en.format(**shown)),
        where=_where(subject, words),
        verdict=verdict,
    )


def _game_name(game: str) -> str:
    return GAMES[game].title if game in GAMES else printable(game)


def _owner_name(owner: Owner, words: Words) -> Phrase:
    page = words.page
    if owner.key is not None:
        return Phrase(vi=f"{page['key'].vi} {owner.key}", en=f"{page['key'].en} {owner.key}")
    if owner.seat is None:
        young = page["young_keys"]
        return Phrase(vi=young.vi.format(rounds=YOUNG), en=young.en.format(rounds=YOUNG))
    own_table = printable(owner.table_id or "")
    table = Phrase(vi=own_table, en=own_table) if owner.table_id is not None else page["all_tables"]
    return Phrase(vi=f"{table.vi} · {page['seat'].vi} {owner.seat}", en=f"{table.en} · {page['seat'].en} {owner.seat}")


def _where(subject: Subject, words: Words) -> Phrase | None:
    page = words.page
    if subject.owner is not None:
        return _owner_name(subject.owner, words)
    if subject.game is None:
        return None
    game = _game_name(subject.game)
    table = page["all_tables"] if subject.table_id is None else None
    own_table = printable(subject.table_id or "")
    return Phrase(
        vi=f"{table.vi if table else own_table} · {game} · {page['seat'].vi} {subject.seat}",
        en=f"{table.en if table else own_table} · {game} · {page['seat'].en} {subject.seat}",
    )


def _card_name(number: int) -> str:
    """Write a card as rank and suit sign."""
    card = DECK[number - 1]
    return f"{RANKS[card.rank]}{SUITS[card.suit]}"


def _verdict_on(scores: Sequence[Score]) -> str:
    """Return the name of the text that says whether chance explains all scores."""
    least = min((score.log10_anywhere for score in scores), default=0.0)
    if least > math.log10(NOTE_RATE):
        return "chance_ordinary"
    return "chance_rare" if least > math.log10(FAIL_RATE) else "chance_unexplained"


class _Slot(msgspec.Struct, frozen=True):
    table_id: str
    round_number: int


class _Named(msgspec.Struct, frozen=True):
    """Members of a leaf's payload that name its round: the id, and in an OPEN the table and number."""

    round_id: str
    header: _Slot | None = None


def leaves_of_rounds(source: LogSource, size: int, wanted: Collection[RoundKey]) -> Album:
    """Find the leaves of rounds in one pass over the log, in the order of ``wanted``; leave out missing rounds."""
    found = _by_round(enumerate(source.leaves(0, size)), wanted) if wanted else {}
    return {key: found[key] for key in wanted if key in found}


def latest_rounds(source: LogSource, size: int, *, count: int) -> Album:
    """Find the latest ``count`` rounds that were opened and revealed within the last ``TAIL`` leaves, newest first."""
    start = max(0, size - TAIL)
    found = _by_round(enumerate(source.leaves(start, size), start))
    revealed = [
        (index, key) for key, leaves in found.items() for index, data in leaves if _named(data)[0] == REVEAL_TYPE
    ]
    return {key: found[key] for _, key in sorted(revealed, reverse=True)[:count]}


def _by_round(leaves: Iterable[tuple[int, bytes]], wanted: Collection[RoundKey] | None = None) -> Album:
    """Group leaves by the round whose OPEN is among them; leave out all others, and rounds that are not wanted."""
    album: Album = {}
    rounds: dict[str, RoundKey] = {}
    for index, data in leaves:
        kind, named = _named(data)
        if named is None:
            continue
        if kind == OPEN_TYPE and named.header is not None:
            key = named.header.table_id, named.header.round_number
            if wanted is None or key in wanted:
                rounds[named.round_id] = key
        if named.round_id in rounds:
            album.setdefault(rounds[named.round_id], []).append((index, data))
    return album


def _named(data: bytes) -> tuple[str, _Named | None]:
    """Return a leaf's type and the round that it names; an empty type and None if its bytes cannot be read."""
    try:
        envelope = Envelope.parse(data)
        return envelope.payload_type, read_json(envelope.payload, _Named)
    except (EnvelopeError, OutsideError):
        return "", None
