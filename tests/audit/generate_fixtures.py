"""Write the audit's fixtures: run ``python tests/audit/generate_fixtures.py`` after a change of format or rulesets.

``healthy.jsonl`` holds sound logs, the others one log for each attack: ``mutations.jsonl`` those that its leaves and
checkpoints show, ``held.jsonl`` those that show only with documents that people kept, ``seats.jsonl`` those
on seats' signatures and sealed hands, ``courses.jsonl`` those on events and openings, ``chance.jsonl`` those that only
many rounds together show, ``cosigned.jsonl`` those that witnesses show, ``tiles.jsonl`` those on published tiles; the
last two also hold sound logs, and are described in ``audit_watched`` and ``audit_tiles``.

A line holds all that a verifier in any language needs: origin, keys, checkpoint, leaves, documents, checkpoints kept by
others, the auditor's clock, which is also ``as_of`` where the log is audited as a running one, and in ``expected`` the
first finding's code, its number and its severity. Rulesets are
named by digest and are the files of ``referee/rulesets``. Documents are in base64. ``log_receipts``, C2SP tlog-proofs
each with its leaf if the holder has it, ``exports`` and ``seeds`` are present only if there are any. Everything is
derived from names, so every run writes the same.
"""

import base64
import functools
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from referee.audit.documents import KeptReceipt
from tests.audit import audit_tiles, audit_watched
from tests.audit.audit_attacks_courses import receipted_by_a_key_that_went
from tests.audit.audit_attacks_receipts import kept_moves
from tests.audit.audit_attacks_rules import repeated_receipts
from tests.audit.audit_attacks_starts import started, started_late
from tests.audit.audit_builder import LOG, ORIGIN, ROOT, newest_time
from tests.audit.audit_mutations import MUTATIONS, Attacked, healthy

FOLDER: Final = Path(__file__).parents[1] / "vectors" / "audit"
MUTATED: Final = ("mutations.jsonl", "held.jsonl", "seats.jsonl", "courses.jsonl", "chance.jsonl")
FILES: Final = ("healthy.jsonl", *MUTATED, "cosigned.jsonl", "tiles.jsonl")
SOUND: Final[Mapping[str, tuple[str, Callable[[], Attacked]]]] = {
    "healthy": ("a sound log has no finding", healthy),
    "receipt_of_a_key_between": (
        "a receipt in an UNSEAL holds by a key that was in force only between DEAL and UNSEAL",
        functools.partial(receipted_by_a_key_that_went, steps="OD"),
    ),
    "receipts_of_a_repeated_call": (
        "a call that is repeated gives another receipt of the same event, with another time",
        repeated_receipts,
    ),
    "starts": ("two servers say what judges; a ruleset may go from one while the other has it", started),
    "started_late": ("what was settled before the first START is noted nowhere", started_late),
    "receipted_events": ("each event of a round is kept with its receipt and the hash before it", kept_moves),
}
SOURCE: Final = "fairness.md, What the audit must catch"


def lines(name: str) -> Iterator[str]:
    """Yield the lines of a fixture file."""
    if name == "healthy.jsonl":
        for name_of_log, (why, make) in SOUND.items():
            yield _line(make(), id=name_of_log, why=why, source=SOURCE, expected={})
    if name == "cosigned.jsonl":
        yield from audit_watched.lines()
    if name == "tiles.jsonl":
        yield from audit_tiles.lines()
    for one in [mutation for mutation in MUTATIONS if mutation.file == name]:
        expected = {"code": one.code.value, "number": one.number, "severity": one.code.severity.value}
        yield _line(one.attack(), id=one.id, why=one.why, source=f"{SOURCE}, {one.number}", expected=expected)


def _line(attacked: Attacked, **about: Any) -> str:  # noqa: ANN401 - members of a JSON object
    entries = attacked.bundle.entries
    fixture = {
        **about,
        "now": attacked.now,
        **({"as_of": attacked.now} if attacked.now > newest_time(entries) and not attacked.is_copy else {}),
        "origin": ORIGIN,
        "log_key": LOG.text,
        "root_key": ROOT.text,
        "checkpoint": attacked.bundle.checkpoint.decode(),
        "witnessed": [note.decode() for note in attacked.witnessed],
        "certificates": [base64.b64encode(one).decode() for one in attacked.documents.certificates],
        "event_receipts": [base64.b64encode(one).decode() for one in attacked.documents.event_receipts],
        "leaves": [leaf.decode() for leaf in entries],
    }
    if attacked.documents.log_receipts:
        fixture["log_receipts"] = [_promise(one) for one in attacked.documents.log_receipts]
    if attacked.documents.exports:
        fixture["exports"] = [base64.b64encode(one).decode() for one in attacked.documents.exports]
    if attacked.documents.seeds:
        fixture["seeds"] = [msgspec.to_builtins(one) for one in attacked.documents.seeds]
    return json.dumps(fixture, ensure_ascii=False, separators=(",", ":"))


def _promise(promise: KeptReceipt) -> dict[str, str]:
    leaf = {} if promise.leaf is None else {"leaf": base64.b64encode(promise.leaf).decode()}
    return {"receipt": promise.receipt.decode(), **leaf}


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for file in FILES:
        (FOLDER / file).write_text("".join(f"{line}\n" for line in lines(file)), encoding="utf-8")
