"""Populations of Mậu Binh: how opponents arrange their hands, as its advice assumes; learned by self-play."""

from pathlib import Path

from referee.advice.mau_binh import self_play
from referee.advice.mau_binh.population import Origin
from referee.advice.mau_binh.populations import SUFFIX
from referee.cli.options import print_json
from referee.cli.paper import paper
from referee.cli.progress import progress_bar
from referee.games.mau_binh import MauBinhRules
from referee.rulesets import Ruleset


def learn(ruleset: Ruleset, *, rounds: int, seed: int, folder: Path, as_json: bool) -> None:
    """Learn a population, write it to the folder and print its digest. Raise OSError if it cannot be written."""
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
    if as_json:
        sha256 = population.digest.hex()
        farthest = round(distances[-1], 6)
        print_json(
            {"file": str(file), "bytes": len(data), "hands": population.size, "sha256": sha256, "farthest": farthest}
        )
        return
    console.print(
        f"{file}: {len(data):,} bytes, {population.size:,} hands, SHA-256 {population.digest.hex()}\n"
        f"The last step's hands are at most {distances[-1]:.1%} from the population they answer, in any chi.",
        soft_wrap=True,
        highlight=False,
    )
