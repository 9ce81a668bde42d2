"""The verification of a log that a start and the doctor share; its cost does not grow with the log."""

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from referee.evidence.vkey import VerifierKey
from referee.log import Checkpoint
from referee.server.keys.registry import KeyRegistry
from referee.server.keys.signed_head import SignedHead
from referee.server.process.log_check import KindCheck, check_suite
from referee.storage import Reader
from referee.storage.check import Edge, check_edge, check_tiles
from referee.storage.round_index import EVERY

_EVER: Final = 2**53


class ProvedStart(NamedTuple):
    """A log verified as far as a start needs it; the reader proves every other leaf before it answers from it."""

    edge: Edge
    registry: KeyRegistry
    kinds: KindCheck
    is_behind: bool
    """Whether the log lacks leaves that its keys have signed and the operator gives up."""
    is_recorded: bool
    """Whether the record beside the keys says which KEY leaves there are; otherwise only a check of all leaves does."""

    def check_all(self, reader: Reader, progress: Callable[[int, int], None]) -> None:
        """Check every leaf, so that none needs a proof any more; raise DataLossError or SuiteError."""
        check_tiles(reader, self.edge, progress=progress, visit=self.kinds.check)
        reader.unpassed = ()


def prove_start(
    reader: Reader,
    root: VerifierKey,
    *,
    known: Iterable[Checkpoint],
    signed: SignedHead,
    is_fixture: bool | None = None,
) -> ProvedStart:
    """Verify the tree's right edge, the newest tile's leaves, the KEY leaves, and the suite of the newest round.

    The head must continue all ``known`` checkpoints and the record beside the keys, ``signed``. ``is_fixture`` is
    whether rounds are dealt from fixed seeds; None if that does not matter. Raises DataLossError, SuiteError,
    KeyFileError or LostLeavesError.
    """
    edge = check_edge(reader, known=known)
    reader.unpassed = (range(edge.start),) if edge.start else ()
    is_behind = signed.check_log(reader, edge.head)
    registry = KeyRegistry.of(reader, root, head=edge.head)
    is_recorded = not is_behind and signed.check_keys(registry.leaves)
    if is_fixture is not None:
        for opened in reader.listed(EVERY, since=0, before=(_EVER, 0), count=1):
            check_suite(opened.index, reader.leaf(opened.index), is_fixture=is_fixture)
    starts = [index for index in reader.start_leaves() if index < edge.head.size]
    kinds = KindCheck(keys=registry.leaves, starts=starts, is_fixture=is_fixture)
    for index, leaf in enumerate(edge.leaves, edge.start):
        kinds.check(index, leaf)
    return ProvedStart(edge, registry, kinds, is_behind=is_behind, is_recorded=is_recorded)
