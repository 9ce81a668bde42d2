"""Scripts by round; the server asks here for the seed of each round it opens.

A script is for one round, the next that its table opens, or a numbered one; one without a table is for the
next round that any table opens. What a round was given once it keeps. A round without a
script is dealt by the book's own random numbers, the same for the same ``luck``, and no seat wins it at the deal.

"""

import random
import threading
from collections import deque
from typing import Final

from referee.cards import Card
from referee.dealing.commitment import server_commitment
from referee.dealing.deal import has_leader, scripted_leader
from referee.dealing.deck import COPIES, seed_for_order
from referee.dealing.header import Header
from referee.rulesets import Catalogue
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError
from referee_harness.refusal import HarnessError
from referee_harness.script import Script

ANY_TABLE: Final = ""
NEXT_ROUND: Final = 0
_NO_SCRIPT: Final = Script()


class ScriptBook:
    """Scripts by table and round; ``seed_of`` is what the server asks."""

    def __init__(self, catalogue: Catalogue, *, luck: int = 0) -> None:
        self._catalogue = catalogue
        self._luck = random.Random(luck)  # noqa: S311 - decks of tests, the same in every run
        self._lock = threading.Lock()
        self._numbered: dict[tuple[str, int], Script] = {}
        self._next: dict[str, deque[Script]] = {}
        self._given: dict[bytes, bytes] = {}

    def add(self, script: Script, *, table_id: str = ANY_TABLE, round_number: int = NEXT_ROUND) -> None:
        """Script a round; replace an earlier script for the same number."""
        with self._lock:
            if round_number == NEXT_ROUND:
                self._next.setdefault(table_id, deque()).append(script)
            elif table_id == ANY_TABLE:
                raise HarnessError(field="round_number", message="a numbered round is a table's; say which")
            else:
                self._numbered[table_id, round_number] = script

    def forget(self) -> None:
        """Drop all scripts; rounds that were opened keep their decks."""
        with self._lock:
            self._numbered.clear()
            self._next.clear()

    @property
    def waiting(self) -> int:
        """How many scripts no round was opened for yet."""
        with self._lock:
            return len(self._numbered) + sum(len(scripts) for scripts in self._next.values())

    def seed_of(self, header: Header) -> bytes:
        """Return the seed of a round, the same each time; refuse a round whose script cannot be dealt."""
        with self._lock:
            known = self._given.get(header.round_id)
            if known is not None:
                return known
            script = self._take(header)
            try:
                order = script.order(header, self._catalogue.of_digest(header.ruleset_digest), self._luck)
            except HarnessError as error:
                raise RefusedError(
                    ErrorReason.ERROR_REASON_INVALID_FIELD,
                    f"the scripted deck of this round cannot be dealt: {error.field}: {error}",
                    script_field=error.field,
                ) from None
            seed = self._seed(order, header, leader=script.leader)
            self._given[header.round_id] = seed
            return seed

    def _take(self, header: Header) -> Script:
        numbered = self._numbered.pop((header.table_id, header.round_number), None)
        if numbered is not None:
            return numbered
        for table in (header.table_id, ANY_TABLE):
            if scripts := self._next.get(table):
                return scripts.popleft()
        return _NO_SCRIPT

    def _seed(self, order: tuple[Card, ...], header: Header, *, leader: int | None) -> bytes:
        """Search for a seed that selects the scripted deck and, if one is scripted, the leader."""
        is_leading = has_leader(header)
        while True:
            seed = seed_for_order(order, copy=self._luck.randrange(COPIES))
            commitment = server_commitment(round_id=header.round_id, seed=seed)
            drawn = scripted_leader(header, server_seed=seed, commitment=commitment)
            if leader is None or not is_leading or drawn == leader:
                return seed
