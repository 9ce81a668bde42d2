"""``referee rounds``: a log's rounds as Parquet tables, or as a list that a running server gives."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import typer

from referee.cli.audited_log import LogOptions
from referee.cli.command import Commands
from referee.cli.options import FOUND, AsJson, answer, read_time
from referee.cli.progress import progress_bar
from referee.cli.served_log import CALL_SECONDS, called_log
from referee.cli.service_access import Address, ServiceOptions
from referee.cli.show import time_text
from referee.cli.status import stage_name
from referee.evidence.printable import printable
from referee.server.clock import system_clock
from referee.v1 import log_pb2

app = Commands(
    examples=["referee rounds export referee-data --out rounds", "referee rounds list 127.0.0.1:50051"],
    help="Write a log's rounds as Parquet tables, or list those of a running server.",
    no_args_is_help=True,
)

_PAGE: Final = 100
_KEY_BYTES: Final = 32


@app.command(
    examples=[
        "referee rounds export referee-data --out rounds",
        "referee rounds export play.example.com:443 --tls --out rounds --json",
    ]
)
def export(
    *,
    source: LogOptions,
    out: Annotated[Path, typer.Option(help="Folder of the tables; tables in it are continued.", file_okay=False)],
    service: ServiceOptions,
    as_json: AsJson = False,
) -> None:
    """Write a log's rounds as Parquet tables by day; go on where an export ended.

    The tables are rounds, seats, events, transfers and aborts, of rounds that ended. The log's signed checkpoint, that
    the leaves are those which it signs, and that they continue what the folder has are verified; referee audit
    verifies what the leaves say. Keys are those of referee audit. Rounds are named that have not ended and should have
    by now, or by --as-of.

    Exit code 0 if every leaf was read, 1 if some gave no row (they are named), 2 if the export could not be made.
    """
    from referee.cli.rounds_export import export_lines, only_export  # noqa: PLC0415 - of a system with locks on files
    from referee.rounds.export import export_rounds  # noqa: PLC0415 - the extra parquet

    with source.open(service.read()) as log, only_export(out), progress_bar("exporting") as bar:
        time = log.time(system_clock())
        done = export_rounds(log.source, out, origin=log.origin, keys=log.trusted, time=time, progress=bar)
    value = {"folder": str(out), "origin": log.origin, **msgspec.to_builtins(done)}
    answer(value, "\n".join(export_lines(done, out)), as_json=as_json)
    raise typer.Exit(FOUND if done.unread_count else 0)


def _read_key(text: str) -> bytes:
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != _KEY_BYTES:
        raise typer.BadParameter(f"{text!a} is no seat's key: give the {_KEY_BYTES} bytes of an Ed25519 key in hex")
    return key


@app.command(
    "list",
    examples=[
        "referee rounds list 127.0.0.1:50051 --table acme.vip-7",
        "referee rounds list play.example.com:443 --tls --tables demo. --json",
    ],
)
def list_rounds(  # noqa: PLR0913 - one parameter an option
    address: Address,
    *,
    table: Annotated[str | None, typer.Option(metavar="TABLE", help="Of this table alone.")] = None,
    tables: Annotated[
        str | None, typer.Option(metavar="PREFIX", help="Of the tables whose ids begin so, such as acme.")
    ] = None,
    seat_key: Annotated[
        bytes | None,
        typer.Option(
            metavar="KEY", parser=_read_key, help="Of the rounds in which a seat has this key, in hex, alone."
        ),
    ] = None,
    start: Annotated[
        int | None,
        typer.Option(
            "--from",
            metavar="TIME",
            parser=read_time,
            help="Opened at this time or later, as 2026-11-24T12:00:00Z or in ms since 1970 UTC.",
        ),
    ] = None,
    end: Annotated[
        int | None, typer.Option("--until", metavar="TIME", parser=read_time, help="Opened before this time.")
    ] = None,
    most: Annotated[int, typer.Option(help="How many at most.", min=1)] = _PAGE,
    service: ServiceOptions,
    as_json: AsJson = False,
) -> None:
    """List the rounds that a running server has, newest first.

    A round whose seed is not revealed yet has table, number and stage alone. The list is what the server says, without
    a proof: referee export and referee verify prove a round of it. Where access control is on, a caller who has not
    every table names a table or a prefix of its own.

    Exit code 0 if the rounds are listed, even if there are none, 2 if the server does not answer or refuses.
    """
    request = log_pb2.ListRoundsRequest(
        table_id=table, table_prefix=tables, seat_key=seat_key, start_time=start, end_time=end
    )
    needed = "a token of these tables, or of role auditor or admin, may ask this"
    with called_log(address, service.read(), roles=needed) as (stub, metadata):
        found: list[log_pb2.ListedRound] = []
        has_more = True
        while has_more and len(found) < most:
            request.page_size = min(_PAGE, most - len(found))
            page = stub.ListRounds(request, timeout=CALL_SECONDS, metadata=metadata)
            found += page.rounds
            request.page_token, has_more = page.next_page_token, page.HasField("next_page_token")
    lines = [line for one in found for line in _lines(one)] or ["no rounds"]
    if has_more:
        lines.append(f"there may be more; --most {2 * most} lists up to {2 * most:,}")
    answer({"rounds": [_value(one) for one in found], "has_more": has_more}, "\n".join(lines), as_json=as_json)


def _value(listed: log_pb2.ListedRound) -> dict[str, Any]:
    value = {
        "table_id": listed.round.table_id,
        "round_number": listed.round.round_number,
        "stage": stage_name(listed.stage),
    }
    if not listed.HasField("revealed"):
        return value
    shown = listed.revealed
    return value | {
        "round_id": shown.round_id.hex(),
        "ruleset_id": shown.header.ruleset_id,
        "ruleset_version": shown.header.ruleset_version,
        "opened_time": shown.opened_time,
        "dealt_time": shown.dealt_time if shown.HasField("dealt_time") else None,
        "ended_time": shown.ended_time,
        "is_settled": shown.is_settled,
        "net_minor": list(shown.net_minor),
        "leaf_indexes": list(shown.leaf_indexes),
    }


def _lines(listed: log_pb2.ListedRound) -> Iterator[str]:
    line = f"{printable(listed.round.table_id)} round {listed.round.round_number}: {stage_name(listed.stage)}"
    if listed.HasField("revealed"):
        shown = listed.revealed
        ended = f"net {', '.join(f'{amount:+,}' for amount in shown.net_minor)}" if shown.is_settled else "aborted"
        line += f", {printable(shown.header.ruleset_id)}, opened {time_text(shown.opened_time)}, {ended}"
    yield line
