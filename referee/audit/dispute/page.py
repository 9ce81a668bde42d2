"""The page of a quarrel: an answer as one HTML file for a player, a support desk and an arbiter."""

from dataclasses import dataclass

from referee.audit.dispute.case import Case
from referee.audit.dispute.dispute import Dispute
from referee.audit.dispute.lines import advice_on, nobody
from referee.audit.dispute.words import dispute_words
from referee.audit.explanation import explain
from referee.audit.page.rendering import Language, render
from referee.audit.page.story import Story, story_of


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputePageOptions:
    """Language of a page, the keys that were trusted and where they are from, and the line that repeats the answer."""

    language: Language = "both"
    log_key: str = ""
    root_key: str = ""
    keys_are_given: bool = True
    command: str = ""


def render_dispute(dispute: Dispute, case: Case, options: DisputePageOptions) -> str:
    """Render the page of an answer about a case."""
    return render(
        "dispute.html.j2",
        options.language,
        dispute=dispute,
        asked=options,
        texts=dispute_words(),
        explain=explain,
        advice=advice_on(dispute),
        nobody=nobody(dispute),
        exhibits=list(zip(dispute.exhibits, dispute.proofs, strict=True)),
        files=list(dict.fromkeys([(one.file, one.sha256) for one in dispute.exhibits])),
        story=_story(dispute, case),
    )


def _story(dispute: Dispute, case: Case) -> Story | None:
    """Return the course of the round; None where it cannot be read."""
    leaves = case.leaves
    if dispute.round is None or leaves is None:
        return None
    texts = sorted([(placed.index, placed.envelope.to_bytes()) for placed in leaves.placed])
    return story_of(texts, case.terms.catalogue)
