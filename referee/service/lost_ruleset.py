"""Rounds under way whose ruleset a server has lost: its file was removed, or replaced under the same id and version.

Such a round waits: no other rules judge or deal it, and only the operator can put the file back.
"""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from google.protobuf.message import Message

from referee.dealing.header import Header
from referee.log import Slot, SlotKey
from referee.rulesets import Catalogue, UnknownRulesetError
from referee.v1.error_reason_pb2 import ErrorReason
from referee.v1.round_pb2 import RoundHeader
from referee.wire.refusal import RefusedError
from referee.wire.round import read_header

SlotFinder: TypeAlias = Callable[[SlotKey], Slot | None]
"""Function that returns the state of a table's slot; None if the log has no such round."""


class LostRulesetError(RuntimeError):
    """The catalogue of a starting server lacks a ruleset that rounds under way in its log are played by."""


def lost_refusal(header: Header) -> RefusedError:
    """Return the refusal of a call about this header's round, whose ruleset the server has lost."""
    return RefusedError(
        ErrorReason.ERROR_REASON_RULESET_LOST,
        f"round {header.round_number} of table {header.table_id} is played by {header.ruleset_id} "
        f"{header.ruleset_version} with the digest {header.ruleset_digest.hex()}, and this server has lost that file; "
        "a seed that came with the call is kept, and the round goes on once the operator has put the file back",
        table_id=header.table_id,
        round_number=header.round_number,
        ruleset_id=header.ruleset_id,
        ruleset_version=header.ruleset_version,
        ruleset_digest=header.ruleset_digest.hex(),
    )


def check_ruleset(header: Header, catalogue: Catalogue, slot_of: SlotFinder) -> None:
    """Refuse a call about this header's round if the round has not ended and the catalogue lacks its ruleset."""
    if catalogue.find(header.ruleset_digest) is None:
        found = slot_of(SlotKey(header.table_id, header.round_number))
        if found is not None and found.round_id == header.round_id and not found.stage.is_terminal:
            raise lost_refusal(header)


def check_named_rulesets(message: Message, catalogue: Catalogue, slot_of: SlotFinder, *, above: str = "") -> None:
    """Do the same for each round whose header a request, whose path is ``above``, has outside of lists."""
    for field, value in message.ListFields():
        if isinstance(value, RoundHeader):
            if catalogue.find(value.ruleset_digest) is None:
                check_ruleset(read_header(value, field=f"{above}{field.name}"), catalogue, slot_of)
        elif isinstance(value, Message):
            check_named_rulesets(value, catalogue, slot_of, above=f"{above}{field.name}.")


def check_rulesets(running: Iterable[Header], catalogue: Catalogue) -> None:
    """Raise LostRulesetError, naming files, digests and rounds, if the ruleset of a running round is missing."""
    lost: dict[tuple[str, str, bytes], list[SlotKey]] = {}
    for header in running:
        if catalogue.find(header.ruleset_digest) is None:
            named = header.ruleset_id, header.ruleset_version, header.ruleset_digest
            lost.setdefault(named, []).append(SlotKey(header.table_id, header.round_number))
    if lost:
        raise LostRulesetError("; ".join(_words(catalogue, *named, rounds) for named, rounds in lost.items()))


def _words(catalogue: Catalogue, ruleset_id: str, version: str, digest: bytes, rounds: Iterable[SlotKey]) -> str:
    keys = ", ".join(f"{key.table_id}:{key.round_number}" for key in sorted(rounds, key=str))
    try:
        other = catalogue.get(ruleset_id, version)
    except UnknownRulesetError:
        where = f"no file here has it, such as {ruleset_id}-{version}.toml"
    else:
        where = f"{other.file} has its id and version and other bytes, of the digest {other.digest.hex()}"
    return (
        f"rounds under way ({keys}) are played by {ruleset_id} {version} with the digest {digest.hex()}, and {where}: "
        "put the file back that has this digest, and give changed rules a new version in a file of their own"
    )
