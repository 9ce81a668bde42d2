"""Limits on messages, callers, connections and waiting times.

Calls beyond a limit are rejected or cancelled at once. The service rejects with a reason; the transport cannot
(messages above four times ``message_bytes``, metadata, connections, silent peers).

>>> [problem.key for problem in LimitSettings(message_bytes=1, burst=5).problems()]
['limits.message_bytes', 'limits.burst']
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from referee.server.settings.problem import SettingProblem

_KIB: Final = 1024
_MIB: Final = 1024 * 1024
_TRANSPORT_SLACK: Final = 4
"""The transport accepts messages this many times as large, so that most are rejected with a reason."""

_RANGES: Final = {
    "message_bytes": (64 * _KIB, 64 * _MIB),
    "metadata_bytes": (4 * _KIB, _MIB),
    "connections": (0, 1_000_000),
    "calls_per_second": (0, 1_000_000),
    "burst": (0, 1_000_000),
    "calls_at_once": (0, 100_000),
    "unread_bytes": (_MIB, 64 * _KIB * _MIB),
    "memo_bytes": (_MIB, 64 * _KIB * _MIB),
    "request_seconds": (0.1, 3600),
    "answer_seconds": (0.1, 86_400),
    "handshake_seconds": (1, 600),
    "keepalive_seconds": (1, 86_400),
    "keepalive_timeout_seconds": (1, 3600),
    "ping_seconds": (0, 3600),
    "idle_seconds": (0, 1_000_000),
    "age_seconds": (0, 1_000_000),
    "age_grace_seconds": (0, 86_400),
}
"""The least and the greatest value of each setting."""


class LimitSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Section ``[limits]``. A caller is identified by its proved name, or else by its address."""

    message_bytes: int = _MIB
    metadata_bytes: int = 16 * _KIB
    connections: int = 0
    calls_per_second: float = 0
    burst: int = 0
    calls_at_once: int = 512
    unread_bytes: int = 256 * _MIB
    memo_bytes: int = 32 * _MIB
    request_seconds: float = 20
    answer_seconds: float = 120
    handshake_seconds: float = 20
    keepalive_seconds: float = 60
    keepalive_timeout_seconds: float = 20
    ping_seconds: float = 10
    idle_seconds: float = 0
    age_seconds: float = 0
    age_grace_seconds: float = 30

    def problems(self) -> tuple[SettingProblem, ...]:
        """Return each setting out of its range, and a burst without a rate."""
        return tuple(self._found())

    def _found(self) -> Iterator[SettingProblem]:
        for name, (least, most) in _RANGES.items():
            value = getattr(self, name)
            if not least <= value <= most:
                yield SettingProblem(f"limits.{name}", f"is {value}", f"give a number from {least} to {most}")
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
