"""Dealing: from seeds that were committed to, to sections of cards that one key each opens.

The law of this room is ``redeal(OPEN, DEAL, REVEAL) == the cards told``: every card follows from the header, the
server's seed and the seats' seeds alone. Here are the derivations and formats (docs in each module); it refuses to know
where seeds come from, what time it is, and how any game is played.

==============  =================================================================================
module          what it says
==============  =================================================================================
``header``      the terms of a round and their hash, the round id
``commitment``  C, c_i, M, and commitments to arrangements
``deck``        the order of the 52 cards, and who leads
``layout``      which cards are opened together
``section``     keys and roots of sections, and the deck root
``deal``        all of that from a header and the seeds
``seal``        the server's seed, sealed for the log
``leaf``        the payloads OPEN, DEAL, ABORT, REVEAL and KEY
``certificate`` opened cards under the shuffler's signature
==============  =================================================================================
"""
