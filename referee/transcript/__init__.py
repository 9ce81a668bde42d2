"""What happened in a round: what was told, what was found, and the proof that the one follows from the other.

The law of this room is ``replay(told) == transcript``, byte for byte. *Told* is the header with the stakes, the cards
by certificate, and each player's choices with their times. *Found* is what the rules make of it: violations, hand
codes, transfers, net. It refuses to know who keeps a transcript and how it reached a log.
"""
