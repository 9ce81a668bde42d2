"""Transcripts of rounds: ``replay(inputs) == transcript``, byte for byte.

The inputs are the header with the stakes, the cards by certificate, and each player's choices with their times; the
results are violations, hand codes, transfers and net amounts.
"""
