"""The table server: rooms, turns, clocks and bots for a card table in the browser, as a client of the referee.

It knows no rule of any game. Every hand, turn and payment comes from the referee's answers. It keeps the seats, their
clocks, and the referee's signed messages, which it sends back with its next call. Play money only.
"""
