"""``referee status``: how a running server is, which rounds are under way and which are late."""

from datetime import UTC, datetime
from typing import Any

import typer

from referee.cli.command import Commands
from referee.cli.options import FOUND, AsJson, answer
from referee.cli.served_log import CALL_SECONDS, called_log
from referee.cli.service_access import Address, ServiceOptions
from referee.evidence.printable import counted, printable
from referee.v1 import log_pb2

app = Commands()


@app.command(
    examples=[
        "referee status 127.0.0.1:50051",
        "referee status play.example.com:443 --tls --token-file admin.token --json",
    ]
)
def status(address: Address, *, service: ServiceOptions, as_json: AsJson = False) -> None:
    """Ask a running server how it is: which server answers, whether it writes, which rounds are under way or late.

    A round is late when its deadline has passed and it has not ended. Where access control is on, this is for callers
    of role admin that have every tenant.

    Exit code 0 if the server takes all calls and no round is late, 1 otherwise, 2 if it does not answer.
    """
    needed = "a token of role admin, of every tenant, may ask this"
    with called_log(address, service.read(), roles=needed) as (stub, metadata):
        found = stub.GetStatus(log_pb2.GetStatusRequest(), timeout=CALL_SECONDS, metadata=metadata)
    answer(_value(found), "\n".join(_lines(address, found)), as_json=as_json)
    raise typer.Exit(FOUND if found.HasField("problem") or found.late_count else 0)


def _value(found: log_pb2.GetStatusResponse) -> dict[str, Any]:
    return {
        "instance": found.instance,
        "version": found.version,
        "server_time": found.server_time,
        "is_writer": found.is_writer,
        "problem": found.problem if found.HasField("problem") else None,
        "log_size": found.log_size,
        "cosigned_size": found.cosigned_size if found.HasField("cosigned_size") else None,
        "opened_count": found.opened_count,
        "dealt_count": found.dealt_count,
        "unrevealed_count": found.unrevealed_count,
        "late_count": found.late_count,
        "late_rounds": [
            {
                "table_id": late.round.table_id,
                "round_number": late.round.round_number,
                "stage": stage_name(late.stage),
                "deadline_time": late.deadline_time,
            }
            for late in found.late_rounds
        ],
    }


def _lines(address: str, found: log_pb2.GetStatusResponse) -> list[str]:
    does = "takes all calls" if not found.HasField("problem") else f"REFUSES CALLS: {printable(found.problem)}"
    cosigned = f", cosigned to {found.cosigned_size:,}" if found.HasField("cosigned_size") else ""
    writes = "writes" if found.is_writer else "only reads: it has no key of the log"
    lines = [
        f"{printable(address)}: server {printable(found.instance)}, version {printable(found.version)}, {does}",
        f"log of size {found.log_size:,}{cosigned}; this server {writes}",
        f"rounds: {found.opened_count:,} opened, {found.dealt_count:,} dealt, {found.unrevealed_count:,} unrevealed",
        f"late: {counted(found.late_count, 'round')}",
    ]
    for late in found.late_rounds:
        passed = (found.server_time - late.deadline_time) / 1000
        until = datetime.fromtimestamp(late.deadline_time / 1000, UTC)
        lines.append(
            f"  {printable(late.round.table_id)} round {late.round.round_number}: {stage_name(late.stage)}, "
            f"deadline {until:%Y-%m-%d %H:%M:%S} UTC, {passed:,.0f} s ago"
        )
    if found.late_count > len(found.late_rounds):
        lines.append(f"  and {found.late_count - len(found.late_rounds):,} more")
    return lines


def stage_name(stage: log_pb2.RoundStage) -> str:
    """Return the name of a stage as commands print it, such as dealt."""
    return log_pb2.RoundStage.Name(stage).removeprefix("ROUND_STAGE_").lower()
