"""The available rulesets: those that come with the games, and an operator's own from a folder.

A released file never changes: an id and version name one text, so a second file with the same id and version but other
bytes is refused, also if the first is built in. A new version is a new file.

>>> get("mau_binh.classic").version
'1.0.0'
>>> get("mau_binh.nonesuch")
Traceback (most recent call last):
...
referee.rulesets.catalogue.UnknownRulesetError: no ruleset has the id 'mau_binh.nonesuch'
"""

from collections.abc import Iterable, Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

from referee.games import GAMES
from referee.rulesets.ruleset import Ruleset, RulesetError, error_of, parse_ruleset
from referee.rulesets.shape import FileFault

EXAMPLES: Final = Path(__file__).parent / "examples"
"""Folder with one example for each game, which uses all of the game's options."""


class UnknownRulesetError(LookupError):
    """No ruleset has this id, version or digest."""


class Catalogue:
    """Rulesets by id, version and digest; iterates in the order of ids, then versions."""

    def __init__(self, rulesets: Iterable[Ruleset]) -> None:
        ordered = sorted(rulesets, key=lambda ruleset: (ruleset.id, ruleset.version_numbers))
        self._by_identity = {(ruleset.id, ruleset.version): ruleset for ruleset in ordered}
        self._by_digest = {ruleset.digest: ruleset for ruleset in ordered}
        self._latest = {ruleset.id: ruleset for ruleset in ordered}

    def __iter__(self) -> Iterator[Ruleset]:
        return iter(self._by_identity.values())

    def __len__(self) -> int:
        return len(self._by_identity)

    def get(self, ruleset_id: str, version: str | None = None) -> Ruleset:
        """Return the ruleset of this id in this version or the latest; raise UnknownRulesetError if there is none."""
        ruleset = self._latest.get(ruleset_id) if version is None else self._by_identity.get((ruleset_id, version))
        if ruleset is None:
            name = f"{ruleset_id!r}" if ruleset_id not in self._latest else f"{ruleset_id!r} and version {version!r}"
            raise UnknownRulesetError(f"no ruleset has the id {name}")
        return ruleset

    def find(self, digest: bytes) -> Ruleset | None:
        """Return the ruleset whose file has this SHA-256; None if there is none."""
        return self._by_digest.get(digest)

    def of_digest(self, digest: bytes) -> Ruleset:
        """Return the ruleset whose file has this SHA-256; raise UnknownRulesetError if there is none."""
        ruleset = self.find(digest)
        if ruleset is None:
            raise UnknownRulesetError(f"no ruleset has the digest {digest.hex()}")
        return ruleset


@cache
def load_builtin() -> Catalogue:
    """Return the rulesets that come with the installed games; read once."""
    files = [
        (file.name, file.read_bytes())
        for game in GAMES.values()
        for file in resources.files(game.data).iterdir()
        if file.name.startswith(f"{game.name}.") and file.name.endswith(".toml")
    ]
    return Catalogue(_distinct(sorted(files)))


@cache
def load_examples() -> Catalogue:
    """Return the built-in rulesets and the examples, which no server loads by itself; read once."""
    return load_folder(EXAMPLES)


def load_folder(path: Path) -> Catalogue:
    """Return the built-in rulesets and those of every ``.toml`` file in a folder.

    Raise RulesetError for the first file that is no ruleset, or that has the id and version of another ruleset but
    other bytes; OSError if the folder cannot be read. A copy of a built-in file is the built-in ruleset.
    """
    own = [(str(file), file.read_bytes()) for file in sorted(path.iterdir()) if file.suffix == ".toml"]
    return Catalogue(_distinct(own, builtin=load_builtin()))


def faults_in(path: Path) -> list[RulesetError]:
    """Return an error for each file of a folder that ``load_folder`` would refuse; it has all faults of the file."""
    errors, sound = [], list[tuple[str, bytes]]()
    for file in sorted(path.glob("*.toml")):
        sound.append((str(file), file.read_bytes()))
        try:
            _distinct(sound, builtin=load_builtin())
        except RulesetError as error:
            errors.append(error.with_traceback(None))
            sound.pop()
    return errors


def get(ruleset_id: str, version: str | None = None) -> Ruleset:
    """Return the built-in ruleset of this id in this version or the latest; raise UnknownRulesetError otherwise."""
    return load_builtin().get(ruleset_id, version)


def _distinct(files: Iterable[tuple[str, bytes]], builtin: Iterable[Ruleset] = ()) -> list[Ruleset]:
    """Return the built-in rulesets and those of the files; raise RulesetError if two with one identity differ."""
    taken = {(ruleset.id, ruleset.version): (ruleset, "a built-in ruleset") for ruleset in builtin}
    for file, source in files:
        ruleset = parse_ruleset(source, file=file)
        other, where = taken.setdefault((ruleset.id, ruleset.version), (ruleset, file))
        if other.digest != ruleset.digest:
            reason = f"{ruleset.id} {ruleset.version} is already {where} with other bytes; give it a new version"
            raise error_of([FileFault(("version",), reason)], source=source, file=file)
    return [ruleset for ruleset, _ in taken.values()]
