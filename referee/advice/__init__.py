"""Advice for players, computed only from what the asking seat may know and from published tables.

The same question has the same answer, and nothing unlawful is advised. No game's advice imports another's. A server
computes advice in separate processes (``process``), so a question and its answer can be pickled, and the modules that
define them do not import numpy.
"""


class NoAdviceError(LookupError):
    """A question that no advice is available for, such as a ruleset without a table of values."""
