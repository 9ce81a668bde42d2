"""Progress of commands that can take long: a rate, the time left, and only on a terminal."""

import io

import pytest
from rich.console import Console
from structlog.testing import capture_logs

from referee.cli import progress
from referee.cli.progress import ProgressBar, progress_bar
from referee.server.process.serving import Verifying


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw bars at once."""
    monkeypatch.setattr(progress, "_HIDDEN_SECONDS", 0)


def console(*, is_terminal: bool) -> Console:
    """Return a console of 100 columns that writes into memory."""
    return Console(file=io.StringIO(), force_terminal=is_terminal, width=100, color_system=None, stderr=True)


def shown(on: Console) -> str:
    assert isinstance(on.file, io.StringIO)
    return on.file.getvalue()


def step(bar: ProgressBar) -> None:
    for done in (0, 1_000, 2_000, 30_000):
        bar(done, 40_000)


@pytest.mark.usefixtures("drawn")
def test_terminal_is_shown_how_much_is_done_how_fast_and_how_long_it_takes() -> None:
    terminal = console(is_terminal=True)
    with progress_bar("auditing", console=terminal) as bar:
        step(bar)
    last = shown(terminal).split("auditing")[-1]
    assert "30,000 of 40,000 leaves" in last
    assert "/s" in last
    assert ":" in last  # minutes and seconds left


@pytest.mark.usefixtures("drawn")
def test_pipe_is_shown_nothing() -> None:
    pipe = console(is_terminal=False)
    with progress_bar("auditing", console=pipe) as bar:
        step(bar)
        bar.advance("decks", 1, 2)
    assert shown(pipe) == ""


def test_what_ends_at_once_draws_nothing() -> None:
    terminal = console(is_terminal=True)
    with progress_bar("auditing", console=terminal) as bar:
        bar(40_000, 40_000)
    assert "auditing" not in shown(terminal)


@pytest.mark.usefixtures("drawn")
def test_parts_are_counted_apart() -> None:
    terminal = console(is_terminal=True)
    with progress_bar("dealing", "decks", console=terminal) as bar:
        for _ in range(3):
            bar.advance("decks", 10, 100)
        bar.advance("controls", 5, 20)
    assert "30 of 100 decks" in shown(terminal)
    assert "5 of 20 decks" in shown(terminal)


def test_start_of_a_server_logs_rate_and_time_left() -> None:
    times = iter([0.0, 1.0, 6.0, 7.0, 12.0])
    verifying = Verifying(clock=lambda: next(times))
    with capture_logs() as lines:
        for done in (100, 200, 700, 800, 1_300):
            verifying(done, 2_500)
    logged = [(line["leaves"], line["of"], line["leaves_per_second"], line["seconds_left"]) for line in lines]
    assert logged == [(700, 2_500, 100, 18), (1_300, 2_500, 100, 12)]
