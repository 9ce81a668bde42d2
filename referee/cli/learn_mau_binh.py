"""Populations of Mậu Binh: how opponents arrange their hands, as its advice assumes; learned by self-play."""

from pathlib import Path
from typing import Final

from referee.advice.mau_binh import self_play
from referee.advice.mau_binh.card_tables import SUFFIX as CARDS_SUFFIX
from referee.advice.mau_binh.card_tables import CardTables
from referee.advice.mau_binh.population import Origin
from referee.advice.mau_binh.populations import SUFFIX
from referee.cli.options import print_json
from referee.cli.paper import paper
from referee.cli.progress import progress_bar
from referee.games.mau_binh import MauBinhRules
from referee.rulesets import Ruleset

_OF_CARDS: Final = 3
"""Parts of the rounds, one of which is enough for the tables by rank."""


def learn(ruleset: Ruleset, *, rounds: int, seed: int, folder: Path, as_json: bool) -> None:
    """Learn a population and its card tables, write both to the folder and print the population's digest.

    Raise OSError if a file cannot be written.
    """
    rules: MauBinhRules = ruleset.rules  # type: ignore[assignment] # the ruleset is of this game
    console, distances = paper(), [1.0]
    origin = Origin(
        ruleset_id=ruleset.id,
        ruleset_version=ruleset.version,
        ruleset_digest=ruleset.digest.hex(),
        sweep=self_play.sweep_kind(rules),
        rounds=rounds,
        seed=seed,
    )
    with progress_bar(ruleset.id, "rounds") as bar:
        population = self_play.learn(
            rules, origin=origin, progress=lambda more: bar.advance(ruleset.id, more, rounds), settled=distances.append
        )
    file = folder / f"{ruleset.id}{SUFFIX}"
    data = population.to_bytes()
    file.write_bytes(data)
    with progress_bar(f"{ruleset.id}, cards", "rounds") as bar:
        tables = CardTables.learn(
            rules,
            population,
            rounds=rounds // _OF_CARDS,
            progress=lambda more: bar.advance(f"{ruleset.id}, cards", more, rounds // _OF_CARDS),
        )
    cards = folder / f"{ruleset.id}{CARDS_SUFFIX}"
    cards.write_bytes(tables.to_bytes())
    if as_json:
        sha256 = population.digest.hex()
        farthest = round(distances[-1], 6)
        print_json(
            {
                "file": str(file),
                "bytes": len(data),
                "hands": population.size,
                "sha256": sha256,
                "farthest": farthest,
                "cards": str(cards),
            }
        )
        return
    console.print(
        f"{file}: {len(data):,} bytes, {population.size:,} hands, SHA-256 {population.digest.hex()}\n"
        f"The last step's hands are at most {distances[-1]:.1%} from the population they answer, in any chi.\n"
        f"{cards}: {cards.stat().st_size:,} bytes, the same by rank, for referee audit --answered",
        soft_wrap=True,
        highlight=False,
    )
