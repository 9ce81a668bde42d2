"""How far the time of a leaf may be from a clock and from the times of other leaves.

A server refuses to append a leaf beyond the slack, and an audit reports one.
"""

from typing import Final

SLACK_MS: Final = 10_000
"""Time by which a leaf may be dated away from the appending process's clock, and behind the log's newest leaf."""
