"""The access gate in front of every call except health checks.

First, before a call waits for a thread: role and rate of a caller with a remembered token. Then, on the call's thread,
authentication of others, charged to their address. Last, once the request is read: each table, round and seat in it
must be the caller's.

>>> gate_of(AccessSettings(), LimitSettings(), clock=lambda: 0, tls=TlsSettings()) is None
True
"""

from collections.abc import Callable, Mapping

import grpc
from google.protobuf.message import Message

from referee.server.access.authenticator import Authenticator, certified_names
from referee.server.access.caller import Caller
from referee.server.access.roles import PUBLIC_LOG, TABLE, Rule
from referee.server.access.scope import prefix_named, rounds_named, values_at
from referee.server.edited_files import EditedFiles
from referee.server.limits.rate_limit import TokenBuckets, account_of, address_of
from referee.server.settings.access import AccessSettings
from referee.server.settings.caller_role import CallerRole
from referee.server.settings.limits import LimitSettings
from referee.server.settings.tls import TlsSettings
from referee.service.batching import MAX_BATCH
from referee.service.call import Call
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError


class AccessGate:
    """The gate for some settings; see ``gate_of``."""

    def __init__(
        self,
        access: AccessSettings,
        limits: LimitSettings,
        *,
        clock: Callable[[], int],
        tls: TlsSettings,
        files: EditedFiles | None = None,
    ) -> None:
        self._prover = Authenticator(access, clock=clock, files=files) if access.is_on else None
        self._rules: Mapping[str, Rule] = PUBLIC_LOG if access.public_log else TABLE
        self._needs_certificate = bool(tls.client_ca) and not access.is_on
        rate = limits.calls_per_second
        self._buckets = TokenBuckets(rate=rate, burst=limits.burst) if rate else None

    def knock(self, call: Call, credentials: str) -> None:
        """Reject a call before it waits for a thread: one whose known token may not make it, or not yet."""
        if self._prover is not None and credentials:
            caller = self._prover.recall(credentials)
            if caller is not None:
                self._let(call, caller)

    def enter(self, call: Call, credentials: str, context: grpc.ServicerContext) -> None:
        """Reject a caller without valid credentials or without the role for this method."""
        if self._prover is not None:
            if not isinstance(call.proof, Caller):
                self._let(call, self._proved(self._prover, call, credentials, context))
        else:
            if self._needs_certificate and not certified_names(context):
                raise RefusedError(
                    ErrorReason.ERROR_REASON_CREDENTIALS_MISSING, "the connection has no client certificate"
                )
            self._charge(address_of(call.peer))

    def ask(self, call: Call, request: Message) -> None:
        """Reject a batch beyond the caller's rate, and a request that names a table, round or seat of others."""
        caller = call.proof
        if "requests" in request.DESCRIPTOR.fields_by_name:
            size = min(len(request.requests), MAX_BATCH)  # type: ignore[attr-defined] # a batch, charged as one call
            if size > 1:
                self._charge(account_of(call), calls=size - 1, counted=1)
        if not isinstance(caller, Caller):
            return
        rule = self._rules[call.method]
        if rule.shows_all and CallerRole.ANYONE not in rule.roles and not caller.has_each(""):
            raise RefusedError(ErrorReason.ERROR_REASON_TABLE_FORBIDDEN, "this method shows the tables of every tenant")
        _check_tables(caller, request)
        if caller.place is not None and rule.seat:
            for seat in values_at(request, rule.seat):
                if seat != caller.place.seat:
                    message = f"{caller.name} acts for seat {caller.place.seat}, and the request for seat {seat}"
                    raise RefusedError(ErrorReason.ERROR_REASON_SEAT_FORBIDDEN, message)

    def _proved(self, prover: Authenticator, call: Call, credentials: str, context: grpc.ServicerContext) -> Caller:
        if credentials:
            self._charge(address_of(call.peer))
            return prover.prove(credentials)
        return prover.certified(context) or Caller(name="", role=CallerRole.ANYONE)

    def _let(self, call: Call, caller: Caller) -> None:
        """Authorize the caller for this method and record it in the call."""
        call.proof, call.role, call.tenant = caller, caller.role.value, caller.tenant
        call.caller = caller.name or call.caller
        call.account = f"{caller.tenant}/{caller.name}" if caller.name else ""
        rule = self._rules.get(call.method)
        if rule is None or caller.role not in rule.roles:
            if caller.role is CallerRole.ANYONE:
                raise RefusedError(
                    ErrorReason.ERROR_REASON_CREDENTIALS_MISSING,
                    "send credentials: authorization: Bearer TOKEN, or a client certificate of a known caller",
                )
            raise RefusedError(
                ErrorReason.ERROR_REASON_ROLE_FORBIDDEN,
                f"a caller with the role {caller.role} may not call {_short(call.method)}; {_allowed(rule)}",
                role=caller.role.value,
                method=call.method,
            )
        self._charge(account_of(call))

    def _charge(self, caller: str, *, calls: int = 1, counted: int = 0) -> None:
        if self._buckets is None:
            return
        seconds = self._buckets.wait(caller, calls=calls, counted=counted)
        if seconds:
            raise RefusedError(
                ErrorReason.ERROR_REASON_RATE_LIMITED,
                f"the caller exceeds its rate; try again in {seconds} s",
                retry_seconds=seconds,
            )


def _check_tables(caller: Caller, request: Message) -> None:
    """Reject a request that names a table or round that is not the caller's."""
    prefix = prefix_named(request)
    if prefix is not None and not caller.has_each(prefix):
        message = f"not every table whose id begins with {prefix[:64]!r} is {caller.name}'s; name one that is"
        raise RefusedError(ErrorReason.ERROR_REASON_TABLE_FORBIDDEN, message)
    for table, round_number in rounds_named(request):
        if not caller.has(table):
            raise RefusedError(ErrorReason.ERROR_REASON_TABLE_FORBIDDEN, f"table {table[:64]!r} is not {caller.name}'s")
        if caller.place is not None and round_number != caller.place.round_number:
            message = f"{caller.name} acts for round {caller.place.round_number}, and the request names {round_number}"
            raise RefusedError(ErrorReason.ERROR_REASON_TABLE_FORBIDDEN, message)


def gate_of(
    access: AccessSettings,
    limits: LimitSettings,
    *,
    clock: Callable[[], int],
    tls: TlsSettings,
    files: EditedFiles | None = None,
) -> AccessGate | None:
    """Return the gate for these settings; None where they admit every call."""
    is_asked = access.is_on or tls.client_ca or limits.calls_per_second
    return AccessGate(access, limits, clock=clock, tls=tls, files=files) if is_asked else None


def _short(method: str) -> str:
    """Return a method's service and name without the package, such as ``LogService.ListEntries``."""
    service, _, name = method.removeprefix("/").partition("/")
    return f"{service.rpartition('.')[2]}.{name}"


def _allowed(rule: Rule | None) -> str:
    roles = [role.value for role in CallerRole if rule is not None and role in rule.roles]
    return f"roles that may: {', '.join(roles)}" if roles else "no role may"
