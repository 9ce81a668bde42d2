"""An answer as lines of plain text in one language, in the order of its readers: player, support desk, arbiter."""

from collections.abc import Callable, Iterator
from typing import Literal

from referee.audit.dispute.dispute import Dispute, Suspect, Verdict
from referee.audit.dispute.words import dispute_words
from referee.audit.explanation import explain
from referee.audit.page.text import finding_lines
from referee.evidence.printable import printable
from referee.finding import Code, Phrase

Say = Callable[[Phrase], str]
"""Function that returns a phrase in the language of the lines."""


def dispute_lines(dispute: Dispute, language: Literal["vi", "en"] = "en") -> Iterator[str]:
    """Yield the lines of an answer; details of findings are in English in both languages."""
    words = dispute_words()

    def say(phrase: Phrase) -> str:
        return phrase.vi if language == "vi" else phrase.en

    if dispute.round is not None:
        one = dispute.round
        levels = [level.value for level in (one.dealing_level, one.event_level) if level is not None]
        yield (
            f"{printable(one.table_id)} {one.round_number}: {say(words.stage[one.stage])}, "
            f"{printable(one.ruleset_id)} {printable(one.ruleset_version)}, {', '.join(levels) or '-'}"
        )
    yield f"{'✓' if dispute.is_sound else '✗'} {say(words.verdict[dispute.verdict])}"
    yield from (f"  {say(advice)}" for advice in advice_on(dispute))
    limits = [f"- {say(limit.text)} {say(limit.why)}" for limit in dispute.unprovable]
    asks = [f"- {say(ask)}" for ask in dispute.asks]
    sections = {
        "handed_in": [*_exhibits(dispute, say)] or [say(words.page["nothing_held"])],
        "contradicts": [*_findings(dispute, say)] or [say(words.page["nothing_contradicts"])],
        "who": [line for suspect in dispute.suspects for line in _suspect(suspect, say)] or [say(nobody(dispute))],
        "cannot": limits,
        "ask_for": asks or [say(words.page["nothing_to_ask"])],
    }
    for name, lines in sections.items():
        yield f"{say(words.page[name])}:"
        yield from (f"  {line}" for line in lines)


def advice_on(dispute: Dispute) -> tuple[Phrase, ...]:
    """Return the remedies of the failures, without repeats; without failures, the advice of the verdict."""
    remedies = [explain(finding.code).remedy for finding in dispute.failures]
    words = dispute_words().advice
    return tuple(dict.fromkeys(remedies)) or tuple([words[code] for code in [dispute.verdict.value] if code in words])


def nobody(dispute: Dispute) -> Phrase:
    """Return why no party is named."""
    words = dispute_words()
    return words.verdict[Verdict.UNREADABLE] if dispute.verdict is Verdict.UNREADABLE else words.page["nobody"]


def _exhibits(dispute: Dispute, say: Say) -> Iterator[str]:
    words = dispute_words()
    for exhibit, proof in zip(dispute.exhibits, dispute.proofs, strict=True):
        yield f"{exhibit.file} ({say(words.kind[exhibit.kind])}): {say(words.weight[exhibit.weight])}"
        yield f"  {say(words.page['what_it_proves'])}: {say(proof)}"
        codes = ", ".join(dict.fromkeys([finding.code for finding in exhibit.findings]))
        if codes or exhibit.reason:
            yield f"  {codes}{exhibit.reason}"


def _findings(dispute: Dispute, say: Say) -> Iterator[str]:
    words = dispute_words().page
    explained: set[Code] = set()
    for finding in dispute.findings:
        yield from finding_lines(finding)
        if finding.code not in explained:
            explained.add(finding.code)
            yield f"    {say(explain(finding.code).meaning)}"
    if dispute.elsewhere:
        yield f"{dispute.elsewhere:,} {say(words['elsewhere'])}"
    yield from (f"{say(words['unchecked'])}: {line}" for line in dispute.unchecked)


def _suspect(suspect: Suspect, say: Say) -> Iterator[str]:
    words = dispute_words()
    tenant = "" if suspect.tenant is None else f" ({printable(suspect.tenant)})"
    codes = ", ".join(suspect.codes)
    yield f"{say(words.party[suspect.party])}{tenant}: {say(words.certainty[suspect.certainty])}: {codes}"
    for cause in suspect.honest:
        yield f"  {say(words.honest[cause])}"
