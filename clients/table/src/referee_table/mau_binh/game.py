"""The registration of Mậu Binh at the table."""

from pathlib import Path
from typing import Final

from referee_table import sentences
from referee_table.glossary import read_glossary
from referee_table.mau_binh.commands import Arrange, Check, Commit, Open
from referee_table.mau_binh.play import MauBinhPlay
from referee_table.mau_binh.rules import sections
from referee_table.table_game import TableGame

GAME: Final = TableGame(
    name="mau_binh",
    begin=lambda client, terms, secrets: client.mau_binh(terms, secrets=secrets),
    play=MauBinhPlay,
    commands=(Arrange, Check, Commit, Open),
    sections=sections,
    features=(
        sentences.sweep,
        sentences.foul,
        sentences.special_front,
        sentences.instant_wins,
        sentences.leaving,
        sentences.arranging,
    ),
    glossary=read_glossary(Path(__file__).parent),
    can_seal=True,
    is_seated_by_referee=True,
)
