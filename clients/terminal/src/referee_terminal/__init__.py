"""A card table in a terminal: a client of the table server, beside the page in the browser.

The terminal decides nothing. It shows the newest view, sends what its person does, and does by itself what the
protocol asks of every page: bind to a seed, show it, and in sealed rooms fetch the hand, commit and open. What a round
needs in secret is kept in a file until the round is over, so that a terminal that was closed comes back as it was.

================  ================================================================================
module            what it says
================  ================================================================================
``words``         every sentence in Vietnamese and English
``faces``         cards as they look in a terminal
``seat``          what a seat draws, keeps and shows: seeds, tokens, commitments
``gateway``       a sealed hand, and questions about it, from the referee itself
``session``       the stream: hello, views, commands, coming back
``arranging``     Mậu Binh: thirteen cards in three rows
``shedding``      Tiến Lên: a hand to choose from
``betting``       Ultimate Texas Hold'em: what may be decided
``scores``        who paid whom, and why
``showdown``      Mậu Binh's show, chi by chi
``proof``         a finished round, checked here from its bundle
``lobby``         rooms to join, tables to open
``table``         the table, and what each key does; ``over`` lies over it, ``hints`` is its last line
``app``           all of it together
================  ================================================================================
"""

__version__ = "0.1.0"
