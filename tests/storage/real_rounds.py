"""Real rounds, cut into the requests that would have brought them into the log: they audit clean as far as they go."""

from typing import Final

from referee.evidence.merkle import leaf_hash
from referee.log import DealStep, OpenStep, RevealStep, SettleStep, SlotKey, Step, StepKind, Unseal, UnsealStep
from referee.storage import Append
from tests.audit.audit_builder import LOG, ORIGIN, ROOT, START, LogBuilder, Parts, Table

__all__ = ["HALF", "LEAVES", "LOG", "ORIGIN", "REQUESTS", "ROOT", "START"]


def work() -> list[list[Append]]:
    """Return requests that fill a log: its keys, then rounds of three games, steps alone and several at once."""
    builder = LogBuilder.founded()
    keys = [Append(leaf=leaf) for leaf in builder.entries]
    tables = [
        Table(name="mau", ruleset_id="mau_binh.classic", seats=2),
        Table(name="texas", ruleset_id="ultimate_texas.casino", seats=2),
        Table(name="tien", ruleset_id="tien_len.mien_nam", seats=2),
    ]
    requests = [keys]
    for table in [*tables, tables[0]]:
        opened, dealt, *unsealed, ended, revealed = _appends(builder.play(table))
        begun = [[opened], [dealt]] if table is tables[0] else [[opened, dealt]]
        requests += [*begun, *[[one] for one in unsealed], [ended, revealed]]
    return requests


def _appends(parts: Parts) -> list[Append]:
    header, deck_root = parts.header, bytes.fromhex(parts.dealt.deck_root)
    key, round_id = SlotKey(header.table_id, header.round_number), header.round_id
    unseals = tuple([Unseal(leaf.number, bytes.fromhex(leaf.history)) for leaf in parts.unseals])
    course = {one.number: one.history for one in unseals}
    steps: list[Step] = [
        OpenStep(
            key,
            round_id=round_id,
            previous_leaf=header.previous_leaf,
            deal_deadline=header.deal_deadline,
            round_deadline=header.round_deadline,
        ),
        DealStep(key, round_id=round_id, deck_root=deck_root),
        *[UnsealStep(key, round_id=round_id, unseal=one, course=course) for one in unseals],
        SettleStep(key, round_id=round_id, deck_root=deck_root, unseals=unseals),
        RevealStep(key, round_id=round_id),
    ]
    return [
        Append(
            leaf=leaf, step=step, request_digest=leaf_hash(leaf), memo=b"m" * 100 if step.kind is StepKind.OPEN else b""
        )
        for leaf, step in zip(parts.leaves, steps, strict=True)
    ]


REQUESTS: Final = work()
LEAVES: Final = [append.leaf for request in REQUESTS for append in request]
HALF: Final = sum(map(len, REQUESTS[:6]))
"""Leaves after which a log is compacted for the first time: at the end of a request, where it is looked at."""
