"""One hostile corpus for every place that reads bytes from outside."""

import json
from collections.abc import Iterator
from typing import Final

DEEP: Final = 5_000
DIGITS: Final = 5_000
_TABLES: Final = b"".join(b"[t%d]\n" % number for number in range(3_000))
_HUGE: Final = b"[" + b"1," * (9 << 20) + b"1]"


def hostile(sample: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield hostile texts by name: some of no format, some made of a sample that the place would read."""
    yield from {
        "empty": b"",
        "one NUL": b"\0",
        "a byte order mark alone": b"\xef\xbb\xbf",
        "no UTF-8": b"\xff\xfe" * 40,
        "deep lists": b"[" * DEEP,
        "deep lists that close": b"[" * DEEP + b"]" * DEEP,
        "deep objects": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
        "a deep list in TOML": b"a = " + b"[" * DEEP + b"]" * DEEP,
        "deep tables in TOML": b"a = " + b"{a=" * DEEP + b"1" + b"}" * DEEP,
        "a deep key in TOML": b"a." * DEEP + b"a = 1",
        "a deep table in TOML": b"[" + b"a." * DEEP + b"a]",
        "an open text in TOML": b'a = """' + b'\\"""' * DEEP,
        "3,000 tables": _TABLES,
        "a hexadecimal integer in TOML": b"a = 0x" + b"f" * DIGITS,
        "a message in messages": b"\x0a\xff\x7f" * DEEP,
        "a message cut off": b"\x0a\xff\xff\xff\xff\x0f",
        "huge": _HUGE,
    }.items()
    for name, integer in (("26 digits", b"9" * 26), (f"{DIGITS} digits", b"9" * DIGITS), ("infinity", b"1e999")):
        yield f"an integer of {name}", integer
        yield f"an integer of {name} in TOML", b"schema = " + integer
    yield "a byte order mark before the sample", b"\xef\xbb\xbf" + sample
    yield "bad UTF-8 in the sample", sample.replace(b'"', b'"\xff', 1)
    yield "a NUL in the sample", sample.replace(b'"', b'"\0', 1)
    yield "the sample cut in half", sample[: len(sample) // 2]
    yield "the sample without its last byte", sample[:-1]
    yield "the sample before 3,000 tables", sample + b"\n" + _TABLES
    yield "the sample twice", sample + sample
    yield from _of_json(sample)


def _of_json(sample: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield a sample that is an object of JSON with one other value in place of each member's."""
    try:
        members = json.loads(sample)
    except ValueError:
        return
    others = {
        "null": b"null",
        "a list": b"[]",
        "a list of lists": b"[[[]]]",
        "an object": b"{}",
        "a negative integer": b"-1",
        "26 digits": b"9" * 26,
        f"{DIGITS} digits": b"9" * DIGITS,
        "half a surrogate": rb'"\ud800"',
        "another text": '"đ\\u0000"'.encode(),
        "a deep list": b"[" * DEEP + b"]" * DEEP,
    }
    for name in members if isinstance(members, dict) else ():
        for what, other in others.items():
            marked = json.dumps(members | {name: "<here>"}, separators=(",", ":")).encode()
            yield f"{what} as {name}", marked.replace(b'"<here>"', other)
