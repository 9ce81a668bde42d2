"""The rooms of ``rooms.toml``, and the configuration of Cosmic Ray that follows from each."""

import hashlib
import shlex
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
FOLDER: Final = ROOT / ".mutants"
_GIVEN: Final[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("rooms.toml").read_text("utf-8"))
_PYTEST: Final = "-x -q -p no:cacheprovider -p no:doctest -p no:xdist --import-mode=importlib --override-ini addopts= "
SECONDS: Final = 300
"""How long the tests of one mutant may take."""


@dataclass(frozen=True, slots=True)
class Room:
    """Files to mutate and the tests that judge them, as paths below the root."""

    name: str
    files: tuple[str, ...]
    tests: tuple[str, ...]
    leave_out: str

    @property
    def folder(self) -> Path:
        """The folder of its results, which are of the files as they are now."""
        digest = hashlib.sha256(b"".join((ROOT / file).read_bytes() for file in self.files)).hexdigest()
        return FOLDER / f"{self.name.replace('/', '.')}-{digest[:12]}"

    @property
    def session(self) -> Path:
        """Cosmic Ray's own record of what is to be tried and how it ended."""
        return self.folder / "session.sqlite"

    @property
    def config(self) -> dict[str, Any]:
        """Cosmic Ray's configuration."""
        chosen = ["-m", "not slow and not exhaustive", *(["-k", f"not ({self.leave_out})"] if self.leave_out else [])]
        kept = "|".join(_GIVEN["operators"])
        return {
            "module-path": list(self.files),
            "timeout": SECONDS,
            "test-command": f"python -m pytest {_PYTEST} {shlex.join([*chosen, *self.tests])}",
            "distributor": {"name": "local"},
            "filters": {"operators-filter": {"exclude-operators": [f"core/(?!(?:{kept})$)"]}},
        }


def _room(name: str, given: dict[str, Any]) -> Room:
    files = sorted({path.relative_to(ROOT).as_posix() for pattern in given["files"] for path in ROOT.glob(pattern)})
    tests = [one for test in given["tests"] for one in (_GIVEN["every-game"] if test == "EVERY_GAME" else [test])]
    return Room(name, tuple(files), tuple(tests), given.get("leave-out", ""))


ROOMS: Final = {name: _room(name, given) for name, given in _GIVEN["rooms"].items()}
