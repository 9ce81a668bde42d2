"""The registration of Tiến Lên at the table."""

from pathlib import Path
from typing import Final

from referee_table import sentences
from referee_table.glossary import read_glossary
from referee_table.table_game import TableGame
from referee_table.tien_len.commands import Pass, PlayCards
from referee_table.tien_len.play import TienLenPlay
from referee_table.tien_len.rules import sections

HOUR_MS: Final = 3_600_000
"""Four who think for half a minute each take longer than the usual quarter of an hour."""

GAME: Final = TableGame(
    name="tien_len",
    begin=lambda client, terms, secrets: client.tien_len(terms, secrets=secrets),
    play=TienLenPlay,
    commands=(PlayCards, Pass),
    sections=sections,
    features=(sentences.chain, sentences.last_card, sentences.instant_wins, sentences.out_of_time),
    glossary=read_glossary(Path(__file__).parent),
    round_ms=HOUR_MS,
)
