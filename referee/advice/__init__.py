"""Advice for players, computed only from what the asking seat may know and from published tables.

The same question has the same answer, and nothing unlawful is advised. No game's advice imports another's. Modules that
define questions and answers do not import numpy; long computations call ``stopping.pause`` between their samples.
"""


class NoAdviceError(LookupError):
    """A question that no advice is available for, such as a ruleset without a table of values."""
