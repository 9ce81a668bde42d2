"""How much is taken on: of one message, of one caller, of one connection, and for how long anybody is waited for.

The law: whatever is beyond a limit is refused or let go at once, so that it costs others nothing. What the server
refuses by itself carries a reason; what the transport cuts off (a message beyond four times ``message_bytes``, metadata
beyond ``metadata_bytes``, a connection too many, a peer that is silent) cannot.

>>> [problem.key for problem in LimitSettings(message_bytes=1, burst=5).problems()]
['limits.message_bytes', 'limits.burst']
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from referee.server.setting_problem import SettingProblem

_KIB: Final = 1024
_MIB: Final = 1024 * 1024
_TRANSPORT_SLACK: Final = 4
"""The transport takes messages so many times as large, so that most that are too large are refused with a reason."""

_RANGES: Final = {
    "message_bytes": (64 * _KIB, 64 * _MIB),
    "metadata_bytes": (4 * _KIB, _MIB),
    "connections": (0, 1_000_000),
    "calls_per_second": (0, 1_000_000),
    "burst": (0, 1_000_000),
    "calls_at_once": (0, 100_000),
    "unread_bytes": (_MIB, 64 * _KIB * _MIB),
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
"""The least and the most of each setting."""


class LimitSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The section ``[limits]``. A caller is whoever proved a name, and else an address."""

    message_bytes: int = _MIB
    """The largest request."""
    metadata_bytes: int = 16 * _KIB
    """All metadata of a call, a token included."""
    connections: int = 0
    """Connections that a process holds at once; 0 for no bound but the system's."""
    calls_per_second: float = 0
    """How often a caller may call in the long run; 0 for no bound."""
    burst: int = 0
    """How many calls a caller may make at once after a silence; 0 for twice ``calls_per_second``."""
    calls_at_once: int = 0
    """How many calls of one caller are under way, its answers unread included; 0 for no bound."""
    unread_bytes: int = 256 * _MIB
    """Bytes of large answers, 64 KiB or more each, that callers have not read yet; more large ones are refused."""
    request_seconds: float = 20
    """How long a request that began may take to arrive; then its call is cancelled."""
    answer_seconds: float = 120
    """How long a large answer may stay unread, and a stream may last; then its call is cancelled."""
    handshake_seconds: float = 20
    """How long a new connection may take to shake hands."""
    keepalive_seconds: float = 60
    """After so long a silence a peer is asked whether it is there."""
    keepalive_timeout_seconds: float = 20
    """How long its answer may take."""
    ping_seconds: float = 10
    """How often a peer may ask the same; one that asks more often is let go."""
    idle_seconds: float = 0
    """After so long without a call a connection is closed; 0 for never."""
    age_seconds: float = 0
    """At this age a connection is closed, its calls answered, so that callers spread anew; 0 for never."""
    age_grace_seconds: float = 30
    """How long the calls of such a connection may take."""

    def problems(self) -> tuple[SettingProblem, ...]:
        """Every setting that is out of its range, and a burst without a rate."""
        return tuple(self._found())

    def _found(self) -> Iterator[SettingProblem]:
        for name, (least, most) in _RANGES.items():
            value = getattr(self, name)
            if not least <= value <= most:
                yield SettingProblem(f"limits.{name}", f"is {value}", f"give a number from {least} to {most}")
        if self.burst and not self.calls_per_second:
            yield SettingProblem(
                "limits.burst", "is named without a rate", "name limits.calls_per_second too, or neither"
            )

    @property
    def transport(self) -> list[tuple[str, int]]:
        """What gRPC keeps of these limits, as the options of a server."""
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
