"""Attacks by rounds that are given up: a share of a table's rounds, keys too young to blame, and an instant win."""

from dataclasses import replace
from functools import partial

from referee.audit import Code
from referee.games import GAMES
from tests.audit import audit_attack
from tests.audit.audit_attack import Attacked, ended
from tests.audit.audit_attacks_chance import DUEL, ground
from tests.audit.audit_builder import LogBuilder, Table, abort

mutation = partial(audit_attack.mutation, file="courses.jsonl")
ROUNDS = 20


def one_given_up(table: Table) -> Attacked:
    """Make a log of twenty rounds of a table of which one was dealt and given up."""
    log = LogBuilder.founded()
    for number in range(ROUNDS):
        if number == 1:
            parts = log.lay_out(table)
            abort(parts, stage="DEALT", reason="DEADLINE")
            log.append(parts)
        else:
            log.play(table)
    return ended(log)


@mutation(Code.ROUNDS_GIVEN_UP, "a twentieth of a table's rounds is given up after the deal")
def rounds_given_up_at_a_table() -> Attacked:
    return one_given_up(DUEL)


@mutation(Code.GIVEN_UP_BY_YOUNG_KEYS, "a round is given up whose seats' keys are all new")
def round_given_up_by_young_keys() -> Attacked:
    return one_given_up(replace(DUEL, keyed=True))


@mutation(
    Code.INSTANT_WIN_GIVEN_UP, "a hand that wins at the deal is dealt, and the round is given up", file="chance.jsonl"
)
def instant_win_given_up() -> Attacked:
    log = LogBuilder.founded()
    game, rules = GAMES["mau_binh"], DUEL.ruleset.rules
    parts = ground(log, DUEL, lambda deal: game.later.opens_at_deal(rules, deal.sections[: DUEL.seats]))
    abort(parts, stage="DEALT", reason="DEADLINE")
    log.append(parts)
    return ended(log)
