"""``referee learn``: what Mậu Binh's advice expects of opponents, learned by self-play."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from referee.cli.options import RulesetFolder, catalogue_of, fail
from referee.games.mau_binh import MauBinhRules
from referee.rulesets import Ruleset, UnknownRulesetError


def learn(
    ruleset_ids: Annotated[list[str], typer.Argument(metavar="RULESET...", help="Ids of rulesets of Mậu Binh.")],
    *,
    rounds: Annotated[int, typer.Option(help="Rounds of self-play for each.", min=320)] = 320_000,
    seed: Annotated[int, typer.Option(help="The same rounds and seed give the same bytes.", min=0)] = 1,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder to write <id>.population into; by default that of --rulesets.", file_okay=False),
    ] = None,
    rulesets: RulesetFolder = None,
) -> None:
    """Learn how players arrange under a ruleset, for SuggestArrangement to advise it by.

    `referee serve --rulesets FOLDER` reads the files that stand in FOLDER beside the rulesets.
    """
    catalogue = catalogue_of(rulesets)
    folder = out or rulesets or Path()
    try:
        wanted = [catalogue.get(ruleset_id) for ruleset_id in ruleset_ids]
    except UnknownRulesetError as error:
        fail(str(error))
    for ruleset in wanted:
        if not isinstance(ruleset.rules, MauBinhRules):
            fail(f"{ruleset.id} is a ruleset of {ruleset.game}; populations are learned for mau_binh")
        _learn(ruleset, ruleset.rules, rounds=rounds, seed=seed, folder=folder)


def _learn(ruleset: Ruleset, rules: MauBinhRules, *, rounds: int, seed: int, folder: Path) -> None:
    from referee.advice.mau_binh.population import Origin  # noqa: PLC0415 - no other command waits for numpy
    from referee.advice.mau_binh.populations import SUFFIX  # noqa: PLC0415 - as above
    from referee.advice.mau_binh.self_play import learn as learned  # noqa: PLC0415 - as above
    from referee.advice.mau_binh.self_play import sweep_kind  # noqa: PLC0415 - as above

    console, distances = Console(), [1.0]
    origin = Origin(
        ruleset_id=ruleset.id,
        ruleset_version=ruleset.version,
        ruleset_digest=ruleset.digest.hex(),
        sweep=sweep_kind(rules),
        rounds=rounds,
        seed=seed,
    )
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console) as bar:
        task = bar.add_task(ruleset.id, total=rounds)
        population = learned(
            rules, origin=origin, progress=lambda done: bar.advance(task, done), settled=distances.append
        )
    file = folder / f"{ruleset.id}{SUFFIX}"
    data = population.to_bytes()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    except OSError as error:
        fail(str(error))
    console.print(
        f"{file}: {len(data):,} bytes, {population.size:,} hands, SHA-256 {population.digest.hex()}\n"
        f"The last step's hands are at most {distances[-1]:.1%} from the population they answer, in any chi.",
        soft_wrap=True,
        highlight=False,
    )
