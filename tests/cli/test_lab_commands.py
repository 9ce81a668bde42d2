"""``referee learn`` and ``referee fairness-report`` as a laboratory uses them: output, pipes and exit codes."""

import itertools
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from referee.advice.mau_binh.card_tables import read_tables
from referee.advice.mau_binh.population import HandPopulation
from referee.lab.fairness.rounds import streams
from referee.rulesets import get
from tests.cli.printing import printed
from tests.command import refused


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("learned") / "new"
    printed("learn", "mau_binh.classic", "mau_binh.chi_2020", "--rounds", "320", "--seed", "5", "--out", folder)
    return folder


def test_each_ruleset_gets_files_of_its_own(learned: Path) -> None:
    assert sorted(file.name for file in learned.iterdir()) == [
        "mau_binh.chi_2020.cards",
        "mau_binh.chi_2020.population",
        "mau_binh.classic.cards",
        "mau_binh.classic.population",
    ]
    by_digest = read_tables(learned.glob("*.cards"))
    assert by_digest.keys() == {get(file.stem).digest.hex() for file in learned.glob("*.cards")}
    for file in learned.glob("*.population"):
        origin = HandPopulation.read(file.read_bytes()).origin
        assert (origin.rounds, origin.seed) == (320, 5)
        assert origin.ruleset_digest == get(file.stem).digest.hex()


def test_same_seed_gives_the_same_file_and_says_its_digest(learned: Path, tmp_path: Path) -> None:
    text = printed("learn", "mau_binh.classic", "--rounds", "320", "--seed", "5", "--out", tmp_path)
    file = tmp_path / "mau_binh.classic.population"
    assert file.read_bytes() == (learned / file.name).read_bytes()
    assert HandPopulation.read(file.read_bytes()).digest.hex() in text
    assert len(text.splitlines()) == 3  # no progress where nobody watches


def test_file_is_written_beside_the_rulesets_of_the_house(tmp_path: Path) -> None:
    source = get("mau_binh.classic").source.replace(b'id = "mau_binh.classic"', b'id = "mau_binh.house"')
    (tmp_path / "house.toml").write_bytes(source)
    printed("learn", "mau_binh.house", "--rounds", "320", "--rulesets", tmp_path)
    learned = HandPopulation.read((tmp_path / "mau_binh.house.population").read_bytes())
    assert learned.origin.ruleset_id == "mau_binh.house"


@pytest.mark.parametrize("ruleset_id", ["mau_binh.nonesuch", "tien_len.mien_nam"])
def test_what_cannot_be_learned_is_said(ruleset_id: str, tmp_path: Path) -> None:
    assert ruleset_id in refused("learn", ruleset_id, "--out", tmp_path)
    assert list(tmp_path.iterdir()) == []


SEED = "5eed" * 16
COMMAND = [sys.executable, "-m", "referee", "fairness-report"]
SECONDS = 200


@pytest.mark.parametrize("seed", ["12", "zz" * 32, "00" * 33])
def test_a_seed_that_is_none_is_a_bad_question(seed):
    assert "--seed" in refused("fairness-report", "--seed", seed)


def test_too_few_decks_are_a_bad_question():
    refused("fairness-report", "--decks", 1000)


@pytest.mark.parametrize("workers", [1, 2])
def test_the_stream_is_what_the_decks_are_drawn_from(workers):
    """Byte for byte, with any number of workers, and as many bytes as asked."""
    arguments = ["--stream", "--stream-bytes", "600001", "--seed", SEED, "--workers", str(workers)]
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, timeout=SECONDS, check=True)
    assert done.stdout == b"".join(itertools.islice(streams(bytes.fromhex(SEED)), 600_001 // 128 + 1))[:600_001]


def test_the_stream_ends_quietly_when_its_reader_has_enough():
    with subprocess.Popen(
        [*COMMAND, "--stream", "--seed", SEED], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.read(1000)
        run.stdout.close()
        complaint = run.stderr.read()
        assert run.wait(SECONDS) == 0, complaint
        assert complaint == b""


@pytest.mark.slow("learns or counts at length")
def test_dieharder_reads_the_stream():
    """Single bits of 400,000 numbers, read from the pipe: PASSED or WEAK, never FAILED, with this fixed seed."""
    dieharder = shutil.which("dieharder")
    if dieharder is None:
        pytest.skip("dieharder is not installed: apt-get install dieharder")
    with subprocess.Popen([*COMMAND, "--stream", "--seed", SEED], stdout=subprocess.PIPE) as run:
        command = [dieharder, "-g", "200", "-d", "100", "-t", "20000", "-p", "20"]
        read = subprocess.run(command, stdin=run.stdout, capture_output=True, text=True, timeout=SECONDS, check=True)
        assert run.stdout is not None
        run.stdout.close()
        assert run.wait(SECONDS) == 0
    assert "sts_monobit" in read.stdout
    assert "PASSED" in read.stdout or "WEAK" in read.stdout
    assert "FAILED" not in read.stdout
