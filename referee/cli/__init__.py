"""The ``referee`` command: serve, demo, audit, replay, export, rulesets, keys.

Exit codes: 0 done and nothing found, 1 something was found (an audit's findings, a replay that differs), 2 the question
cannot be answered (bad arguments, no such file, a log that cannot be read).
"""

from referee.cli.main import main

__all__ = ["main"]
