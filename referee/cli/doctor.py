"""``referee doctor``: checks whether this machine can serve, and says what to do if it cannot."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Final

import msgspec
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid

from referee.cli.command import Commands
from referee.cli.config import ConfigFile, DatabaseFlag, DataFlag, Set
from referee.cli.options import FOUND, PassphraseFile, print_json
from referee.cli.paper import paper
from referee.cli.progress import ProgressBar, progress_bar
from referee.server.doctor import CheckDepth, CheckLevel, CheckResult, examine
from referee.server.settings.reading import DEFAULT, KEYS, SettingsError, read_settings

app = Commands()

_MARKS: Final = {CheckLevel.OK: "[green]✓[/]", CheckLevel.WARN: "[yellow]![/]", CheckLevel.FAIL: "[red]✗[/]"}
_WORDS: Final = {CheckLevel.FAIL: "failed", CheckLevel.WARN: "to look at", CheckLevel.OK: "well"}
_NAMES: Final = 20
_LINE_SECONDS: Final = 5.0


@app.command(examples=["referee doctor --config referee.toml"])
def doctor(  # noqa: PLR0913 - one parameter an option
    *,
    config: ConfigFile = None,
    extra: Set = None,
    data: DataFlag = None,
    database: DatabaseFlag = None,
    passphrase_file: PassphraseFile = None,
    full: Annotated[
        bool, typer.Option("--full", help="Check every leaf and page of the log too, which takes long for a large one.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As one JSON object.")] = False,
) -> None:
    """Check configuration, store, keys, clock, machine, identity providers and witnesses; change nothing.

    It may run beside a running server. Of the log it checks what a start does; --full checks all of it.

    Exit code 0 if a server can serve, 1 if a check failed.
    """
    console = paper(highlight=False)
    results: list[tuple[str, CheckResult]] = []
    is_shown = not as_json
    with progress_bar("verifying the log") as bar:
        given = {"log.data": data, "log.database": database, "keys.passphrase_file": passphrase_file}
        flags = {key: str(value) for key, value in given.items() if value is not None}
        depth = CheckDepth(full, _leaf_progress(bar), SpacedLines())
        for group, finding in _findings(config, flags, extra or [], depth):
            if is_shown:
                _show(console, group, finding, is_first=not results or results[-1][0] != group)
            results.append((group, finding))
    count = {level: sum(finding.level is level for _, finding in results) for level in _WORDS}
    if is_shown:
        style = "red" if count[CheckLevel.FAIL] else "yellow" if count[CheckLevel.WARN] else "green"
        words = ", ".join(f"{number} {_WORDS[level]}" for level, number in count.items() if number)
        console.print(f"\n[{style}]{words}[/]")
    else:
        checks = [{"group": group, **msgspec.to_builtins(finding)} for group, finding in results]
        print_json({"ok": not count[CheckLevel.FAIL], "checks": checks})
    raise typer.Exit(FOUND if count[CheckLevel.FAIL] else 0)


class SpacedLines:
    """Lines on standard error about work that takes long, one every five seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._said = clock()

    def __call__(self, words: str) -> None:
        """Write a line, unless the last one was less than five seconds ago."""
        if self._clock() - self._said >= _LINE_SECONDS:
            self._said = self._clock()
            typer.echo(words, err=True)


def _leaf_progress(bar: ProgressBar) -> Callable[[int, int], None]:
    """Return the progress through a log: the bar on a terminal, otherwise lines."""
    lines = SpacedLines()
    return bar if sys.stderr.isatty() else lambda done, size: lines(f"verifying the log: {done:,} of {size:,} leaves")


def _findings(
    config: ConfigFile, flags: Mapping[str, object], extra: list[str], depth: CheckDepth
) -> Iterator[tuple[str, CheckResult]]:
    """Yield the faults of the configuration; if it has none, yield the results of all checks, each with its group."""
    try:
        read = read_settings(file=config, environ=os.environ, flags=flags, extra=extra)
    except SettingsError as error:
        for fault in error.faults:
            yield "configuration", CheckResult.fail(fault.where, fault.what, fault.remedy)
        return
    count = sum(source != DEFAULT for source in read.sources.values())
    where = str(config) if config is not None else "no file"
    yield "configuration", CheckResult.ok(where, f"{count} of {len(KEYS)} keys set, nothing wrong")
    yield from examine(read.configuration, depth=depth)


def _show(console: Console, group: str, finding: CheckResult, *, is_first: bool) -> None:
    if is_first:
        console.print(f"\n[bold]{group}[/]")
    grid = Grid.grid(padding=(0, 1))
    grid.add_column(width=2, justify="right")
    grid.add_column(width=_NAMES, overflow="fold")
    grid.add_column(overflow="fold")
    grid.add_row(_MARKS[finding.level], escape(finding.check), escape(finding.measured))
    if finding.remedy:
        grid.add_row("", "", f"[cyan]→[/] {escape(finding.remedy)}")
    console.print(grid)
