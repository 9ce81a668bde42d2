"""Every attack on a log that the audit must name, and the sound log that all start from."""

from typing import Final

from tests.audit import (
    audit_attacks_bytes,
    audit_attacks_chance,
    audit_attacks_courses,
    audit_attacks_deck,
    audit_attacks_given_up,
    audit_attacks_leaders,
    audit_attacks_log,
    audit_attacks_promises,
    audit_attacks_randomness,
    audit_attacks_receipts,
    audit_attacks_rules,
    audit_attacks_seats,
    audit_attacks_secrecy,
    audit_attacks_signatures,
    audit_attacks_slots,
    audit_attacks_starts,
    audit_attacks_times,
)
from tests.audit.audit_attack import ENTERED, Attacked, Mutation, healthy

ROOMS: Final = (
    audit_attacks_randomness,
    audit_attacks_deck,
    audit_attacks_rules,
    audit_attacks_signatures,
    audit_attacks_slots,
    audit_attacks_leaders,
    audit_attacks_log,
    audit_attacks_promises,
    audit_attacks_receipts,
    audit_attacks_secrecy,
    audit_attacks_seats,
    audit_attacks_courses,
    audit_attacks_times,
    audit_attacks_bytes,
    audit_attacks_chance,
    audit_attacks_given_up,
    audit_attacks_starts,
)
"""Modules that define attacks."""

MUTATIONS: Final = tuple(sorted(ENTERED.values(), key=lambda one: (one.number, one.id)))
"""All attacks, by number, then id."""

__all__ = ["MUTATIONS", "ROOMS", "Attacked", "Mutation", "healthy"]
