"""A connection that takes fewer calls at once than are refused on it: a refusal that is kept uses up one of them."""

from typing import Final

import pytest

from tests.budget import sample

STREAMS: Final = sample(8, whole=32)
TIMES: Final = sample(12, whole=100)
FEWER: Final = pytest.mark.smaller("12 refusals on a connection of 8 calls at once, instead of 100 on one of 32")
