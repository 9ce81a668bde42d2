"""Writes the vectors of evidence and transcripts and those that are refused: run as a script, it writes each file.

Answers are published ones, written by hand, or computed by ``written_chains.py``, ``written_curve.py`` and
``dealing/dealing_derivation.py``; nothing is taken from the package. A test compares what would be written with the
files.
"""

import base64
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from tests.vectors import written_curve as curve
from tests.vectors.dealing.dealing_derivation import Row, canonical, enc, pae, tagged

FOLDER = Path(__file__).parent
PROTOCOL = "the dealing protocol of this project, computed by written_*.py"
HAND = "tests/vectors/README.md, written by hand"
SIGNER = b"a signer's seed, 32 bytes long..".ljust(32, b".")
OTHER = b"another signer's seed, 32 bytes.".ljust(32, b".")


def read(name: str) -> list[Row]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def row(id_: str, why: str, source: str, **members: object) -> Row:
    return {"id": id_, "why": why, "source": source, **members}


TAGS: dict[str, tuple[int, ...]] = {
    "round": (1, 5, 1, 5, 8, 8, 5, 32, 3, 3, 8, 0, 64, 32, 8, 8),
    "server-commit": (32, 32),
    "client-commit": (32, 1, 32),
    "client-seed": (32, 32, 1, 32, 32),
    "seat-token": (32, 1, 32),
    "mix": (32, 32, 0, 32, 32),
    "deck": (32,),
    "leader": (32,),
    "section-key": (32, 1),
    "section": (32, 1, 13, 32),
    "deck-root": (32, 32, 32, 4, 32, 32, 32, 32),
    "arrange": (32, 1, 13, 32),
    "transcript": (32, 32),
    "event": (32, 4, 23),
    "history": (32, 32, 8, 1),
    "seat": (32, 1),
    "move": (32, 32, 33),
    "seal": (32,),
    "content": (1, 300, 200, 64, 0),
    "list-rounds": (13, 32, 8, 8, 8),
}
"""For each tag the sizes of its fields."""


def encoding_rows() -> Iterator[Row]:
    lists = {tag: (f"the fields of {tag}", tag, sizes) for tag, sizes in TAGS.items()}
    lists["no-field"] = ("a list may be empty", "mix", ())
    lists["empty-field"] = ("an absent field counts", "mix", (0,))
    lists["long-field"] = ("a length of two bytes", "event", (32, 4, 300))
    for id_, (why, tag, sizes) in lists.items():
        fields = [bytes((17 * place + at) % 256 for at in range(size)) for place, size in enumerate(sizes, 1)]
        yield _encoding(id_, why, tag, fields)
    for id_, fields in {"split-1": [b"ab", b"c"], "split-2": [b"a", b"bc"], "split-3": [b"abc", b""]}.items():
        yield _encoding(id_, "the same bytes cut elsewhere hash to something else", "mix", fields)


def _encoding(id_: str, why: str, tag: str, fields: list[bytes]) -> Row:
    encoded = enc(tag, *fields)
    return row(
        id_,
        why,
        PROTOCOL,
        tag=tag,
        fields=[field.hex() for field in fields],
        encoded=encoded.hex(),
        hash=tagged(tag, *fields).hex(),
    )


