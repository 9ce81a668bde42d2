"""Populations of Mậu Binh: what its advice expects of opponents, learned by self-play."""

from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from referee.advice.mau_binh import self_play
from referee.advice.mau_binh.population import Origin
from referee.advice.mau_binh.populations import SUFFIX
from referee.games.mau_binh import MauBinhRules
from referee.rulesets import Ruleset


def learn(ruleset: Ruleset, *, rounds: int, seed: int, folder: Path) -> None:
    """Learn a population, write it to the folder and print its digest. Raise OSError if it cannot be written."""
    rules: MauBinhRules = ruleset.rules  # type: ignore[assignment] # the ruleset is of this game
    console, distances = Console(), [1.0]
    origin = Origin(
        ruleset_id=ruleset.id,
        ruleset_version=ruleset.version,
        ruleset_digest=ruleset.digest.hex(),
        sweep=self_play.sweep_kind(rules),
        rounds=rounds,
        seed=seed,
    )
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console) as bar:
        task = bar.add_task(ruleset.id, total=rounds)
        population = self_play.learn(
            rules, origin=origin, progress=lambda done: bar.advance(task, done), settled=distances.append
        )
    file = folder / f"{ruleset.id}{SUFFIX}"
    data = population.to_bytes()
    folder.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    console.print(
        f"{file}: {len(data):,} bytes, {population.size:,} hands, SHA-256 {population.digest.hex()}\n"
        f"The last step's hands are at most {distances[-1]:.1%} from the population they answer, in any chi.",
        soft_wrap=True,
        highlight=False,
    )
