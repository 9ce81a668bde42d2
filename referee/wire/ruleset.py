"""Rulesets on the wire, and the one lookup that every service begins with."""

from typing import Protocol

from referee.games.mau_binh.rules import MauBinhRules
from referee.games.tien_len import TienLenRules
from referee.games.ultimate_texas import UltimateTexasRules
from referee.rulesets import Catalogue, Ruleset, UnknownRulesetError
from referee.v1 import ruleset_pb2
from referee.v1.error_reason_pb2 import ErrorReason
from referee.v1.text_pb2 import Text
from referee.wire.refusal import RefusedError


def find_ruleset(
    catalogue: Catalogue, ruleset_id: str, version: str, *, field: str, version_field: str = "ruleset_version"
) -> Ruleset:
    """The ruleset of this id and version (empty for the newest); refuses an unknown one.

    ``field`` is the path of the id, beside which stands the version's.
    """
    try:
        return catalogue.get(ruleset_id, version or None)
    except UnknownRulesetError as error:
        is_known = any(ruleset.id == ruleset_id for ruleset in catalogue)
        raise RefusedError(
            ErrorReason.ERROR_REASON_UNKNOWN_RULESET,
            f"{error}; RulesetService.ListRulesets names those there are",
            field=field.removesuffix("ruleset_id") + version_field if is_known else field,
        ) from None


class Named(Protocol):
    """Anything that has a name in both languages."""

    @property
    def vi(self) -> str:
        """The Vietnamese name."""

    @property
    def en(self) -> str:
        """The English name."""


def write_name(name: Named) -> Text:
    """A name in both languages."""
    return Text(vi=name.vi, en=name.en)


def write_ruleset(ruleset: Ruleset) -> ruleset_pb2.Ruleset:
    """A ruleset's identity and limits."""
    seats = ruleset.rules.seats
    return ruleset_pb2.Ruleset(
        ruleset_id=ruleset.id,
        version=ruleset.version,
        digest=ruleset.digest,
        game=ruleset.game,
        name=write_name(ruleset.title),
        bet_unit_minor=ruleset.bet_unit,
        min_seats=seats.minimum,
        max_seats=seats.maximum,
    )


def mau_binh_rules(ruleset: Ruleset, *, field: str) -> MauBinhRules:
    """The ruleset's rules of Mậu Binh; refuses a ruleset of another game."""
    if not isinstance(ruleset.rules, MauBinhRules):
        raise wrong_game(ruleset, "Mậu Binh", field=field)
    return ruleset.rules


def tien_len_rules(ruleset: Ruleset, *, field: str) -> TienLenRules:
    """The ruleset's rules of Tiến Lên; refuses a ruleset of another game."""
    if not isinstance(ruleset.rules, TienLenRules):
        raise wrong_game(ruleset, "Tiến Lên", field=field)
    return ruleset.rules


def ultimate_texas_rules(ruleset: Ruleset, *, field: str) -> UltimateTexasRules:
    """The ruleset's rules of Ultimate Texas Hold'em; refuses a ruleset of another game."""
    if not isinstance(ruleset.rules, UltimateTexasRules):
        raise wrong_game(ruleset, "Ultimate Texas Hold'em", field=field)
    return ruleset.rules


def wrong_game(ruleset: Ruleset, wanted: str, *, field: str) -> RefusedError:
    """The refusal of a ruleset that another game's service judges."""
    return RefusedError(
        ErrorReason.ERROR_REASON_INVALID_FIELD,
        f"{ruleset.id} is a ruleset of {ruleset.game}; this service judges {wanted}",
        field=field,
    )
