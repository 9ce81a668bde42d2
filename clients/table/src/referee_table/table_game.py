"""What the table server needs of a game: the type of a game's registration."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from referee_client import AsyncClient, SeatSecrets, Terms

from referee_table.commands import Command
from referee_table.glossary import Glossary
from referee_table.laws import Law
from referee_table.play import Play, Setup
from referee_table.sentences import Data, Text
from referee_table.state import Round


@dataclass(frozen=True, slots=True, kw_only=True)
class TableGame:
    """A game at the table. ``name`` is that of its rulesets; ``begin`` returns the SDK's next round of it at a table.

    ``commands`` are those of its own that a page may send in a round. ``sections`` writes the screen of rules;
    ``features`` are sentences on what its rulesets differ in, the most important first. ``shown`` returns the members
    of a ruleset that pages are given of this game alone. ``glossary`` has the words of this game alone.

    ``can_seal``: a table may deal hands that only their seats can open. ``is_seated_by_referee``: its rulesets have
    rules of seating and a clock for being ready. ``has_bets``: each seat chooses an Ante and Trips before the deal,
    which are its stakes. ``round_ms`` is how long a round may last, if longer than the referee's limit.
    """

    name: str
    begin: Callable[[AsyncClient, Terms, Sequence[SeatSecrets]], Any]
    play: Callable[[Setup, Round, Any], Play]
    commands: tuple[type[Command], ...] = ()
    sections: Callable[[Law], list[dict[str, Any]]] = lambda _law: []
    features: tuple[Callable[[Data], Text], ...] = ()
    shown: Callable[[Data], dict[str, Any]] = lambda _data: {}
    glossary: Glossary = field(default_factory=dict)
    can_seal: bool = False
    is_seated_by_referee: bool = False
    has_bets: bool = False
    round_ms: int | None = None
