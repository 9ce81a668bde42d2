"""``referee learn`` as a user runs it."""

from pathlib import Path

import pytest

from referee.advice.mau_binh.population import HandPopulation
from referee.rulesets import get
from tests.command import Done, referee


def run(*words: str) -> Done:
    return referee("learn", *words)


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("learned") / "new"
    done = run("mau_binh.classic", "mau_binh.chi_2020", "--rounds", "320", "--seed", "5", "--out", str(folder))
    assert done.returncode == 0, done.stderr
    return folder


def test_each_ruleset_gets_a_file_of_its_own(learned: Path) -> None:
    assert sorted(file.name for file in learned.iterdir()) == [
        "mau_binh.chi_2020.population",
        "mau_binh.classic.population",
    ]
    for file in learned.iterdir():
        origin = HandPopulation.read(file.read_bytes()).origin
        assert (origin.rounds, origin.seed) == (320, 5)
        assert origin.ruleset_digest == get(file.stem).digest.hex()


def test_same_seed_gives_the_same_file_and_says_its_digest(learned: Path, tmp_path: Path) -> None:
    done = run("mau_binh.classic", "--rounds", "320", "--seed", "5", "--out", str(tmp_path))
    file = tmp_path / "mau_binh.classic.population"
    assert file.read_bytes() == (learned / file.name).read_bytes()
    assert HandPopulation.read(file.read_bytes()).digest.hex() in done.stdout
    assert len(done.stdout.splitlines()) == 2  # no progress where nobody watches


def test_file_is_written_beside_the_rulesets_of_the_house(tmp_path: Path) -> None:
    source = get("mau_binh.classic").source.replace(b'id = "mau_binh.classic"', b'id = "mau_binh.house"')
    (tmp_path / "house.toml").write_bytes(source)
    done = run("mau_binh.house", "--rounds", "320", "--rulesets", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert (
        HandPopulation.read((tmp_path / "mau_binh.house.population").read_bytes()).origin.ruleset_id == "mau_binh.house"
    )


@pytest.mark.parametrize("ruleset_id", ["mau_binh.nonesuch", "tien_len.mien_nam"])
def test_what_cannot_be_learned_is_said(ruleset_id: str, tmp_path: Path) -> None:
    done = run(ruleset_id, "--out", str(tmp_path))
    assert done.returncode == 2
    assert ruleset_id in done.stderr
    assert list(tmp_path.iterdir()) == []
