"""Writes what is refused of headers, openings, leaves and proofs, and the vectors of rulesets.

Each refused row is one of the honest vectors with one change. Run as a script, it writes each file.
"""

import copy
import hashlib
import json
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.vectors import written_curve as curve
from tests.vectors.dealing.dealing_derivation import NO_KEY as ZEROS
from tests.vectors.dealing.dealing_derivation import Row, round_id
from tests.vectors.written_rows import FOLDER, HAND, PROTOCOL, compact, read, row, text

RULESETS = FOLDER.parents[1] / "referee" / "rulesets"
OTHER_KEY = "1727c971cba942dcccf317969aea34204411a474525c7094cc70bd1c4c860c45"
UNSOUND_KEY = "evil.example+6a13d384+AQEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
SMALL = "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"


def honest(name: str, id_: str) -> Row:
    """Copy a vector."""
    return copy.deepcopy(next(one for one in read(name) if one["id"] == id_))


def header_rows() -> Iterator[Row]:
    layout = [13, 13, 13, 13]
    changes: dict[str, tuple[str, str, object]] = {
        "protocol": ("protocol", "there is one protocol", 2),
        "origin-empty": ("origin", "an origin is not empty", ""),
        "origin-plus": ("origin", "a key name has no plus", "log+1"),
        "suite": ("randomness_suite", "no such suite", 2),
        "table-empty": ("table_id", "a table has a name", ""),
        "table-slash": ("table_id", "a table's name is of letters, digits, dots, lines", "a/b"),
        "table-long": ("table_id", "at most 64 letters", "a" * 65),
        "round-zero": ("round_number", "rounds are numbered from 1", 0),
        "round-large": ("round_number", "at most 2^53-1", 2**53),
        "ruleset-case": ("ruleset_id", "lowercase", "Mau_binh.classic"),
        "ruleset-no-game": ("ruleset_id", "a game and a name", "classic"),
        "version": ("ruleset_version", "three numbers", "1.0"),
        "layout-51": ("layout", "a deck has 52 cards", [13, 13, 13, 12]),
        "layout-empty-section": ("layout", "no section is empty", [*layout, 0]),
        "currency": ("currency", "a currency has a name", ""),
        "currency-accent": ("currency", "ASCII", "\u20ab"),
        "stake": ("stake", "a stake is at least 1", 0),
        "no-seats": ("seat_keys", "somebody plays", []),
        "seven-seats": ("seat_keys", "at most six", [ZEROS] * 7),
        "stakes-of-one": ("seat_stakes", "all seats or none", [[1, 0]]),
        "previous-first": ("previous_leaf", "nothing precedes round 1", "11" * 32),
        "deal-deadline": ("deal_deadline", "a time is at least 1", 0),
        "round-deadline": ("round_deadline", "not before the deal's", 1),
    }
    for id_, (field, why, value) in changes.items():
        header = honest("dealing/headers", "mau_binh_four")["header"] | {field: value}
        yield row(id_, why, HAND, header=header, field=field)
    base = honest("dealing/headers", "mau_binh_four")["header"]
    small = base | {"seat_keys": [ZEROS, ZEROS, SMALL, ZEROS]}
    yield row("small-order-key", "a key of small order", HAND, header=small, field="seat_keys[2]")
    nothing = base | {"seat_stakes": [[1, 0], [1, 0], [0, 0], [1, 0]]}
    yield row("ante-zero", "an Ante is at least 1", HAND, header=nothing, field="seat_stakes[2]")
    second = base | {"round_number": 2}
    yield row("no-previous", "a later round names a leaf", HAND, header=second, field="previous_leaf")
    yield row("short-digest", "32 bytes", HAND, header=base | {"ruleset_digest": "11" * 31}, field="header")
    yield row("capital-hex", "lowercase", HAND, header=base | {"previous_leaf": "AA" * 32}, field="header")


def flipped(text_: str) -> str:
    """Hex with its last bit turned."""
    return text_[:-2] + f"{int(text_[-2:], 16) ^ 1:02x}"


def opening_rows() -> Iterator[Row]:
    yield from _commitments()
    sources = {
        "SEED_SIGNATURE": (
            "seed_signatures",
            "tien_len_four.0",
            ("signature", "seed", "round_id", "server_commitment"),
        ),
        "SEAT_TOKEN": ("seat_tokens", "mau_binh_four.0", ("token", "hash", "round_id")),
        "ARRANGEMENT": ("arrangements", "seat_0", ("nonce", "commitment", "round_id")),
        "SEALED_SEED": (
            "sealed_seeds",
            "mau_binh_four",
            ("sealed_seed", "sealing_key", "round_id", "server_commitment"),
        ),
        "SECTION": ("sections", "mau_binh_four.0", ("key", "root", "round_id")),
        "EVENT": ("sealed_events", "commit", ("hash", "round_id", "deck_root")),
    }
    for kind, (name, id_, members) in sources.items():
        for member in members:
            one = honest(f"dealing/{name}", id_)
            one[member] = flipped(one[member])
            yield _opening(f"{kind}.{member}", f"one bit of {member}", kind, one)
    for kind, id_, why, change in CHANGES:
        name, honest_id, _ = sources[kind]
        one = honest(f"dealing/{name}", honest_id)
        change(one)
        yield _opening(f"{kind}.{id_}", why, kind, one)


