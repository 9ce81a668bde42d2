"""A report on the shuffle that a testing laboratory can reproduce, number for number.

What is claimed of the shuffle is counted out where possible, by the functions that deal; the rest is measured against
numbers known beforehand, with the chance of a false alarm stated. A report is worth nothing unless the same measures
find shufflers with faults. Players, tables and logs are the subject of the audit.

``report`` is the whole: ``proof`` counts out that draws are even, orders differ and streams are long enough; ``survey``
counts in batches of ``rounds`` whose ``decks`` are shuffled many at once; ``places``, ``poker`` and ``thirteen`` hold
values of ``measure``, compared with the exact counts of ``law`` by the probabilities of ``tail``; ``control`` has the
shufflers with a fault. ``hand`` packs hands of thirteen, ``text`` writes the report, ``bounds`` are its smallest sizes.

>>> from referee.lab.fairness.proof import prove
>>> all(proof.holds for proof in prove())
True
"""
