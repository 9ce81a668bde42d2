"""``referee learn``: learns by self-play how opponents arrange, which a game's advice assumes."""

from pathlib import Path
from typing import Annotated

import typer

from referee.cli.command import Commands
from referee.cli.odds import ODDS
from referee.cli.options import AsJson, RulesetFolder, catalogue_of, fail

app = Commands()


@app.command(examples=["referee learn mau_binh.my_house --rulesets my-rulesets"])
def learn(  # noqa: PLR0913 - one parameter an option
    ruleset_ids: Annotated[list[str], typer.Argument(metavar="RULESET...", help="Ids of rulesets of Mậu Binh.")],
    *,
    rounds: Annotated[int, typer.Option(help="Rounds of self-play for each.", min=320)] = 320_000,
    seed: Annotated[int, typer.Option(help="The same rounds and seed give the same bytes.", min=0)] = 1,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder to write <id>.population and <id>.cards into; by default that of --rulesets.", file_okay=False
        ),
    ] = None,
    rulesets: RulesetFolder = None,
    as_json: AsJson = False,
) -> None:
    """Learn how players arrange under a ruleset, for SuggestArrangement to advise it by.

    referee audit --answered values rounds by it too.
    referee serve --rulesets FOLDER reads the files in FOLDER beside the rulesets.
    """
    catalogue = catalogue_of(rulesets)
    folder = out or rulesets or Path()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(f"{folder} cannot be written ({error.strerror}); give another folder with --out")
    wanted = [catalogue.get(ruleset_id) for ruleset_id in ruleset_ids]
    for ruleset in wanted:
        game = ODDS.get(ruleset.game)
        if game is None or game.learn is None:
            known = ", ".join(name for name, one in ODDS.items() if one.learn is not None)
            fail(f"{ruleset.id} is a ruleset of {ruleset.game}; populations are learned for {known}")
        game.learn(ruleset, rounds=rounds, seed=seed, folder=folder, as_json=as_json)
