"""Checks of the witnesses: whether each answers, what it cosigned last, and when a quorum last cosigned."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from referee.evidence.note import Note, NoteError
from referee.server.cosigner import CALL_SECONDS, Witnesses
from referee.server.doctor.check_result import CheckResult
from referee.server.doctor.store import StoreFacts
from referee.server.settings import Configuration, witnesses_of
from referee.server.witness_client import WitnessAddress, WitnessClient, WitnessError
from referee.storage import DataLossError, Reader, StoreError, open_reader

_STALE_SECONDS: Final = 900
"""Three times the interval after which an unchanged head is cosigned anew."""


def check_witness_states(configuration: Configuration, stored: StoreFacts, *, now: int) -> Iterator[CheckResult]:
    """Check the witnesses by reading what they publish; ``now`` is in seconds since 1970 UTC."""
    witnesses = witnesses_of(configuration.witnesses)
    if witnesses is None:
        return
    try:
        reader = open_reader(Path(configuration.log.data), database=configuration.log.database or None)
    except StoreError:
        yield CheckResult.ok("witnesses", "checked once there is a log")
        return
    try:
        for address in witnesses.addresses:
            yield _asked(address, reader, stored, is_required=witnesses.is_required)
        yield from _quorum(witnesses, reader, now=now)
    finally:
        reader.close()


def _asked(address: WitnessAddress, reader: Reader, stored: StoreFacts, *, is_required: bool) -> CheckResult:
    client = WitnessClient(address, reader, timeout=CALL_SECONDS)
    try:
        shown = client.last(stored.origin)
    except WitnessError as error:
        remedy = "check that it runs and that this machine can connect to it"
        return (CheckResult.fail if is_required else CheckResult.warn)(address.key.name, str(error), remedy)
    finally:
        client.close()
    if shown is None:
        return CheckResult.warn(
            address.key.name,
            f"{address.url} has cosigned nothing of {stored.origin}",
            "check that it trusts this log's key, and that its own key is the one configured",
        )
    size = shown[1].size
    if size > stored.size:
        return CheckResult.fail(
            address.key.name,
            f"it has cosigned {size:,} leaves, but the log has {stored.size:,}",
            "do not serve: leaves are lost; restore a newer backup",
        )
    return CheckResult.ok(address.key.name, f"answers; it cosigned {size:,} of {stored.size:,} leaves")


def _quorum(witnesses: Witnesses, reader: Reader, *, now: int) -> Iterator[CheckResult]:
    needed = witnesses.quorum.needed
    try:
        newest = reader.newest_cosigned()
        time = 0 if newest is None else witnesses.quorum.attest(Note.parse(newest.note)).time
    except (NoteError, StoreError, DataLossError) as error:
        yield CheckResult.fail("quorum", f"stored cosignatures cannot be read: {error}", "check the store")
        return
    if newest is None or not time:
        yield CheckResult.warn("quorum", f"{needed} have never cosigned one head", "serve, then check again")
        return
    age = now - time
    measured = f"{needed} cosigned {newest.size:,} leaves {age:,} s ago"
    if age > _STALE_SECONDS:
        yield CheckResult.warn("quorum", measured, "check that a server runs and why the witnesses do not cosign")
    else:
        yield CheckResult.ok("quorum", measured)
