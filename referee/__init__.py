"""Referee deals, judges, settles and proves rounds of card games for any frontend."""

__version__ = "0.1.0"
