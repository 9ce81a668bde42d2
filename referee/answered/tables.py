"""The valuers of the available rulesets: those with card tables that come with the referee or lie in a house's folder.

A house's folder has ``<id>.cards`` beside ``<id>.population``; ``referee learn`` writes both.
"""

from functools import lru_cache
from importlib import resources
from pathlib import Path

from referee.advice.mau_binh.card_tables import SUFFIX, CardTables, read_tables
from referee.advice.mau_binh.population import HandPopulation
from referee.advice.mau_binh.populations import Populations
from referee.answered.values import Valuer
from referee.rulesets import Ruleset


@lru_cache(maxsize=16)
def valuer_of(ruleset: Ruleset, seat_count: int, folder: Path | None = None) -> Valuer | None:
    """Return the valuer of a ruleset at a table of some seats; None if no card tables were learned from its file.

    Raise PopulationError for a file of the folder that is none.
    """
    learned = _learned(folder).get(ruleset.digest.hex())
    if learned is None:
        return None
    tables, population = learned
    return Valuer(ruleset.rules, population, tables, seat_count=seat_count)  # type: ignore[arg-type] # of this game


@lru_cache(maxsize=4)
def _learned(folder: Path | None) -> dict[str, tuple[CardTables, HandPopulation]]:
    """Return tables and populations by the digest of the ruleset that both were learned from, in hexadecimal."""
    builtin = resources.files("referee.advice.mau_binh") / "data"
    files = [file for file in builtin.iterdir() if file.name.endswith(SUFFIX)]
    populations = Populations.builtin()
    if folder is not None:
        files += sorted(folder.glob(f"*{SUFFIX}"))
        populations = Populations.with_folder(folder)
    by_digest = {one.origin.ruleset_digest: one for one in populations}
    return {digest: (tables, by_digest[digest]) for digest, tables in read_tables(files).items() if digest in by_digest}
