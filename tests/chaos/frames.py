"""HTTP/2 frames written by hand, so that a client can stop in the middle of one. Only what a rude client needs.

Source: RFC 9113 section 4 (frames) and 6 (their types); RFC 7541 section 6.2.2 (literal header fields, not indexed).
"""

import socket
import struct
from typing import Final

PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA: Final = 0
HEADERS: Final = 1
RST_STREAM: Final = 3
SETTINGS: Final = 4
PING: Final = 6
END_STREAM: Final = 1
END_HEADERS: Final = 4
INITIAL_WINDOW_SIZE: Final = 4


def frame(kind: int, payload: bytes = b"", *, flags: int = 0, stream: int = 0) -> bytes:
    """One frame."""
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def settings(**values: int) -> bytes:
    """Make a SETTINGS frame with ``window``, the bytes that a stream may be sent at first."""
    return frame(SETTINGS, b"".join(struct.pack(">HI", INITIAL_WINDOW_SIZE, value) for value in values.values()))


def headers(method: str, *, stream: int) -> bytes:
    """Make the HEADERS of a call."""
    fields = {
        ":method": "POST",
        ":scheme": "http",
        ":path": method,
        ":authority": "localhost",
        "te": "trailers",
        "content-type": "application/grpc",
    }
    block = b"".join(
        b"\0" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()
        for name, value in fields.items()
    )
    return frame(HEADERS, block, flags=END_HEADERS, stream=stream)


def message(data: bytes, *, stream: int, is_last: bool = True, sent: int | None = None) -> bytes:
    """Make a DATA frame with a gRPC message, or only its first ``sent`` bytes."""
    body = b"\0" + struct.pack(">I", len(data)) + data
    flags = END_STREAM if is_last and sent is None else 0
    return frame(DATA, body[:sent], flags=flags, stream=stream)


def dial(address: str, *, buffer: int = 0) -> socket.socket:
    """Open a connection whose system buffers ``buffer`` bytes for a reader who does not read."""
    host, _, port = address.rpartition(":")
    made = socket.socket()
    if buffer:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    made.settimeout(30)
    made.connect((host, int(port)))
    return made


def vanish(one: socket.socket) -> None:
    """Reset the connection: the other side gets a RST, or finds out by itself."""
    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    one.close()


def _exactly(one: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = one.recv(size - len(data))
        if not more:
            raise ConnectionError("the connection has ended")
        data += more
    return data


def next_frame(one: socket.socket) -> tuple[int, bytes]:
    """Return the type and the payload of the next frame."""
    head = _exactly(one, 9)
    return head[3], _exactly(one, int.from_bytes(head[:3], "big"))
