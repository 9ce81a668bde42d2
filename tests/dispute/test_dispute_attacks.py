"""A quarrel about the rounds of each attack: the answer names the attacker, and no honest party."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.dispute.attacks import MODULES, Attack, Audit, Recorder, attacks_of, name_of
from tests.server.cosigning.local_witness import LocalWitness
from tests.service.house import House
from tests.service.tien_len_house import TienLenHouse

ATTACKS: Final = Path(__file__).parents[1] / "attacks"
ELSEWHERE: Final = {
    "test_attack_advice_flood": "it keeps a server busy for a while and leaves no round to quarrel about",
}
"""Modules of attacks that leave nothing to a dispute, with the reason."""

SLOW: Final = {
    "test_attack_aborts_by_cards": "plays over a thousand rounds",
    "test_attack_choose_the_leader": "plays dozens of rounds",
    "test_attack_given_up": "plays a hundred rounds",
}
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


def listed() -> Iterator[Any]:
    for module in MODULES:
        name = name_of(module)
        if name not in ELSEWHERE:
            marks = [pytest.mark.slow(SLOW[name])] if name in SLOW else []
            yield from (pytest.param(one, id=one.name, marks=marks) for one in attacks_of(module))


@pytest.fixture
def audits(tmp_path: Path, quiet_calls: None, request: pytest.FixtureRequest) -> Iterator[list[Audit]]:  # noqa: ARG001
    """Run an attack and return the audits that it made, or one of the log that it left."""
    attack: Attack = request.param
    recorder = Recorder()
    running: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        recorder.watch(patch)
        given = {
            name: request.getfixturevalue(name) if name == "verdicts" else _made(name, attack, tmp_path, patch, running)
            for name in attack.fixtures
        }
        attack.function(**given, **attack.parameters)
        house = next((one for one in running.values() if isinstance(one, House | TienLenHouse)), None)
        if not recorder.audits and house is not None:
            house.audit()
    yield recorder.audits
    for one in running.values():
        one.close()


def _made(name: str, attack: Attack, folder: Path, patch: pytest.MonkeyPatch, running: dict[str, Any]) -> Any:  # noqa: ANN401 - any
    """Make what a fixture of this name gives to an attack."""
    if name == "monkeypatch":
        return patch
    if name == "tmp_path":
        return folder
    makers = {
        "house": lambda: House(folder / "data", **_settings(attack, folder)),
        "table": lambda: TienLenHouse(folder / "data"),
        "witness": lambda: LocalWitness(folder / "witness", "w"),
        "operator": lambda: attack.module.Operator(folder / "data"),
    }
    running[name] = makers[name]()
    return running[name]


def _settings(attack: Attack, folder: Path) -> dict[str, Any]:
    """Return the settings of an attack's server, which has a ruleset of its own where its file is replaced."""
    if not hasattr(attack.module, "written"):
        return {}
    return {"catalogue": attack.module.written(folder / "rulesets", attack.module.SOURCE)}


def test_every_module_of_attacks_is_a_case() -> None:
    """Or its reason is printed."""
    for name, reason in ELSEWHERE.items():
        print(f"{name}: {reason}")  # noqa: T201 - the reason is the point
    counts = {name_of(module): len(list(attacks_of(module))) for module in MODULES}
    assert sorted(counts) == sorted(path.stem for path in ATTACKS.glob("test_*.py"))
    assert [name for name, count in counts.items() if not count] == []
    assert set(ELSEWHERE) <= set(counts)
    keys = {one.key for module in MODULES for one in attacks_of(module)}
    assert set(NAMED) <= keys


@pytest.mark.parametrize("audits", list(listed()), indirect=True)
def test_answer_names_the_attacker_and_no_honest_party(audits: list[Audit], request: pytest.FixtureRequest) -> None:
    attack: Attack = request.node.callspec.params["audits"]
    answers = [answer for audit in audits for answer in audit.disputes()]
    assert answers or audits[-1].report.rounds.opened == 0, "an attack that was refused may leave no round at all"
    named = {(one.party.value, one.certainty.value) for answer in answers for one in answer.suspects}
    assert named == NAMED.get(attack.key, set()), [one for answer in answers for one in answer.failures]
