"""Dealing: from committed seeds to cards, the leaves that record them and the certificates that open them.

Every card follows from the header, the server's seed and the seats' seeds alone: ``Deal.derive`` gives the cards of the
transcript's inputs from the leaves OPEN, DEAL and REVEAL.

==============  =================================================================================
module          content
==============  =================================================================================
``header``      the terms of a round and their hash, the round id
``deadlines``   until when a round is dealt and settled, and the bounds of both deadlines
``commitment``  C, c_i, M, keys and roots of sections, and the deck root
``deck``        the order of the 52 cards, and the leader that is drawn
``deal``        all of that from a header and the seeds
``lead``        who leads a round: the winner of the one before, or a seat that the deal decides
``abort``       when a round may end without a settlement, why, and who is to blame
``seal``        the server's seed, sealed for the log
``leaf``        the payloads OPEN, DEAL, ABORT, REVEAL and KEY
``certificate`` opened cards under the shuffler's signature
==============  =================================================================================
"""
