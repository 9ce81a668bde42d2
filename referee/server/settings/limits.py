"""Limits on messages, callers, connections and waiting times.

Calls beyond a limit are rejected or cancelled at once. The service rejects with a reason; the transport cannot
(messages above four times ``message_bytes``, metadata, connections, silent peers).

>>> [problem.key for problem in LimitSettings(burst=5).problems()]
['limits.burst']
"""

from collections.abc import Iterator
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from referee.server.settings.problem import SettingProblem

_KIB: Final = 1024
_MIB: Final = 1024 * 1024
_TRANSPORT_SLACK: Final = 4
"""The transport accepts messages this many times as large, so that most are rejected with a reason."""


class LimitSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Section ``[limits]``. A caller is identified by its proved name, or else by its address."""

    message_bytes: Annotated[int, Meta(ge=64 * _KIB, le=64 * _MIB)] = _MIB
    """Largest request in bytes."""
    metadata_bytes: Annotated[int, Meta(ge=4 * _KIB, le=_MIB)] = 16 * _KIB
    """Largest metadata of a call in bytes, its token included."""
    connections: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    """Open connections of one process; 0 for the system's limit."""
    calls_per_second: Annotated[float, Meta(ge=0, le=1_000_000)] = 0
    """Sustained calls a second of one caller, a batch counting as many as it has requests; 0 for no limit. A caller is
    identified by its proved name, or else by its address."""
    burst: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    """Calls that a caller may make at once after a pause; 0 for twice calls_per_second."""
    calls_at_once: Annotated[int, Meta(ge=0, le=100_000)] = 512
    """Concurrent calls of one caller, waiting ones and unread answers included; 0 for no limit. One that was given up
    counts until its work has ended. Without [access] all callers behind one proxy, balancer or address translation are
    one caller: raise this and calls_per_second there, and bound each caller at the proxy, or configure [access]."""
    unread_bytes: Annotated[int, Meta(ge=_MIB, le=64 * _KIB * _MIB)] = 256 * _MIB
    """Unread bytes of large answers; further large answers are rejected."""
    memo_bytes: Annotated[int, Meta(ge=_MIB, le=64 * _KIB * _MIB)] = 32 * _MIB
    """Bytes of verified rounds, and of each game's rounds, that a worker remembers between calls."""
    request_seconds: Annotated[float, Meta(ge=0.1, le=3600)] = 20
    """Seconds that a request may take to arrive; then its call is cancelled."""
    answer_seconds: Annotated[float, Meta(ge=0.1, le=86_400)] = 120
    """Seconds that a large answer may stay unread and a stream may last; then its call is cancelled."""
    handshake_seconds: Annotated[float, Meta(ge=1, le=600)] = 20
    """Seconds that a new connection may take to shake hands."""
    keepalive_seconds: Annotated[float, Meta(ge=1, le=86_400)] = 60
    """Seconds of silence after which a peer is pinged."""
    keepalive_timeout_seconds: Annotated[float, Meta(ge=1, le=3600)] = 20
    """Seconds that the peer has to answer the ping."""
    ping_seconds: Annotated[float, Meta(ge=0, le=3600)] = 10
    """Least seconds between a peer's pings; a peer that pings more often is disconnected."""
    idle_seconds: Annotated[float, Meta(ge=0, le=1_000_000)] = 0
    """Seconds without a call after which a connection is closed; 0 for never."""
    age_seconds: Annotated[float, Meta(ge=0, le=1_000_000)] = 0
    """Age in seconds at which a connection is closed, its calls answered, to rebalance callers; 0 for never."""
    age_grace_seconds: Annotated[float, Meta(ge=0, le=86_400)] = 30
    """Seconds that the calls of such a connection have."""

    def problems(self) -> Iterator[SettingProblem]:
        """Yield a problem for a burst without a rate."""
        if self.burst and not self.calls_per_second:
            yield SettingProblem("limits.burst", "is set without a rate", "set limits.calls_per_second too, or neither")

    @property
    def transport(self) -> list[tuple[str, int]]:
        """The gRPC server options for these limits."""
        options = [
            ("grpc.max_receive_message_length", _TRANSPORT_SLACK * self.message_bytes),
            ("grpc.max_metadata_size", self.metadata_bytes),
            ("grpc.absolute_max_metadata_size", self.metadata_bytes),
            ("grpc.server_handshake_timeout_ms", _ms(self.handshake_seconds)),
            ("grpc.keepalive_time_ms", _ms(self.keepalive_seconds)),
            ("grpc.keepalive_timeout_ms", _ms(self.keepalive_timeout_seconds)),
            ("grpc.keepalive_permit_without_calls", 1),
            ("grpc.http2.min_ping_interval_without_data_ms", _ms(self.ping_seconds)),
        ]
        if self.connections:
            options.append(("grpc.max_allowed_incoming_connections", self.connections))
        if self.idle_seconds:
            options.append(("grpc.max_connection_idle_ms", _ms(self.idle_seconds)))
        if self.age_seconds:
            options.append(("grpc.max_connection_age_ms", _ms(self.age_seconds)))
            options.append(("grpc.max_connection_age_grace_ms", _ms(self.age_grace_seconds)))
        return options


def _ms(seconds: float) -> int:
    return int(seconds * 1000)
