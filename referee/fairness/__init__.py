"""Fairness: a report on the shuffle that a testing laboratory can run again, number for number.

The law of this room: what is claimed of the shuffle is counted out where it can be, by the functions that deal; what
can only be measured is measured against numbers known beforehand, with the chance of a false alarm said; and a report
counts for nothing unless shufflers with faults were found by the same measures. It knows no table, no player and no
log: those are the audit's.

============  ====================================================================================
module        what it says
============  ====================================================================================
``bounds``    how few decks a report may be about
``proof``     what is counted out: even draws, different orders, streams long enough
``rounds``    numbered rounds whose seeds follow from one seed
``decks``     many decks at once, byte for byte as ``referee.dealing`` shuffles them
``hand``      hands of thirteen from many decks
``law``       how often everything should happen: exact counts
``tail``      tail probabilities
``measure``   what a measure is: chi-square or a binomial tail
``places``    measures of the order itself
``poker``     measures by hands of five and seven cards
``thirteen``  measures by hands of thirteen, and what wins at the deal
``control``   shufflers with a fault each
``survey``    counting in batches, by many processes
``report``    all of it, judged
``text``      the report for people
============  ====================================================================================

>>> from referee.fairness.proof import prove
>>> all(proof.holds for proof in prove())
True
"""
