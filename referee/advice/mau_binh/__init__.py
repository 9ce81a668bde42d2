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

>>> from referee.advice.mau_binh.advisor import Advisor
>>> from referee.advice.mau_binh.populations import Populations
>>> from referee.cards import parse_cards, spell
>>> from referee.rulesets import get
>>> ruleset = get("mau_binh.classic")
>>> shelf = Populations.builtin()
>>> advisor = Advisor.of(ruleset.rules, shelf.population_for(ruleset.rules, digest=ruleset.digest), seat_count=4)
>>> best = advisor.suggest(parse_cards("KS KC KD 5S 5C 9H 9D 4C 4H TD QS QC 2D"), count=1)[0]
>>> [spell(sorted(chi, key=lambda card: card.number)) for chi in best.arrangement.chi]
['4C 4H KS KC KD', '2D 5S 5C 9D 9H', 'TD QS QC']
>>> best.expected > 0
True
"""
