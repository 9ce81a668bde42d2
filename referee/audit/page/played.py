"""The rulesets of a log's rounds, and its money by currency, as the page shows them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from referee.audit.page.words import title_of
from referee.audit.report import Money, MoneyRow
from referee.finding import Phrase
from referee.rulesets import Catalogue


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedRuleset:
    """A ruleset that rounds name, and the number of these rounds. Without the ruleset's file its title is its id."""

    title: Phrase
    id: str
    version: str
    digest: str
    is_known: bool
    opened: int


@dataclass(slots=True, kw_only=True)
class CurrencyTotal:
    """Sums of one currency over all rulesets, and its rows with their titles."""

    currency: str
    settled: int = 0
    staked: int = 0
    transferred: int = 0
    house: int = 0
    rows: list[tuple[Phrase, MoneyRow]] = field(default_factory=list)


def played_rulesets(money: Money, catalogue: Catalogue) -> Sequence[PlayedRuleset]:
    """Return the rulesets of all rounds, by id, version and digest."""
    opened: dict[tuple[str, str, str], int] = {}
    for row in money.rows:
        key = row.ruleset_id, row.ruleset_version, row.ruleset_digest
        opened[key] = opened.get(key, 0) + row.opened
    return [
        PlayedRuleset(
            title=_title(name, digest, catalogue),
            id=name,
            version=version,
            digest=digest,
            is_known=_is_known((name, version, digest), catalogue),
            opened=count,
        )
        for (name, version, digest), count in sorted(opened.items())
    ]


def money_by_currency(money: Money, catalogue: Catalogue) -> Sequence[CurrencyTotal]:
    """Add up the rows of each currency, sorted by its name; leave out currencies without a settled round."""
    totals: dict[str, CurrencyTotal] = {}
    for row in money.rows:
        if not row.settled:
            continue
        total = totals.setdefault(row.currency, CurrencyTotal(currency=row.currency))
        total.settled += row.settled
        total.staked += row.staked
        total.transferred += row.transferred
        total.house += row.house
        total.rows.append((_title(row.ruleset_id, row.ruleset_digest, catalogue), row))
    return [totals[currency] for currency in sorted(totals)]


def _title(ruleset_id: str, digest: str, catalogue: Catalogue) -> Phrase:
    ruleset = catalogue.find(bytes.fromhex(digest))
    return title_of(ruleset if ruleset is not None and ruleset.id == ruleset_id else None, ruleset_id)


def _is_known(named: tuple[str, str, str], catalogue: Catalogue) -> bool:
    ruleset = catalogue.find(bytes.fromhex(named[2]))
    return ruleset is not None and (ruleset.id, ruleset.version) == named[:2]
