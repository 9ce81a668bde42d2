"""``referee export``: one round with everything that proves it, in one self-contained file.

The file is the bundle that ``clients/verifier`` checks (its ``bundle.schema.json`` describes it): all KEY leaves, the
round's own leaves, and the leaves that ended the table's previous rounds, back to the last settled one, each with its
inclusion proof under one checkpoint. With ``--proof`` the file is a C2SP tlog-proof of the leaf that ended the round,
and the leaf is in a file beside it.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final

import typer

from referee.audit.dispute.held import LEAF_SUFFIX
from referee.cli.command import Commands
from referee.cli.options import Database, DataFolder, fail
from referee.cli.progress import progress_bar
from referee.cli.stored_log import find_round, public_keys, stored_log
from referee.dealing.header import NO_LEAF
from referee.dealing.leaf import KEY_TYPE, DealLeaf, read_leaf
from referee.evidence.canonical import CanonicalError
from referee.evidence.dsse import Envelope, EnvelopeError
from referee.evidence.note import Note, NoteError
from referee.evidence.printable import ascii_json, printable_lines
from referee.log import Checkpoint, CheckpointError, Slot, SlotKey, Stage, StepKind
from referee.service.opened import read_open
from referee.storage import Reader

app = Commands()

FORMAT: Final = 1
PROOF_SUFFIX: Final = ".tlog-proof"
_STEP: Final = 1_000
"""Number of leaves between two calls of ``progress``."""


@app.command(examples=["referee export acme.vip-7 42 --out round.json"])
def export(  # noqa: PLR0913 - one parameter an option
    table_id: Annotated[str, typer.Argument(metavar="TABLE", help="The table.")],
    round_number: Annotated[
        int, typer.Argument(metavar="ROUND", help="The round; 0 for the table's latest.", min=0)
    ] = 0,
    *,
    data: DataFolder = Path("referee-data"),
    database: Database = None,
    out: Annotated[Path | None, typer.Option(help="The file to write; standard output otherwise.")] = None,
    proof: Annotated[
        bool, typer.Option("--proof", help="A C2SP tlog-proof of the round's end; with --out its leaf beside it.")
    ] = False,
) -> None:
    """Write one round as a bundle that can be verified without the log.

    Once its seed is revealed, a bundle shows every card of its round; of other rounds it shows only how they ended.
    """
    keys = public_keys(data)
    with stored_log(data, database) as reader:
        found = find_round(reader, table_id, round_number)
        if proof:
            text = _proof(reader, found, out)
        else:
            try:
                with progress_bar("looking for keys") as bar:
                    bundle = bundle_of(reader, found, keys, progress=bar)
            except (EnvelopeError, CanonicalError, NoteError, CheckpointError) as error:
                fail(f"a leaf of the log cannot be read: {error}; `referee audit` says which, and what is wrong")
            text = (ascii_json(json.dumps(bundle, indent=2)) + "\n").encode()
    if out is None:
        typer.echo(printable_lines(text.decode()) if sys.stdout.isatty() else text, nl=False)
    else:
        out.write_bytes(text)


def bundle_of(
    reader: Reader,
    found: Slot,
    keys: dict[str, str],
    *,
    progress: Callable[[int, int], None] = lambda _done, _size: None,
) -> dict[str, object]:
    """Return the bundle of a round as values for JSON.

    ``progress`` is called with the number of leaves read and the number of all leaves.
    """
    head = reader.head()
    chosen = set()
    for index, leaf in enumerate(reader.iterate(0, head.size)):
        if Envelope.parse(leaf).payload_type == KEY_TYPE:
            chosen.add(index)
        if index % _STEP == 0:
            progress(index, head.size)
    chosen |= {mark.index for mark in reader.marks(found.key)}
    chosen |= set(_before(reader, found))
    return {
        "format": FORMAT,
        "round_id": found.round_id.hex(),
        "origin": reader.origin,
        "log_key": keys["log"],
        "root_key": keys["root"],
        "checkpoint": head.checkpoint.decode(),
        "leaves": [
            {
                "index": index,
                "leaf": reader.leaf(index).decode(),
                "proof": [node.hex() for node in reader.inclusion_proof(index=index, size=head.size)],
            }
            for index in sorted(chosen)
            if index < head.size
        ],
        **_consistency(reader, found, size=head.size),
    }


def _consistency(reader: Reader, found: Slot, *, size: int) -> dict[str, object]:
    """Return the bundle's member with the cosigned checkpoints, each with its consistency proof; empty without any.

    They are the checkpoint that the round's DEAL carries, which level L3 needs, and the newest in the store.
    """
    dealt = [mark.index for mark in reader.marks(found.key) if mark.kind is StepKind.DEAL]
    carried = read_leaf(reader.leaf(dealt[0]), DealLeaf).cosigned_checkpoint if dealt else None
    newest = reader.newest_cosigned()
    notes = [bytes.fromhex(carried)] if isinstance(carried, str) else []
    notes += [] if newest is None else [newest.note]
    by_size = {Checkpoint.parse(Note.parse(note).text).size: note for note in notes}
    shown = [
        {
            "checkpoint": note.decode(),
            "proof": [node.hex() for node in reader.consistency_proof(old_size=old, new_size=size)],
        }
        for old, note in sorted(by_size.items())
        if old <= size
    ]
    return {"consistency": shown} if shown else {}


def _proof(reader: Reader, found: Slot, out: Path | None) -> bytes:
    """Return a tlog-proof of the leaf that ended a round, or of its newest leaf if it has not ended.

    It is under the newest checkpoint that witnesses cosigned if the leaf is in its tree, else under the log's newest
    checkpoint. With ``out`` the leaf is written beside that file, with the suffix ``.leaf``.
    """
    places = {mark.kind: int(mark.index) for mark in reader.marks(found.key)}
    index = places.get(StepKind.SETTLE, places.get(StepKind.ABORT, max(places.values())))
    if out is not None:
        beside = out.with_suffix(LEAF_SUFFIX)
        if beside == out:
            fail(f"{out} is where the leaf itself is written; call the proof {out.with_suffix(PROOF_SUFFIX).name}")
        beside.write_bytes(reader.leaf(index))
    cosigned = reader.newest_cosigned()
    is_in_it = cosigned is not None and index < cosigned.size
    return reader.receipt(index, under=cosigned if is_in_it else None).text


def _before(reader: Reader, found: Slot) -> list[int]:
    """List the indices of the leaves that ended the table's previous rounds, newest first, to the last settled one.

    For each aborted round among these, list its OPEN too.
    """
    places: list[int] = []
    key, opened = found.key, _place(reader, found.key, StepKind.OPEN)
    while read_open(reader.leaf(opened)).header.previous_leaf != NO_LEAF:
        key = SlotKey(key.table_id, key.round_number - 1)
        before = reader.round(key)
        if before is None:
            return places
        ended = StepKind.SETTLE if before.stage is Stage.SETTLED else StepKind.ABORT
        places.append(_place(reader, key, ended))
        if ended is StepKind.SETTLE:
            return places
        opened = _place(reader, key, StepKind.OPEN)
        places.append(opened)
    return places


def _place(reader: Reader, key: SlotKey, kind: StepKind) -> int:
    return next(int(mark.index) for mark in reader.marks(key) if mark.kind is kind)
