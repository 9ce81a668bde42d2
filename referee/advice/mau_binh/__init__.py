"""The value of each of the 72,072 ways to arrange thirteen cards at a table, and the best ones with their reasons.

An arrangement is worth what it wins from opponents who arrange as a *population* does, at the ruleset's prices and the
table's number of seats. Every split that does not foul is valued, in whole numbers, so the best one is exact. Only the
thirteen cards of the asking seat count.

*The model.* A population is learned by self-play (``self_play``): how often each strength is in the back, middle and
front of players who all follow this advice. The chi are valued by these counts exactly: the amount won from weaker
hands minus the amount lost to stronger hands. A sweep (*sập hầm*, *sập 3 chi*) or four aces depend on all three chi at
once, which are not independent, so their value comes from joint counts over bins of strengths. Opponents are assumed
independent of one another and of the asking seat's cards. Seats with an instant win are left out, because they end the
round at the deal, and so are seats that foul or leave.
"""
