"""``referee export``: one round with everything that proves it, in one self-contained file.

With ``--proof`` the file is a C2SP tlog-proof of the leaf that ended the round, and the leaf is in a file beside it.
"""

import json
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from referee.audit.dispute.held import LEAF_SUFFIX
from referee.cli.command import Commands
from referee.cli.options import Database, DataFolder, fail
from referee.cli.progress import progress_bar
from referee.cli.stored_log import find_round, public_keys, stored_log
from referee.evidence.canonical import CanonicalError
from referee.evidence.dsse import EnvelopeError
from referee.evidence.note import NoteError
from referee.evidence.printable import ascii_json, printable_lines
from referee.log import CheckpointError, Slot
from referee.storage import Reader
from referee.storage.bundle import bundle_of, last_leaf

app = Commands()

PROOF_SUFFIX: Final = ".tlog-proof"


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


def _proof(reader: Reader, found: Slot, out: Path | None) -> bytes:
    """Return a tlog-proof of the leaf that ended a round, or of its newest leaf if it has not ended.

    It is under the newest checkpoint that witnesses cosigned if the leaf is in its tree, else under the log's newest
    checkpoint. With ``out`` the leaf is written beside that file, with the suffix ``.leaf``.
    """
    index = last_leaf(reader, found)
    if out is not None:
        beside = out.with_suffix(LEAF_SUFFIX)
        if beside == out:
            fail(f"{out} is where the leaf itself is written; call the proof {out.with_suffix(PROOF_SUFFIX).name}")
        beside.write_bytes(reader.leaf(index))
    cosigned = reader.newest_cosigned()
    is_in_it = cosigned is not None and index < cosigned.size
    return reader.receipt(index, under=cosigned if is_in_it else None).text