def _opening(id_: str, why: str, kind: str, members: Row) -> Row:
    left_out = ("id", "why", "source", "statement", "opens", "signed")
    rest = {name: value for name, value in members.items() if name not in left_out}
    return row(id_.lower(), why, PROTOCOL, kind=kind, **rest)


def put(**members: object) -> Callable[[Row], None]:
    return lambda one: one.update(members)


def _swap_cards(one: Row) -> None:
    one["cards"][0], one["cards"][5] = one["cards"][5], one["cards"][0]


def _add_group_order(one: Row) -> None:
    signature = bytes.fromhex(one["signature"])
    larger = int.from_bytes(signature[32:], "little") + curve.L
    one["signature"] = (signature[:32] + larger.to_bytes(32, "little")).hex()


def _change_card(one: Row) -> None:
    one["cards"][0] = one["cards"][0] % 52 + 1


CHANGES: list[tuple[str, str, str, Callable[[Row], None]]] = [
    ("SEED_SIGNATURE", "another_seat", "another seat", put(seat=1)),
    ("SEED_SIGNATURE", "a_token", "a token where the seat signed without one", put(token_hash=ZEROS)),
    ("SEED_SIGNATURE", "another_key", "another key", put(public_key=OTHER_KEY)),
    ("SEED_SIGNATURE", "no_key", "zeros are no key", put(public_key=ZEROS)),
    ("SEED_SIGNATURE", "s_plus_l", "the same signature with S + L", _add_group_order),
    ("SEAT_TOKEN", "another_seat", "another seat", put(seat=1)),
    ("ARRANGEMENT", "another_seat", "another seat", put(seat=1)),
    ("ARRANGEMENT", "swapped", "two cards changed places", _swap_cards),
    ("SEALED_SEED", "short", "72 bytes", lambda one: one.update(sealed_seed=one["sealed_seed"][:-2])),
    ("SECTION", "another_card", "another card in the place of one", _change_card),
    ("SECTION", "swapped", "two cards changed places", _swap_cards),
    ("SECTION", "short", "one card too few", lambda one: one["cards"].pop()),
    ("SECTION", "long", "the last card twice", lambda one: one["cards"].append(one["cards"][-1])),
    ("SECTION", "another_section", "another section", put(section=1)),
    ("EVENT", "another_number", "another place among the events", put(number=2)),
    ("EVENT", "another_event", "another event", put(event='{"kind":"TIMEOUT","seat":0}')),
]  # fmt: skip


def _commitments() -> Iterator[Row]:
    deal = honest("dealing/deals", "mau_binh_four")
    rid = round_id(deal["header"]).hex()
    other = round_id(honest("dealing/headers", "mau_binh_two")["header"]).hex()
    seed, commitment = deal["server_seed"], deal["server_commitment"]
    server = {"round_id": rid, "seed": seed, "commitment": commitment}
    seat = {"round_id": rid, "seat": 0, "seed": deal["client_seeds"][0], "commitment": deal["client_commitments"][0]}
    cases: list[tuple[str, str, str, Row]] = [
        ("seed", "another seed", "SERVER_COMMITMENT", {**server, "seed": flipped(seed)}),
        ("round", "another round", "SERVER_COMMITMENT", {**server, "round_id": other}),
        ("role", "a seat's commitment", "SERVER_COMMITMENT", {**server, "commitment": seat["commitment"]}),
        ("seed", "another seed", "CLIENT_COMMITMENT", {**seat, "seed": deal["client_seeds"][1]}),
        ("seat", "another seat", "CLIENT_COMMITMENT", {**seat, "seat": 1}),
        ("round", "another round", "CLIENT_COMMITMENT", {**seat, "round_id": other}),
    ]
    for id_, why, kind, members in cases:
        yield _opening(f"{kind}.{id_}", why, kind, members)


LEFT_OUT = object()


