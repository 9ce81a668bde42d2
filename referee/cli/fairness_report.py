"""``referee fairness-report``: the shuffle proved by exact counts, measured, and compared with faulty shufflers."""

import os
import secrets
import sys
from pathlib import Path
from typing import Annotated, Final

import msgspec
import typer

from referee.cli.command import Commands
from referee.cli.options import FOUND, fail
from referee.cli.progress import progress_bar
from referee.evidence.printable import error_words
from referee.lab.fairness.bounds import FEWEST_CONTROL_DECKS, FEWEST_DECKS

app = Commands()

SEED_SIZE: Final = 32
MOST_DECKS: Final = 100_000_000
"""Largest number of decks; a fingerprint of eight bytes of every deck is kept in memory."""


@app.command(examples=["referee fairness-report --html fairness.html"])
def fairness_report(  # noqa: PLR0913 - one parameter an option
    *,
    decks: Annotated[int, typer.Option(help="Decks to deal.", min=FEWEST_DECKS, max=MOST_DECKS)] = 4_000_000,
    control_decks: Annotated[
        int, typer.Option(help="Decks of each shuffler with a fault.", min=FEWEST_CONTROL_DECKS, max=MOST_DECKS)
    ] = 200_000,
    seed: Annotated[str, typer.Option(help="32 bytes in hexadecimal; drawn by the system where not given.")] = "",
    workers: Annotated[int, typer.Option(help="Processes; 0 for one a core.", min=0, max=256)] = 0,
    out: Annotated[Path | None, typer.Option(help="A file for the report, beside what is printed.")] = None,
    html: Annotated[Path | None, typer.Option(help="A file for the report as one page.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The report as JSON.")] = False,
    stream: Annotated[
        bool, typer.Option("--stream", help="No report: the shuffle's raw bytes on standard output, without end.")
    ] = False,
    stream_bytes: Annotated[int, typer.Option(help="With --stream: end after so many bytes; 0 for never.", min=0)] = 0,
) -> None:
    """Report on the shuffle: exact counts, statistics over millions of decks, and controls that must fail.

    Exit code 0 if everything holds, 1 if a fault was found or a control was not, 2 for bad arguments. The same seed and
    numbers give the same report. For dieharder: referee fairness-report --stream | dieharder -g 200 -a
    """
    from referee.lab.fairness.page import render_page  # noqa: PLC0415 - numpy, which no other command waits for
    from referee.lab.fairness.report import examine  # noqa: PLC0415 - as above
    from referee.lab.fairness.text import report_lines  # noqa: PLC0415 - as above

    chosen = _read_seed(seed)
    processes = workers or os.cpu_count() or 1
    if stream:
        _write_stream(chosen, workers=processes, limit=stream_bytes)
        return
    sizes = {"decks": decks, "controls": control_decks}
    with progress_bar("dealing", "decks") as bar:
        report = examine(
            chosen,
            decks=decks,
            control_decks=control_decks,
            workers=processes,
            progress=lambda part, more: bar.advance(part, more, sizes[part]),
        )
    written = msgspec.json.encode(report, order="sorted").decode() if as_json else "\n".join(report_lines(report))
    try:
        if out is not None:
            out.write_text(written + "\n", encoding="utf-8")
        if html is not None:
            html.write_text(render_page(report), encoding="utf-8")
    except OSError as error:
        fail(f"the report cannot be written: {error_words(error)}")
    typer.echo(written)
    raise typer.Exit(0 if report.holds else FOUND)


def _read_seed(text: str) -> bytes:
    try:
        seed = bytes.fromhex(text) if text else secrets.token_bytes(SEED_SIZE)
    except ValueError:
        fail("--seed is no hexadecimal")
    if len(seed) != SEED_SIZE:
        fail(f"--seed has {len(seed)} bytes; a seed has {SEED_SIZE}")
    return seed


def _write_stream(seed: bytes, *, workers: int, limit: int) -> None:
    from referee.lab.fairness.survey import stream_chunks  # noqa: PLC0415 - as above

    output = sys.stdout.buffer
    if output.isatty():
        fail("--stream writes raw bytes: lead them into a pipe, such as: | dieharder -g 200 -a")
    left = limit
    try:
        for chunk in stream_chunks(seed, workers=workers):
            written = chunk[:left] if limit else chunk
            output.write(written)
            left -= len(written)
            if limit and not left:
                break
        output.flush()
    except BrokenPipeError:  # the reader closed the pipe; let the interpreter flush its buffer to nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())
