"""Options of commands that ask for cosignatures by witnesses."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from referee.audit.cosignatures import Witnessing
from referee.cli.options import fail
from referee.evidence.vkey import KeyTextError
from referee.log.cosignature import QuorumError, quorum_of

WitnessKeys = Annotated[
    list[str] | None,
    typer.Option("--witness", help="The verifier key of a witness to trust; several may be given."),
]
Needed = Annotated[int, typer.Option("--quorum", help="Number of these that must have cosigned; 0 for all.", min=0)]
MaxAge = Annotated[
    int, typer.Option("--max-age", help="Most seconds since the quorum last cosigned the log; 0 for no limit.", min=0)
]


def witnessing_of(
    keys: Sequence[str] | None, outgrown: Sequence[Path] | None = None, *, quorum: int, max_age: int
) -> Witnessing:
    """Read the options about witnesses; end the command if they contradict each other."""
    if (quorum or max_age) and not keys:
        fail("--quorum and --max-age need witnesses; name them with --witness")
    try:
        agreed = quorum_of(keys, needed=quorum or None) if keys else None
    except (KeyTextError, QuorumError) as error:
        fail(str(error))
    return Witnessing(
        quorum=agreed,
        max_age=1000 * max_age or None,
        outgrown=tuple(path.read_bytes() for path in outgrown or ()),
    )