def leaf_rows() -> Iterator[Row]:
    leaves = {one["id"]: one for name in ("leaves", "seat_leaves") for one in read(f"dealing/{name}")}
    starts = json.loads(leaves["start"]["payload"])["rulesets"]
    changes: list[tuple[str, str, str, Row]] = [
        ("open", "round_id", "the round id is the header's", {"round_id": ZEROS}),
        ("open", "commitments", "a place for each seat", {"client_commitments": []}),
        ("open", "sealed_seed", "72 bytes", {"sealed_seed": "00" * 71}),
        ("open", "capital", "lowercase", {"server_commitment": "AA" * 32}),
        ("open", "extra", "no other members", {"note": "x"}),
        ("open_sealed", "tokens", "a token for each seat", {"seat_tokens": [ZEROS]}),
        ("open_sealed", "short_token", "32 bytes", {"seat_tokens": ["00"] * 4}),
        ("deal", "missing_seed", "every seat has a seed", {"client_seeds": ["", "", "", ""]}),
        ("deal", "leader", "the leader is a seat", {"leader": 4}),
        ("deal", "leader_by", "a known reason", {"leader_by": "VOTE"}),
        ("deal", "no_leader", "a reason comes with its leader", {"leader": LEFT_OUT}),
        ("deal", "no_reason", "a leader comes with its reason", {"leader_by": LEFT_OUT}),
        ("deal", "null", "what is absent is left out", {"leader": None}),
        ("deal", "time", "times are integers", {"dealt_time": 1.5}),
        ("deal", "open_twice", "sections ascend", {"opened_sections": [0, 0]}),
        ("deal", "open_order", "sections ascend", {"opened_sections": [1, 0]}),
        ("deal", "no_note", "what is absent is left out", {"cosigned_checkpoint": ""}),
        ("deal", "odd_note", "bytes are pairs of digits", {"cosigned_checkpoint": "abc"}),
        ("deal", "long_note", "at most 4,096 bytes", {"cosigned_checkpoint": "00" * 4_097}),
        ("open", "time", "times are integers", {"opened_time": "1"}),
        ("deal", "no_signature", "somebody signed", {"seed_signatures": ["", "", "", ""]}),
        ("deal_signed", "places", "a place for each seat", {"seed_signatures": ["00" * 64]}),
        ("deal_signed", "short", "64 bytes", {"seed_signatures": ["00" * 63, "", ""]}),
        ("abort", "reason", "a known reason", {"reason": "WEATHER"}),
        ("abort", "stage", "a known stage", {"stage": "SETTLED"}),
        ("abort", "culprit", "seats at fault follow from the empty places", {"culprit": 2}),
        ("unseal", "number", "events are numbered from 1", {"number": 0}),
        ("unseal", "large_number", "events are numbered in four bytes", {"number": 2**32}),
        ("unseal", "nothing", "it opens a section", {"sections": []}),
        ("unseal", "descending", "sections ascend", {"opens_section": 3, "sections": [3, 2]}),
        ("unseal", "twice", "no section twice", {"sections": [2, 2]}),
        ("unseal", "others", "it opens the section that its receipt names", {"sections": [3]}),
        ("unseal", "short", "64 bytes", {"receipt_signature": "00" * 63}),
        ("unseal", "unsigned", "the referee signed", {"receipt_signature": ""}),
        ("unseal", "short_history", "32 bytes", {"history": "00" * 31}),
        ("reveal", "short", "32 bytes", {"server_seed": "00" * 31}),
        ("reveal", "extra", "no other members", {"client_seeds": []}),
        ("key", "role", "a known role", {"role": "player"}),
        ("key", "action", "a known action", {"action": "KEEP"}),
        ("key", "unsound", "a key that signs everything", {"key": UNSOUND_KEY}),
        ("start", "instance", "an instance is named as a table is", {"instance": "room 1"}),
        ("start", "nameless", "an instance has a name", {"instance": ""}),
        ("start", "package", "32 bytes, or the word", {"package": "wheel"}),
        ("start", "short_package", "32 bytes", {"package": "1f" * 31}),
        ("start", "python", "no space in a version", {"python": "3.13.5 (main)"}),
        ("start", "version", "a version", {"version": ""}),
        ("start", "capitals", "lowercase hex", {"settings": "3C" * 32}),
        ("start", "time", "a time is not negative", {"started_time": -1}),
        ("start", "extra", "no other members", {"host": "room"}),
        ("start", "descending", "rulesets ascend", {"rulesets": starts[1::-1]}),
        ("start", "ruleset_twice", "no ruleset twice", {"rulesets": [starts[0], {**starts[0], "digest": "2d" * 32}]}),
        ("start", "ruleset_id", "game and name", {"rulesets": [{**starts[0], "id": "classic"}]}),
        ("start", "ruleset_version", "three numbers", {"rulesets": [{**starts[0], "version": "1.0"}]}),
        ("start", "ruleset_digest", "32 bytes", {"rulesets": [{**starts[0], "digest": "2a" * 31}]}),
        ("start", "ruleset_extra", "no other members of a ruleset", {"rulesets": [{**starts[0], "game": "mau_binh"}]}),
    ]  # fmt: skip
    for id_, name, why, change in changes:
        said = {**json.loads(leaves[id_]["payload"]), **change}
        said = {name: value for name, value in said.items() if value is not LEFT_OUT}
        payload = json.dumps(said, sort_keys=True, separators=(",", ":"))
        yield row(f"{id_}.{name}", why, HAND, kind=leaves[id_]["kind"], payload=payload)
    for id_ in ("open", "deal", "unseal", "abort", "reveal", "key", "start"):
        said = json.loads(leaves[id_]["payload"])
        kind = leaves[id_]["kind"]
        spaced = json.dumps(said, sort_keys=True)
        yield row(f"{id_}.white_space", "one text", HAND, kind=kind, payload=spaced)
        yield row(f"{id_}.order", "members are sorted", HAND, kind=kind, payload=compact(dict(reversed(said.items()))))
        cut = {name: value for name, value in said.items() if name not in {"round_id", "role", "instance"}}
        yield row(f"{id_}.missing", "a member is missing", HAND, kind=kind, payload=compact(cut))
        other = leaves["deal" if id_ == "open" else "open"]["payload"]
        yield row(f"{id_}.another", "another kind's payload", HAND, kind=kind, payload=other)


