"""The rooms whose tests are tested by mutants: which files are mutated, and which tests judge the mutants."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Room:
    """Files to mutate and the tests that judge them, as patterns of paths below the root."""

    name: str
    files: tuple[str, ...]
    tests: tuple[str, ...]
    leave_out: str = ""
    """Tests that are too dear for every mutant, as an expression for pytest's ``-k``."""

    def paths(self) -> list[Path]:
        """Return the files to mutate, in order."""
        return sorted({path for pattern in self.files for path in ROOT.glob(pattern)})


BY_LAW: Final = "tests/cases/test_cases_by_law.py"
OF_EVERY_GAME: Final = (
    "tests/games/test_games_clocks.py",
    "tests/games/test_games_deals.py",
    "tests/games/test_games_questions.py",
    "tests/games/test_games_registry.py",
    "tests/rulesets",
    "tests/transcript",
)
ROOMS: Final = {
    room.name: room
    for room in (
        Room(
            "transcript",
            ("referee/transcript/*.py",),
            (
                "tests/transcript",
                "tests/clients_python/test_client_course.py",
                "tests/clients_python/test_client_receipts.py",
                "tests/service/test_service_courses.py",
                "tests/service/test_service_refused_evidence.py",
                "tests/vectors/test_vectors_evidence.py",
            ),
        ),
        Room(
            "slots",
            (
                "referee/log/slot.py",
                "referee/storage/batch.py",
                "referee/storage/reader.py",
                "referee/storage/record.py",
                "referee/storage/statements.py",
                "referee/storage/store.py",
            ),
            ("tests/log/test_log_slot.py", "tests/storage"),
            leave_out="postgres or killed or crash or two_servers or ManyWriters or sequencers",
        ),
        Room("hands", ("referee/hands/*.py",), ("tests/hands",)),
        Room(
            "games",
            ("referee/games/*.py",),
            (
                *OF_EVERY_GAME,
                "tests/games/test_games_codec.py",
                "tests/games/test_games_law_error.py",
                "tests/games/test_games_stakes.py",
                "tests/games/mau_binh/test_mau_binh_round.py",
                "tests/games/mau_binh/test_mau_binh_seating.py",
                "tests/games/mau_binh/test_mau_binh_vectors.py",
                "tests/games/tien_len/test_tien_len_vectors.py",
                "tests/games/ultimate_texas/test_ultimate_texas_vectors.py",
            ),
        ),
        *(
            Room(
                f"games/{game}",
                (f"referee/games/{game}/*.py",),
                (f"tests/games/{game}", BY_LAW, *OF_EVERY_GAME),
            )
            for game in ("mau_binh", "tien_len", "ultimate_texas")
        ),
    )
}
