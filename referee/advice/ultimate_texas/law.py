"""What of a ruleset its values hang on: the tables that move money, without names, seats, sources and quotes.

Two files whose rules are the same in this have the same values, whatever they are called, so a table of values is named
by the digest of these.

>>> from referee.rulesets import get
>>> casino, seed = get("ultimate_texas.casino").rules, get("ultimate_texas.two_plus_three").rules
>>> law_digest(casino) == law_digest(seed)
False
"""

import hashlib

from referee.evidence import canonical
from referee.games.ultimate_texas import UltimateTexasRules


def law_digest(rules: UltimateTexasRules) -> str:
    """The SHA-256, in hexadecimal, of the canonical JSON of what decides values."""
    ranking = rules.ranking.rules
    law = {
        "hands": str(rules.hands.rule),
        "order": [str(category) for category in ranking.order],
        "ace_low_straight": str(ranking.ace_low_straight),
        "preflop": list(rules.streets.preflop.multiples),
        "flop": list(rules.streets.flop.multiples),
        "river": list(rules.streets.river.multiples),
        "qualifying": str(rules.qualifying.category),
        "ante": rules.ante.odds,
        "play": rules.play.odds,
        "blind": [[str(payout.hand), payout.odds] for payout in rules.blind],
        "trips": [[str(payout.hand), payout.odds] for payout in rules.trips],
    }
    return hashlib.sha256(canonical.encode(law)).hexdigest()
