"""Whom the answers to quarrels name, by attack."""

from typing import Final

ELSEWHERE: Final = {
    "test_attack_advice_flood": "it keeps a server busy for a while and leaves no round to quarrel about",
}
"""Modules of attacks that leave nothing to a dispute, with the reason."""

OPERATOR: Final = {("operator", "PROVED")}
WITNESS: Final = {("witness", "POSSIBLE")}
EITHER: Final = {("operator", "POSSIBLE"), ("frontend", "POSSIBLE")}
NAMED: Final = {
    "test_attack_aborts_by_cards.test_aborts_for_one_key_are_found_by_their_cards": EITHER,
    "test_attack_commitment_after_the_hands.test_operator_that_settles_it_all_the_same_is_found": OPERATOR,
    "test_attack_dropped_move.test_command_takes_the_file": EITHER | WITNESS,  # it is dated next year
    "test_attack_dropped_move.test_dropped_bet_fails_the_round_and_names_both_parties": EITHER,
    "test_attack_dropped_move.test_dropped_turn_fails_the_round": EITHER,
    "test_attack_empty_tables.test_tables_given_up_with_a_seed_fail_among_any_number_of_empty_ones": EITHER,
    "test_attack_fast_clock.test_witness_that_saw_the_settlement_forty_seconds_early_convicts_the_clock": {
        ("operator", "POSSIBLE"),
        *WITNESS,
    },
    "test_attack_forbidden_stakes.test_operator_that_opens_it_all_the_same_is_found": OPERATOR,
    "test_attack_given_up.test_decks_given_up_by_young_keys_are_noted": EITHER | {("seat", "POSSIBLE")},
    "test_attack_replaced_ruleset.test_calls_about_a_running_round_are_refused_and_those_about_an_ended_one_are_not": {
        ("operator", "POSSIBLE")
    },
    "test_attack_replaced_ruleset.test_round_that_lapsed_meanwhile_blames_no_seat_and_is_counted": {
        ("operator", "POSSIBLE")
    },
    "test_attack_rewound_course.test_operator_that_settles_a_rewound_course_is_found": OPERATOR,
    "test_attack_timeouts_at_the_deal.test_operator_that_settles_it_all_the_same_is_found": OPERATOR,
}
"""Parties that are named, by attack; nobody where the server refused it, or where it proves no fault."""
