"""The questions of ``referee audit --answered``: options, and the reader that asks them."""

from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from referee.audit.cluster import executor_of
from referee.cli.options import fail
from referee.evidence.outside import OutsideError
from referee.evidence.printable import error_words
from referee.extras import install

if TYPE_CHECKING:
    from referee.answered.reader import Answered
    from referee.answered.scored import ScoredRounds

TABLE: Final = "answered.parquet"
"""File of a round's scores in the folder of --tables."""

IsAsked = Annotated[
    bool,
    typer.Option(
        "--answered",
        help="Ask too, at tables of Mậu Binh, whether players arranged as if they knew others' cards.",
    ),
]
SettingsFile = Annotated[
    Path | None,
    typer.Option(
        "--answered-settings",
        metavar="FILE",
        help="TOML for --answered: who may know whose cards, and whom to ask about all hands.",
        exists=True,
        dir_okay=False,
    ),
]
ScoresFile = Annotated[
    Path | None,
    typer.Option(
        "--answered-scores",
        metavar="FILE",
        help="A file in which --answered keeps its scores: the next audit of the grown log scores only new rounds.",
        dir_okay=False,
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """What to ask by: files of settings and scores, folders of card tables and of Parquet tables, where to score."""

    settings: Path | None
    scores: Path | None
    folder: Path | None
    tables: Path | None
    workers: int
    scheduler: str

    @classmethod
    def of(  # noqa: PLR0913 - one parameter an option
        cls,
        is_asked: bool,  # noqa: FBT001 - an option
        settings: Path | None,
        scores: Path | None,
        *,
        folder: Path | None,
        tables: Path | None,
        workers: int,
        scheduler: str,
    ) -> "Asking | None":
        """Return how to ask; None without --answered, which the other options need."""
        if is_asked:
            return cls(
                settings=settings,
                scores=scores,
                folder=folder,
                tables=tables,
                workers=workers,
                scheduler=scheduler,
            )
        if settings is not None or scores is not None:
            fail("--answered-settings and --answered-scores are for --answered: give it too")
        return None

    @contextmanager
    def reader(self) -> "Iterator[Answered]":
        """Begin to ask; keep the scores at the end, unless the audit failed."""
        try:
            from referee.answered.reader import Answered  # noqa: PLC0415 - numpy, for this option alone
            from referee.answered.settings import read_settings  # noqa: PLC0415 - as above
        except ImportError:
            fail(f"--answered was not asked: its values need numpy; {install('cli')}")
        from referee.advice.mau_binh.population import PopulationError  # noqa: PLC0415 - numpy

        with ExitStack() as stack:
            with _files_named():
                settings = None if self.settings is None else read_settings(self.settings)
                earlier = self.scores if self.scores is not None and self.scores.exists() else None
                executor: Executor | None = None
                if self.scheduler:
                    executor = stack.enter_context(executor_of(self.scheduler))
                elif self.workers > 1:
                    executor = stack.enter_context(ProcessPoolExecutor(self.workers))
                asked = stack.enter_context(Answered(settings, folder=self.folder, earlier=earlier, executor=executor))
            try:
                yield asked
            except PopulationError as error:
                fail(f"--answered: {error_words(error)}")
            with _files_named():
                if self.scores is not None:
                    asked.scored.keep(self.scores)
                if self.tables is not None:
                    _write_table(asked.scored, self.tables / TABLE)


@contextmanager
def _files_named() -> "Iterator[None]":
    """Fail for a file of --answered that cannot be read or written; errors of the audit itself are not its own."""
    try:
        yield
    except (OutsideError, OSError) as error:
        fail(f"--answered: {error_words(error)}")


def _write_table(scored: "ScoredRounds", file: Path) -> None:
    """Write a row for each round and ordered pair of its seats: both logarithms of the factor of its stakes.

    ``deal_leaf`` is that of the table of rounds; its seats have the keys.
    """
    import numpy as np  # noqa: PLC0415 - for this option alone
    import pyarrow as pa  # noqa: PLC0415 - the extra parquet
    import pyarrow.parquet as pq  # noqa: PLC0415 - as above

    indices, numbers = ("deal_leaf", "seat", "known_seat"), ("by_cards", "by_hands")
    kinds = [(name, pa.int64()) for name in indices] + [(name, pa.float64()) for name in numbers]
    with pq.ParquetWriter(file, pa.schema(kinds), compression="zstd") as writer:
        for records in scored:
            seated = records["owners"] > 0
            places = np.nonzero(seated[:, :, np.newaxis] & seated[:, np.newaxis] & ~np.eye(seated.shape[1], dtype=bool))
            columns = [records["leaf"][places[0]], *places[1:], *[records[name][places] for name in numbers]]
            arrays = [pa.array(column, type=kind) for column, (_, kind) in zip(columns, kinds, strict=True)]
            writer.write_table(pa.Table.from_arrays(arrays, schema=writer.schema))
