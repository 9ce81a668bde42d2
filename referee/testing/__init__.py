"""Properties that every game must have, as tests that the package of a game runs with plain pytest.

A test module subclasses ``LawTests`` and says which game it is about and how its players act::

    class TestLaw(LawTests):
        game = GAME
        ruleset_id = "high_card.classic"

        def choices(self, state, time):
            return [Show(seat, time) for seat in state.waiting]

``referee.testing.served.ServedTests`` adds rounds that the SDK plays on a real server, and the audit of
their log; it needs ``referee[server]`` and ``referee-client``, and ``LawTests`` the base alone.
"""

import contextlib

with contextlib.suppress(ImportError):  # so that pytest says what an assertion of this package compared
    import pytest

    pytest.register_assert_rewrite("referee.testing.law", "referee.testing.served")

from referee.testing.law import LawTests
from referee.testing.rounds import Step, TrialRound

__all__ = ["LawTests", "Step", "TrialRound"]
