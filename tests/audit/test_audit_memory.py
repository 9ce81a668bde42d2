"""An audit's memory does not grow with the log: an eightfold log takes no more, once the seeds' first run is full.

``tracemalloc`` counts what all threads of a process allocate, so each figure comes from a process of its own, in which
no thread of another test is at work.
"""

from tests.audit.peak_memory import LEAST_BOOK, peak_of_book, peaks_of_audits
from tests.own_process import answer_of


def test_memory_is_flat_in_the_length_of_the_log():
    """What is kept of leaves is bounded; with small bounds it is the same for both logs."""
    small, large = answer_of(peaks_of_audits)
    assert 0 < large < 1.25 * small


def test_seed_book_holds_one_run_in_memory():
    assert LEAST_BOOK < answer_of(peak_of_book) < 100_000
