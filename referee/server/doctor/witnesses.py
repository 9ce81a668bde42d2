"""Checks of the witnesses: whether each answers, its clock, what it cosigned last, and when a quorum last cosigned."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from referee.evidence.note import Note, NoteError
from referee.server.doctor.check_result import CheckResult
from referee.server.doctor.store import StoreFacts
from referee.server.process.cosigner import CALL_SECONDS
from referee.server.process.witness_client import CLOCKS_APART_MS, WitnessClient, WitnessError
from referee.server.settings.configuration import Configuration
from referee.server.settings.witnesses import Witnesses
from referee.storage import DataLossError, Reader, StoreError, open_reader

_STALE_SECONDS: Final = 900
"""Three times the interval after which an unchanged head is cosigned anew."""


def check_witness_states(configuration: Configuration, stored: StoreFacts, *, now: int) -> Iterator[CheckResult]:
    """Check the witnesses by reading what they publish; ``now`` is in seconds since 1970 UTC."""
    witnesses = configuration.witnesses.parsed()
    if witnesses is None:
        return
    try:
        reader = open_reader(Path(configuration.log.data), database=configuration.log.database or None)
    except StoreError:
        yield CheckResult.ok("witnesses", "checked once there is a log")
        return
    try:
        for address in witnesses.addresses:
            client = WitnessClient(address, reader, timeout=CALL_SECONDS)
            try:
                yield _asked(client, stored)
                yield _compared(client)
            except WitnessError as error:
                remedy = "check that it runs and that this machine can connect to it"
                level = CheckResult.fail if witnesses.is_required else CheckResult.warn
                yield level(address.key.name, str(error), remedy)
            finally:
                client.close()
        yield from _quorum(witnesses, reader, now=now)
    finally:
        reader.close()


def _compared(client: WitnessClient) -> CheckResult:
    """Compare this machine's clock with the witness's."""
    off, check = client.clock_difference(), f"{client.address.key.name} clock"
    if off is None:
        return CheckResult.ok(check, "its answers have no Date to compare this clock with")
    if abs(off) * 1000 > CLOCKS_APART_MS:
        return CheckResult.fail(
            check,
            f"its clock is {abs(off):,.1f} s {'ahead of' if off > 0 else 'behind'} this machine's, and "
            f"{CLOCKS_APART_MS // 1000} s are allowed: its cosignatures are not used",
            "set the clock right that is wrong; where several witnesses agree, it is this machine's",
        )
    return CheckResult.ok(check, f"within {CLOCKS_APART_MS // 1000} s of this machine's")


def _asked(client: WitnessClient, stored: StoreFacts) -> CheckResult:
    address, shown = client.address, client.last(stored.origin)
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
