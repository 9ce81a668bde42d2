"""Populations: the files that come with the referee, what is refused, and what an operator's own are found by."""

import hashlib
import json
import struct
from importlib import resources
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
import pytest

from referee.advice.mau_binh.population import HandPopulation, Origin, PopulationError
from referee.advice.mau_binh.populations import NoPopulationError, Populations
from referee.advice.mau_binh.self_play import STEPS, learn, sweep_kind
from referee.games.mau_binh import MauBinhRules
from referee.hands import AceLowStraight
from referee.rulesets import Ruleset, get
from tests.budget import sample
from tests.builtin import rules_as

DATA: Final = resources.files("referee.advice.mau_binh") / "data"
DIGESTS: Final = {
    "mau_binh.maubinh_com": "3e53f8f444cfff8d96c4f0e9b8fbedfe5ac2b709c967ff84889648377d06ef8f",
    "mau_binh.classic": "594a082276d502d607859a79b3c90987c2c3b83888097d2d6afa1b7494f314ad",
    "mau_binh.chi_2020": "61bd5925676e1d583a87e0134e68c60593ae90202cd08af240ee46397a0dd8dd",
}
"""Golden: what ``referee learn`` printed with its own defaults."""
TWENTIETH: Final = "29ad8914bc644bfcae2a115a3f985fcd3103bcd218143d3789549b4215cd354a"
"""Golden: the same for the classic ruleset with a twentieth of the rounds."""


def file_of(ruleset: Ruleset) -> bytes:
    return (DATA / f"{ruleset.id}.population").read_bytes()


def test_file_is_the_one_that_was_learned(ruleset: Ruleset) -> None:
    assert hashlib.sha256(file_of(ruleset)).hexdigest() == DIGESTS[ruleset.id]


def test_file_is_small(ruleset: Ruleset) -> None:
    assert len(file_of(ruleset)) < 200_000


def test_file_names_its_ruleset(ruleset: Ruleset) -> None:
    origin = HandPopulation.read(file_of(ruleset)).origin
    assert (origin.ruleset_id, origin.ruleset_version) == (ruleset.id, ruleset.version)
    assert origin.ruleset_digest == ruleset.digest.hex()


def test_file_is_read_without_this_code(ruleset: Ruleset) -> None:
    """By the words of the format alone: a line of JSON, then numbers in a row."""
    data = file_of(ruleset)
    population = HandPopulation.read(data)
    line, rest = data.split(b"\n", 1)
    first = json.loads(line)
    sizes = [len(first[f"{chi}_bins"]) for chi in ("back", "middle", "front")]
    cells = sizes[0] * sizes[1] * sizes[2]
    numbers = struct.unpack(f"<{7462 + 7462 + 455}I{cells}H", rest)
    back, middle, front, joint = (numbers[:7462], numbers[7462:14924], numbers[14924:15379], numbers[15379:])
    assert sum(back) == sum(middle) == sum(front) == sum(joint) == population.size
    strength, bin_of_back = 6000, 0
    while first["back_bins"][bin_of_back] < strength:
        bin_of_back += 1
    assert population.of_bin(0)[strength - 1] == bin_of_back
    edges = [0, *first["back_bins"]]
    held = sum(back[edges[bin_of_back] : edges[bin_of_back + 1]])
    slab = sizes[1] * sizes[2]
    assert held == sum(joint[bin_of_back * slab : (bin_of_back + 1) * slab])


@pytest.mark.slow("learns or counts at length")
def test_learning_again_gives_the_same_bytes(ruleset: Ruleset, rules: MauBinhRules) -> None:
    origin = msgspec.structs.replace(HandPopulation.read(file_of(ruleset)).origin, rounds=320, seed=7)
    steps: list[float] = []
    played: list[int] = []
    once = learn(rules, origin=origin, progress=played.append, settled=steps.append)
    assert once.to_bytes() == learn(rules, origin=origin).to_bytes()
    assert sum(played) == 320
    assert len(steps) == STEPS - 1
    other = msgspec.structs.replace(origin, seed=8)
    assert learn(rules, origin=other).joint.tolist() != once.joint.tolist()


