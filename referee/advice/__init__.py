"""Advice: what a player had best do, said without deciding anything.

The law of this room: advice is worked out from what its asker may know and from published tables alone, answers alike
whenever the same is asked, and never names what the rules forbid. It judges nothing, signs nothing and moves no money;
it refuses to know clocks, networks and the cards of others. Each game stands in a folder of its own, none knowing
another.

>>> from referee.advice.mau_binh import Advisor
>>> Advisor.__name__
'Advisor'
"""
