"""The table server: rooms, turns, clocks and bots for a card table in the browser, as a client of the referee.

It knows no rule of any game. Every hand, turn and payment comes from the referee's answers. What it keeps is who sits
where, until when a seat may think, and what the referee gave it to be sent back with the next question. Play money
only.
"""
