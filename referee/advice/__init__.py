"""Advice for players, computed only from what the asker may know and from published tables.

The same question has the same answer, and nothing unlawful is advised. No game's advice imports another's.

>>> from referee.advice.mau_binh import Advisor
>>> Advisor.__name__
'Advisor'
"""
