"""Options of commands that ask for cosignatures by witnesses."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from referee.audit.cosignatures import Witnessing
from referee.cli.options import fail
from referee.log.cosignature import quorum_of
from referee.log.policy import Policy, PolicyError

WitnessKeys = Annotated[
    list[str] | None,
    typer.Option("--witness", metavar="KEY", help="The verifier key of a witness to trust; several may be given."),
]
PolicyFile = Annotated[
    Path | None,
    typer.Option(
        "--policy",
        help="A C2SP tlog-policy with the witnesses and their quorum, instead of --witness and --quorum.",
        exists=True,
        dir_okay=False,
    ),
]
Needed = Annotated[int, typer.Option("--quorum", help="Number of these that must have cosigned; 0 for all.", min=0)]
MaxAge = Annotated[
    int,
    typer.Option(
        "--max-age",
        metavar="SECONDS",
        help="Most seconds since the quorum last cosigned the log; 0 for no limit.",
        min=0,
    ),
]


def policy_of(file: Path | None) -> Policy | None:
    """Read a policy, None for none; name the keys that are passed over, and end the command for a file that is none."""
    if file is None:
        return None
    try:
        policy = Policy.parse(file.read_bytes())
    except PolicyError as error:
        fail(f"{file}: {error}")
    for name in policy.skipped:
        typer.echo(f"{file}: the key of {name[:100]!a} is of a type that is not verified here; passed over", err=True)
    return policy


def check_policy_names(policy: Policy | None, file: Path | None, *, log_key: str) -> None:
    """End the command if the policy of a file names logs, and none of them by this key."""
    if policy is not None and policy.logs and log_key not in [key.text for key in policy.logs]:
        fail(f"{file} does not name this log, whose key is {log_key}")


def witnessing_of(
    keys: Sequence[str] | None,
    outgrown: Sequence[Path] | None = None,
    *,
    quorum: int,
    max_age: int,
    policy: Policy | None = None,
) -> Witnessing:
    """Read the options about witnesses; end the command if they contradict each other."""
    if policy is not None and (keys or quorum):
        fail("--policy names the witnesses and their quorum: leave --witness and --quorum out")
    if (quorum or max_age) and not keys and policy is None:
        fail("--quorum and --max-age need witnesses; name them with --witness")
    agreed = quorum_of(keys, needed=quorum or None) if keys else None
    if policy is not None:
        agreed = policy.quorum
    return Witnessing(
        quorum=agreed,
        max_age=1000 * max_age or None,
        outgrown=tuple(path.read_bytes() for path in outgrown or ()),
    )