def field_rows() -> Iterator[Row]:
    for bits in (8, 32, 64):
        for value in (0, 1, 2 ** min(bits, 53) - 1):
            encoded = value.to_bytes(bits // 8, "big").hex()
            yield row(f"u{bits}-{value}", "big-endian", HAND, kind=f"U{bits}", value=value, encoded=encoded)
        yield row(f"u{bits}-negative", "integers are unsigned", HAND, kind=f"U{bits}", value=-1, refused=True)
        if bits < 64:
            yield row(f"u{bits}-large", "it does not fit", HAND, kind=f"U{bits}", value=2**bits, refused=True)
    yield row("text", "ASCII as it is", HAND, kind="TEXT", value="Ab ~!", encoded="4162207e21")
    yield row("text-empty", "text may be empty", HAND, kind="TEXT", value="", encoded="")
    for id_, value in {"accent": "Mậu Binh", "newline": "a\n", "tab": "\t", "delete": "\x7f", "null": "\0"}.items():
        yield row(f"text-{id_}", "text is ASCII 0x20 to 0x7E", HAND, kind="TEXT", value=value, refused=True)


def _counted(first: int, last: int) -> str:
    return bytes(range(first, last)).hex()


def hkdf_rows() -> Iterator[Row]:
    rfc = "RFC 5869, Appendix A"
    ikm = "0b" * 22
    published = {
        "basic": (ikm, _counted(0, 13), _counted(0xF0, 0xFA), 42,
                  "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"),
        "long": (_counted(0, 0x50), _counted(0x60, 0xB0), _counted(0xB0, 0x100), 82,
                 ("b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09"
                 "da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87")),
        "no-salt": (ikm, "", "", 42,
                    "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"),
    }  # fmt: skip
    for id_, (secret, salt, info, length, key) in published.items():
        yield row(id_, "published", rfc, ikm=secret, salt=salt, info=info, length=length, key=key)
    for length in (0, -1, 8161):
        why = "it gives 1 to 8,160 bytes"
        yield row(f"length-{length}", why, "RFC 5869, 2.3", ikm=ikm, salt="", info="", length=length, refused=True)


CANONICAL = {
    "object": '{"a":1,"b":[2,"c"]}',
    "empty-object": "{}",
    "empty-list": "[]",
    "empty-string": '""',
    "zero": "0",
    "negative": "-1",
    "largest": "9007199254740991",
    "smallest": "-9007199254740991",
    "quote-and-backslash": '"\\"\\\\"',
    "slash": '"/"',
    "capitals-first": '{"B":1,"a":2}',
    "deepest": "[" * 254 + "]" * 254,
}
NOT_CANONICAL = {
    "white-space": ("no white space", '{"a": 1}'),
    "newline-behind": ("nothing behind the value", "{}\n"),
    "unsorted": ("members are sorted", '{"b":1,"a":2}'),
    "twice": ("no member twice", '{"a":1,"a":1}'),
    "float": ("integers only", "1.5"),
    "whole-float": ("integers only", "1.0"),
    "exponent": ("integers only", "1e3"),
    "minus-zero": ("zero has one text", "-0"),
    "leading-zero": ("no leading zero", "01"),
    "too-large": ("at most 2^53-1", "9007199254740992"),
    "too-small": ("at least -(2^53-1)", "-9007199254740992"),
    "true": ("no booleans", "true"),
    "null": ("what is absent is left out", '{"a":null}'),
    "not-a-number": ("no such thing in JSON", "NaN"),
    "accent": ("ASCII only", '"\u1ead"'),
    "escaped-accent": ("ASCII only, however it is spelled", '"\\u1ead"'),
    "escaped-letter": ("a letter needs no escape", '"\\u0061"'),
    "escaped-slash": ("a slash needs no escape", '"\\/"'),
    "newline": ("no control characters", '"\\n"'),
    "delete": ("0x7E is the last", '"\x7f"'),
    "accent-in-a-name": ("names are strings", '{"\u1ead":1}'),
    "cut": ("a whole text", '{"a":1'),
    "two-values": ("one value", "1 2"),
    "nothing": ("one value", ""),
    "byte-order-mark": ("nothing before the value", "\ufeff{}"),
    "too-deep": ("at most 254 levels", "[" * 255 + "]" * 255),
}


def canonical_rows() -> Iterator[Row]:
    source = "RFC 8785, restricted as tests/vectors/README.md says"
    for id_, text in CANONICAL.items():
        yield row(id_, "it is its own value's text", source, text=text, is_canonical=True)
    for id_, (why, text) in NOT_CANONICAL.items():
        yield row(id_, why, source, text=text, is_canonical=False)


def _mixed_key() -> bytes:
    torsion = curve.decode(bytes.fromhex(curve.SMALL_ORDER[3]))
    return curve.encode(curve.add(curve.decode(curve.public(SIGNER)), torsion))


def key_rows() -> Iterator[Row]:
    source = "RFC 8032, 5.1; computed by written_curve.py"
    base = curve.encode(curve.BASE)
    off = next(y.to_bytes(32, "little") for y in range(2, 99) if not _is_on_curve(y))
    yield row("sound", "a point of the prime-order group", source, public_key=curve.public(SIGNER).hex(), is_key=True)
    yield row("base", "the base point", source, public_key=base.hex(), is_key=True)
    for number, key in enumerate(curve.SMALL_ORDER):
        yield row(f"small-order-{number}", "signs every message", source, public_key=key, is_key=False)
    shifted = (int.from_bytes(base, "little") + curve.P).to_bytes(33, "little")[:32]
    bad = {
        "mixed-order": ("it has a part of small order", _mixed_key()),
        "not-canonical": ("y is p or more", (curve.P + 1).to_bytes(32, "little")),
        "not-canonical-zero": ("y is p or more", curve.P.to_bytes(32, "little")),
        "off-the-curve": ("no point has this y", off),
        "overflown": ("no point has this y", shifted),
        "minus-zero": ("x is 0 and its sign bit says odd", b"\x01" + bytes(30) + b"\x80"),
        "short": ("32 bytes", base[:31]),
        "long": ("32 bytes", base + b"\0"),
        "nothing": ("32 bytes", b""),
    }
    for id_, (why, data) in bad.items():
        yield row(id_, why, source, public_key=data.hex(), is_key=False)


def _is_on_curve(y: int) -> bool:
    square = (y * y - 1) * pow(curve.D * y * y + 1, curve.P - 2, curve.P) % curve.P
    return pow(square, (curve.P - 1) // 2, curve.P) in (0, 1)


def signature_rows() -> Iterator[Row]:
    source = "RFC 8032, 5.1; computed by written_curve.py"
    key, message = curve.public(SIGNER), b"a message"
    good = curve.sign(SIGNER, message)
    published = (
        ("rfc-8032-1", "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
         ("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24"
         "655141438e7a100b")),
        ("rfc-8032-2", "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
         ("92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb"
         "00d291612bb0c00")),
    )  # fmt: skip
    for id_, public, text, signature in published:
        about = {"public_key": public, "message": text, "signature": signature}
        yield row(id_, "published", "RFC 8032, 7.1", **about, holds=True)
    larger = good[:32] + (int.from_bytes(good[32:], "little") + curve.L).to_bytes(32, "little")
    cases = {
        "good": ("by this key over this message", key, message, good, True),
        "another-message": ("over another message", key, b"a Message", good, False),
        "another-key": ("by another key", curve.public(OTHER), message, good, False),
        "s-plus-l": ("the same signature with S + L", key, message, larger, False),
        "flipped-r": ("one bit of R", key, message, bytes([good[0] ^ 1]) + good[1:], False),
        "zeros": ("nothing but zeros", key, message, bytes(64), False),
        "identity-key": ("R and key are the identity, S is zero", b"\1" + bytes(31), message, b"\1" + bytes(63), False),
        "short": ("64 bytes", key, message, good[:63], False),
        "long": ("64 bytes", key, message, good + b"\0", False),
        "nothing": ("64 bytes", key, message, b"", False),
    }
    for id_, (why, public_key, text_, signed, is_good) in cases.items():
        yield row(
            id_, why, source, public_key=public_key.hex(), message=text_.hex(), signature=signed.hex(), holds=is_good
        )


def media_type(name: str) -> str:
    return f"application/vnd.referee.{name}.v1+json"


def envelope(kind: str, payload: bytes, seed: bytes = SIGNER) -> Row:
    """Sign an envelope's members."""
    signature = curve.sign(seed, pae(kind, payload))
    return {
        "payload": base64.b64encode(payload).decode(),
        "payloadType": kind,
        "signatures": [{"sig": base64.b64encode(signature).decode()}],
    }


def compact(value: object) -> str:
    """JSON without white space, members in the order they stand in."""
    return json.dumps(value, separators=(",", ":"))


def dsse_rows() -> Iterator[Row]:
    source = "https://github.com/secure-systems-lab/dsse, protocol.md, with one text; signed by written_curve.py"
    kind, payload = "http://example.com/HelloWorld", b"hello world"
    good = envelope(kind, payload)
    signature = good["signatures"][0]
    about = {"payload_type": kind, "public_key": curve.public(SIGNER).hex()}
    pae = b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    yield row("hello", "the specification's own example of PAE", source, envelope=compact(good), **about, fault="",
              payload=payload.hex(), pae=pae.hex())  # fmt: skip
    empty = envelope("a/b", b"")
    shown = {"payload_type": "a/b", "public_key": about["public_key"]}
    yield row("empty-payload", "a payload may be empty", source, envelope=compact(empty), **shown, fault="", payload="",
              pae=b"DSSEv1 3 a/b 0 ".hex())  # fmt: skip
    loose = good["payload"].rstrip("=")
    refused = {
        "unsigned": ("FORGED", "nobody signed it", {**good, "signatures": []}),
        "stranger": ("FORGED", "another key signed it", envelope(kind, payload, OTHER)),
        "another-payload": (
            "FORGED",
            "the payload was changed",
            {**good, "payload": base64.b64encode(b"Hello").decode()},
        ),
        "type-changed": ("FORGED", "the type was changed behind the signature", {**good, "payloadType": "a/b"}),
        "another-type": ("WRONG_TYPE", "rightly signed as something else", empty),
        "key-id": ("MALFORMED", "no key id", {**good, "signatures": [{"keyid": "", **signature}]}),
        "two-signatures": ("MALFORMED", "at most one signature", {**good, "signatures": [signature, signature]}),
        "extra-member": ("MALFORMED", "three members", {**good, "note": ""}),
        "no-signatures": ("MALFORMED", "three members", {"payload": good["payload"], "payloadType": kind}),
        "order": ("MALFORMED", "members in their order", dict(reversed(good.items()))),
        "no-padding": ("MALFORMED", "base64 with padding", {**good, "payload": loose}),
        "loose-base64": ("MALFORMED", "base64 in its one spelling", {**good, "payload": loose[:-1] + "R="}),
        "url-base64": ("MALFORMED", "the common alphabet", {**good, "payload": "-_8="}),
        "short-signature": ("MALFORMED", "64 bytes", {**good, "signatures": [{"sig": signature["sig"][:84]}]}),
        "space-in-type": ("MALFORMED", "no space in a type", {**good, "payloadType": "a b"}),
        "no-type": ("MALFORMED", "a type is not empty", {**good, "payloadType": ""}),
        "payload-too-long": ("TOO_LONG", "48,001 bytes", {**good, "payload": base64.b64encode(bytes(48_001)).decode()}),
    }
    for id_, (fault, why, members) in refused.items():
        yield row(id_, why, source, envelope=compact(members), **about, fault=fault)
    for id_, text in {"white-space": json.dumps(good), "newline": compact(good) + "\n", "nothing": ""}.items():
        yield row(id_, "an envelope has one text", source, envelope=text, **about, fault="MALFORMED")


def repeat_key_rows() -> Iterator[Row]:
    terms: Row = {"currency": "VND", "ruleset_id": "mau_binh.classic", "seat_count": 2, "stake_minor": 100}
    header: Row = {"layout": [13, 13, 26], "origin": "log.example/1", "seat_keys": ["00" * 32] * 2}
    header["round"] = {"table_id": "t-1"}
    commitments = {"client_commitments": ["aa" * 32, "bb" * 32]}
    bets = [{"bet_minor": 20, "side_bet_minor": 5}, {"bet_minor": 10}]
    requests: dict[str, tuple[str, Row]] = {
        "terms": ("fields at their default are left out", {"terms": {**terms, "table_id": "t-1"}}),
        "seat-stakes": ("messages are objects, repeated fields arrays", {"terms": {**terms, "seat_stakes": bets}}),
        "empty-terms": ("a message that is set and empty counts", {"terms": {}}),
        "header": ("bytes are hex", {"header": header, **commitments}),
        "tokens": ("each field counts", {"header": header, **commitments, "seat_tokens": ["cc" * 32, "dd" * 32]}),
    }
    for id_, (why, request) in requests.items():
        written = canonical(request)
        yield row(id_, why, PROTOCOL, kind="OPEN", text=written.decode(), key=hashlib.sha256(written).hexdigest())
    inputs = {"dealt_time": 5, "events": [{"event": "{}", "received": 0, "time": 7}], "sections": {"0": [1, 2]}}
    key = hashlib.sha256(canonical(inputs)).hexdigest()
    for closed in (7, 8):
        written = canonical({"closed_time": closed, **inputs})
        why = "closed_time is left out: two times, one key"
        yield row(f"closed-at-{closed}", why, PROTOCOL, kind="SETTLE", text=written.decode(), key=key)


TOPICS = {
    "evidence/encoding": encoding_rows,
    "evidence/fields": field_rows,
    "evidence/hkdf": hkdf_rows,
    "evidence/canonical": canonical_rows,
    "evidence/ed25519_keys": key_rows,
    "evidence/ed25519_signatures": signature_rows,
    "evidence/dsse": dsse_rows,
    "evidence/repeat_keys": repeat_key_rows,
}
"""What writes each file of ``evidence``; ``written_refusals`` has the others."""


def text(rows: Iterator[Row]) -> str:
    """Return the text of a file: a JSON object a line."""
    return "".join(json.dumps(line) + "\n" for line in rows)


if __name__ == "__main__":
    for name, made in TOPICS.items():
        path = FOLDER / f"{name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text(made()), encoding="ascii")