@pytest.mark.exhaustive("learns a shipped file again")
@pytest.mark.smaller("a twentieth of the file's rounds, whose bytes are known by digest")
@pytest.mark.timeout(1_800)
def test_shipped_file_is_learned_again() -> None:
    """Its first line says from how many rounds and which seed. Four minutes; so the other files are known by digest."""
    ruleset = get("mau_binh.classic")
    rules = rules_as(MauBinhRules, ruleset.id)
    origin = HandPopulation.read(file_of(ruleset)).origin
    rounds, digest = sample((origin.rounds // 20, TWENTIETH), whole=(origin.rounds, DIGESTS[ruleset.id]))
    data = learn(rules, origin=msgspec.structs.replace(origin, rounds=rounds)).to_bytes()
    assert hashlib.sha256(data).hexdigest() == digest


def test_too_few_rounds_are_said_to_be(ruleset: Ruleset, rules: MauBinhRules) -> None:
    origin = msgspec.structs.replace(HandPopulation.read(file_of(ruleset)).origin, rounds=STEPS - 1)
    with pytest.raises(ValueError, match="too few to learn from"):
        learn(rules, origin=origin)


def test_broken_bytes_are_refused() -> None:
    data = (DATA / "mau_binh.classic.population").read_bytes()
    line, rest = data.split(b"\n", 1)
    first = json.loads(line)
    elsewhere = {**first, "format": "referee.mau_binh.population/2"}
    shorter = {**first, "back_bins": first["back_bins"][:-1]}
    broken = {
        "nothing": b"",
        "no JSON": b"x" + data,
        "another format": json.dumps(elsewhere, separators=(",", ":"), sort_keys=True).encode() + b"\n" + rest,
        "not canonical": json.dumps(first, sort_keys=True).encode() + b"\n" + rest,
        "bins that end early": json.dumps(shorter, separators=(",", ":"), sort_keys=True).encode() + b"\n" + rest,
        "cut short": data[:-1],
        "a byte too many": data + b"\0",
        "a count changed": line + b"\n" + rest[:4000] + bytes([rest[4000] ^ 1]) + rest[4001:],
        "a joint count changed": data[:-4001] + bytes([data[-4001] ^ 1]) + data[-4000:],
        "nobody counted": line + b"\n" + bytes(len(rest)),
    }
    for name, one in broken.items():
        with pytest.raises(PopulationError):
            print(name, HandPopulation.read(one))  # noqa: T201 - named where the test fails


def test_joint_counts_that_do_not_fit_are_refused(rules: MauBinhRules) -> None:
    origin = Origin(ruleset_id="x", ruleset_version="1", ruleset_digest="", sweep="", rounds=1, seed=1)
    crowd = HandPopulation.counted(rules.ranker, np.tile([[6000, 3000, 300]], (65_536, 1)), origin=origin)
    with pytest.raises(PopulationError, match="two bytes"):
        crowd.to_bytes()


def test_no_bin_holds_two_categories(ruleset: Ruleset, rules: MauBinhRules) -> None:
    population = HandPopulation.read(file_of(ruleset))
    for chi, edges in enumerate(population.bins):
        value_of = rules.ranker.three_of_strength if chi == 2 else rules.ranker.five_of_strength
        ends = [value_of(edge).category for edge in edges]
        starts = [value_of(edge + 1).category for edge in (0, *edges[:-1])]
        assert starts == ends


def house(name: str, *, ace_low: AceLowStraight = AceLowStraight.LOWEST) -> MauBinhRules:
    rules = rules_as(MauBinhRules, name)
    ranking = msgspec.structs.replace(rules.ranking.rules, ace_low_straight=ace_low)
    return msgspec.structs.replace(rules, ranking=msgspec.structs.replace(rules.ranking, rules=ranking))


def test_ruleset_is_advised_by_its_own_population(ruleset: Ruleset, rules: MauBinhRules) -> None:
    assert Populations.builtin().population_for(rules, digest=ruleset.digest).origin.ruleset_id == ruleset.id


@pytest.mark.parametrize("name", ["mau_binh.classic", "mau_binh.chi_2020", "mau_binh.maubinh_com"])
def test_house_variant_is_advised_by_the_population_that_sweeps_alike(name: str) -> None:
    assert Populations.builtin().population_for(house(name), digest=bytes(32)).origin.ruleset_id == name


def test_ranking_that_nobody_learned_is_refused_with_the_way_out() -> None:
    rules = house("mau_binh.classic", ace_low=AceLowStraight.SECOND_HIGHEST)
    with pytest.raises(NoPopulationError, match="referee learn"):
        Populations.builtin().population_for(rules, digest=bytes(32))


def test_population_in_the_folder_is_found(tmp_path: Path) -> None:
    rules = house("mau_binh.classic", ace_low=AceLowStraight.SECOND_HIGHEST)
    origin = Origin(
        ruleset_id="mau_binh.house",
        ruleset_version="1.0.0",
        ruleset_digest="11" * 32,
        sweep=sweep_kind(rules),
        rounds=320,
        seed=1,
    )
    learned = learn(rules, origin=origin)
    (tmp_path / "mau_binh.house.population").write_bytes(learned.to_bytes())
    (tmp_path / "other.txt").write_text("not looked at")
    shelf = Populations.with_folder(tmp_path)
    assert shelf.population_for(rules, digest=bytes.fromhex("11" * 32)) == learned
    assert shelf.population_for(get("mau_binh.classic").rules, digest=get("mau_binh.classic").digest) != learned  # type: ignore[arg-type] # it is of this game


def test_broken_file_in_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "mau_binh.house.population").write_bytes(b"{}\n")
    with pytest.raises(PopulationError, match=r"mau_binh\.house\.population"):
        Populations.with_folder(tmp_path)
