"""The script of figures runs, and what it counts is there."""

from tests.style.size import rows


def test_every_row_of_the_size_table_has_a_figure() -> None:
    figures = {what: int(figure.replace(",", "")) for what, figure, _ in rows()}
    assert len(figures) == 13
    assert {what for what, figure in figures.items() if not figure} <= {"class names defined more than once"}
