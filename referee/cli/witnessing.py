"""Options of commands that ask for cosignatures by witnesses."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated

import typer

from referee.audit.cosignatures import Witnessing
from referee.cli.options import fail
from referee.log.cosignature import quorum_of
from referee.log.policy import Policy, PolicyError

MaxAge = Annotated[
    int,
    typer.Option(
        "--max-age",
        metavar="SECONDS",
        help="Most seconds since the quorum last cosigned the log; 0 for no limit.",
        min=0,
    ),
]


@dataclass(frozen=True, kw_only=True)
class WitnessOptions:
    """Witnesses that are believed, by their keys or by a policy."""

    witness: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY", help="The verifier key of a witness to trust; several may be given."),
    ] = None
    quorum: Annotated[int, typer.Option(help="Number of these that must have cosigned; 0 for all.", min=0)] = 0
    policy: Annotated[
        Path | None,
        typer.Option(
            help="A C2SP tlog-policy with the witnesses and their quorum, instead of --witness and --quorum.",
            exists=True,
            dir_okay=False,
        ),
    ] = None

    @cached_property
    def _agreed(self) -> Policy | None:
        """The policy; names the keys that are passed over, and ends the command for a file that is no policy."""
        if self.policy is None:
            return None
        try:
            policy = Policy.parse(self.policy.read_bytes())
        except PolicyError as error:
            fail(f"{self.policy}: {error}")
        for name in policy.skipped:
            words = f"the key of {name[:100]!a} is of a type that is not verified here; passed over"
            typer.echo(f"{self.policy}: {words}", err=True)
        return policy

    def check_log(self, log_key: str) -> None:
        """End the command if the policy names logs, and none of them by this key."""
        if self._agreed is not None and self._agreed.logs and log_key not in [key.text for key in self._agreed.logs]:
            fail(f"{self.policy} does not name this log, whose key is {log_key}")

    def read(self, outgrown: Sequence[Path] | None = None, *, max_age: int = 0) -> Witnessing:
        """Return what witnesses must have done, ``max_age`` in seconds; end the command for options that contradict."""
        if self._agreed is not None and (self.witness or self.quorum):
            fail("--policy names the witnesses and their quorum: leave --witness and --quorum out")
        if (self.quorum or max_age) and not self.witness and self._agreed is None:
            fail("--quorum and --max-age need witnesses; name them with --witness")
        quorum = quorum_of(self.witness, needed=self.quorum or None) if self.witness else None
        return Witnessing(
            quorum=quorum if self._agreed is None else self._agreed.quorum,
            max_age=1000 * max_age or None,
            outgrown=tuple(path.read_bytes() for path in outgrown or ()),
        )