def merkle_rows() -> Iterator[Row]:
    inclusion = honest("log/merkle_inclusion", "ct-inclusion-5-of-8")
    proof = inclusion["proof"]
    changes: dict[str, tuple[str, Row]] = {
        "long": ("one hash too many", {"proof": [*proof, ZEROS]}),
        "short": ("one hash too few", {"proof": proof[:-1]}),
        "order": ("hashes changed places", {"proof": proof[::-1]}),
        "index": ("another index", {"index": 4}),
        "outside": ("an index outside the tree", {"index": 8}),
        "size": ("another size", {"size": 5}),
        "leaf": ("another leaf", {"leaf_hash": ZEROS}),
        "root": ("another root", {"root": ZEROS}),
        "node": ("an inner node as a leaf", {"leaf_hash": proof[1], "index": 1, "size": 2, "proof": [proof[2]]}),
    }
    for id_, (why, change) in changes.items():
        members = {name: inclusion[name] for name in ("leaf_hash", "index", "size", "proof", "root")} | change
        yield row(f"inclusion-{id_}", why, "RFC 9162, 2.1.3", kind="INCLUSION", **members)
    consistency = honest("log/merkle_consistency", "ct-consistency-6-to-8")
    proof = consistency["proof"]
    kept = ("old_size", "new_size", "old_root", "new_root", "proof")
    empty = hashlib.sha256(b"").hexdigest()
    changes = {
        "long": ("one hash too many", {"proof": [*proof, ZEROS]}),
        "short": ("one hash too few", {"proof": proof[:-1]}),
        "nothing": ("no hash at all", {"proof": []}),
        "backwards": ("the old tree is the larger", {"old_size": 8, "new_size": 6}),
        "old-root": ("another old root", {"old_root": ZEROS}),
        "new-root": ("another new root", {"new_root": ZEROS}),
        "old-size": ("another old size", {"old_size": 5}),
        "equal": ("equal sizes take no hash", {"old_size": 8, "old_root": consistency["new_root"]}),
        "equal-roots-differ": ("equal sizes, two roots", {"old_size": 8, "proof": []}),
        "empty": ("the empty tree takes no hash", {"old_size": 0, "old_root": empty}),
        "empty-root": ("the empty tree has one root", {"old_size": 0, "proof": []}),
    }
    for id_, (why, change) in changes.items():
        members = {name: consistency[name] for name in kept} | change
        yield row(f"consistency-{id_}", why, "RFC 9162, 2.1.4", kind="CONSISTENCY", **members)


def ruleset_rows() -> Iterator[Row]:
    for path in sorted(RULESETS.glob("*.toml")):
        data = path.read_bytes()
        said = tomllib.loads(data.decode())
        yield row(
            said["id"],
            "what a header names by digest",
            f"referee/rulesets/{path.name}",
            ruleset_id=said["id"],
            version=said["version"],
            digest=hashlib.sha256(data).hexdigest(),
            game=said["game"],
            bet_unit=said["bet_unit"],
            shortest_ms=1000 * said["round"]["shortest_seconds"],
            longest_ms=1000 * said["round"]["longest_seconds"],
        )


TOPICS = {
    "dealing/refused_headers": header_rows,
    "dealing/refused_openings": opening_rows,
    "dealing/refused_leaves": leaf_rows,
    "log/merkle_refused": merkle_rows,
    "rulesets/rulesets": ruleset_rows,
}
"""What writes each file."""


if __name__ == "__main__":
    for name, made in TOPICS.items():
        path = Path(FOLDER) / f"{name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text(made()), encoding="ascii")
