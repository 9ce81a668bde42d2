"""A verifier written from ``README.md`` over hashlib, hmac, json and PyNaCl runs every vector of evidence."""

import ast
import base64
import hashlib
import sys
from collections.abc import Callable

import pytest

from tests.vectors import independent_bytes as evidence
from tests.vectors import independent_course as courses
from tests.vectors import independent_log as log
from tests.vectors import independent_round as rounds
from tests.vectors.independent_audit import audit
from tests.vectors.independent_bytes import RefusedError
from tests.vectors.independent_examination import know_rulesets
from tests.vectors.independent_results import winner_of
from tests.vectors.reading import FOLDER, Row, each, read

BY_THE_RULES = {"ILLEGAL_EVENT", "TERMS_FORBIDDEN", "EVENT_NOT_RECEIVED", "SEEN_TOO_LOW", "TIMEOUT_TOO_EARLY"}
"""What takes the rules of a game to find."""


def is_refused(check: Callable[..., object], *args: object) -> bool:
    try:
        check(*args)
    except RefusedError:
        return True
    return False


def fault_of(check: Callable[..., object], *args: object) -> str:
    try:
        check(*args)
    except RefusedError as error:
        return str(error.args[0])
    return ""


@pytest.fixture(autouse=True, scope="module")
def _rulesets() -> None:
    know_rulesets(read("rulesets/rulesets"))


def test_the_third_verifier_shares_nothing_with_the_package_or_the_second() -> None:
    """Its modules import one another, the standard library and PyNaCl."""
    modules = list(FOLDER.glob("independent_*.py"))
    assert modules
    for path in modules:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                top = name.removeprefix("tests.vectors.").partition(".")[0]
                assert top == "nacl" or top.startswith("independent_") or top in sys.stdlib_module_names


@each("evidence/encoding")
def test_encodings(row: Row) -> None:
    fields = [bytes.fromhex(field) for field in row["fields"]]
    assert (row["encoded"], row["hash"]) == (
        evidence.enc(row["tag"], *fields).hex(),
        evidence.th(row["tag"], *fields).hex(),
    )


@each("evidence/fields")
def test_fields(row: Row) -> None:
    def encoded() -> bytes:
        if row["kind"] == "TEXT":
            return evidence.text_field(row["value"])
        return evidence.uint(row["value"], int(row["kind"][1:]))

    if row.get("refused"):
        assert is_refused(encoded)
    else:
        assert row["encoded"] == encoded().hex()


@each("evidence/hkdf")
def test_derived_keys(row: Row) -> None:
    ikm, salt, info = (bytes.fromhex(row[name]) for name in ("ikm", "salt", "info"))
    if row.get("refused"):
        assert is_refused(evidence.hkdf, ikm, salt, info, row["length"])
    else:
        assert row["key"] == evidence.hkdf(ikm, salt, info, row["length"]).hex()


@each("evidence/canonical")
def test_canonical_texts(row: Row) -> None:
    assert row["is_canonical"] != is_refused(evidence.read_json, row["text"].encode())


@each("evidence/repeat_keys")
def test_repeat_keys(row: Row) -> None:
    value = evidence.read_json(row["text"].encode())
    value.pop("closed_time", None)
    assert row["key"] == hashlib.sha256(evidence.write_json(value)).hexdigest()


@each("evidence/ed25519_keys")
def test_keys(row: Row) -> None:
    assert row["is_key"] == evidence.is_sound_key(bytes.fromhex(row["public_key"]))


@each("evidence/ed25519_signatures")
def test_signatures(row: Row) -> None:
    signature, message, key = (bytes.fromhex(row[name]) for name in ("signature", "message", "public_key"))
    assert row["holds"] == evidence.holds(signature, message, key)


@each("evidence/dsse")
def test_envelopes(row: Row) -> None:
    about = row["envelope"].encode(), row["payload_type"], [bytes.fromhex(row["public_key"])]
    assert row["fault"] == fault_of(evidence.open_envelope, *about)
    if not row["fault"]:
        payload = evidence.open_envelope(*about)
        assert (row["payload"], row["pae"]) == (payload.hex(), evidence.pae(row["payload_type"], payload).hex())


@each("dealing/headers")
def test_headers(row: Row) -> None:
    assert rounds.header_fault(row["header"]) == ""
    assert row["round_id"] == rounds.round_id(row["header"]).hex()


@each("dealing/refused_headers")
def test_refused_headers(row: Row) -> None:
    assert row["field"] == rounds.header_fault(row["header"])


def test_shuffles() -> None:
    for row in read("dealing/shuffles"):
        stream = bytes.fromhex(row["stream"])
        if row["deck"]:
            assert row["deck"] == rounds.shuffle(stream)
        else:
            assert is_refused(rounds.shuffle, stream)


@each("dealing/deals")
def test_deals(row: Row) -> None:
    rid = rounds.round_id(row["header"])
    seed, clients = bytes.fromhex(row["server_seed"]), rounds.unhexed(*row["client_seeds"])
    commitment = rounds.server_commitment(rid, seed)
    mixed = rounds.mix(rid, commitment, clients)
    dealt = rounds.deal(row["header"], seed, commitment, mixed)
    assert row["server_commitment"] == commitment.hex()
    assert row["client_commitments"] == [rounds.client_commitment(rid, i, one).hex() for i, one in enumerate(clients)]
    assert (row["mix"], row["deck_root"]) == (mixed.hex(), dealt.root.hex())
    assert row["deck"] == [card for cards in dealt.sections for card in cards]
    source = commitment if row["header"]["randomness_suite"] == 250 else mixed
    assert row["drawn"] == rounds.leader(rid, seed, source, len(clients))
    assert row["lowest"] == rounds.lowest(dealt.sections[: len(clients)])
    for i, section in enumerate(row["sections"]):
        assert (section["key"], section["root"]) == (dealt.keys[i].hex(), dealt.roots[i].hex())


@each("dealing/leads")
def test_leads(row: Row) -> None:
    seat = winner_of(row["results"], len(row["before"]["seat_keys"]))
    assert row["seat"] == rounds.winners_seat(row["header"], (row["before"], seat) if seat >= 0 else None)


@each("dealing/certificates", "dealing/sealed_certificates")
def test_certificates(row: Row) -> None:
    about = row["certificate"].encode(), row["header"], [bytes.fromhex(row["public_key"])]
    assert row["fault"] == fault_of(rounds.read_certificate, *about)
    if not row["fault"]:
        shown = rounds.read_certificate(*about)
        assert row["sections"] == {str(one["index"]): one["cards"] for one in shown["sections"]}
        assert (row["deck_root"], row["dealt_time"]) == (shown["deck_root"], shown["dealt_time"])


def holds_server(row: Row) -> bool:
    rid, seed = rounds.unhexed(row["round_id"], row["seed"])
    return bool(row["commitment"] == rounds.server_commitment(rid, seed).hex())


def holds_client(row: Row) -> bool:
    rid, seed = rounds.unhexed(row["round_id"], row["seed"])
    return bool(row["commitment"] == rounds.client_commitment(rid, row["seat"], seed).hex())


def holds_seed(row: Row) -> bool:
    rid, commitment, seed, key = rounds.unhexed(
        row["round_id"], row["server_commitment"], row["seed"], row["public_key"]
    )
    statement = rounds.seed_statement(rid, commitment, row["seat"], bytes.fromhex(row["token_hash"]), seed)
    return evidence.is_sound_key(key) and evidence.holds(bytes.fromhex(row["signature"]), statement, key)


def holds_token(row: Row) -> bool:
    rid, token = rounds.unhexed(row["round_id"], row["token"])
    return bool(row["hash"] == evidence.th("seat-token", rid, bytes([row["seat"]]), token).hex())


def holds_arrangement(row: Row) -> bool:
    rid, nonce = rounds.unhexed(row["round_id"], row["nonce"])
    return bool(row["commitment"] == rounds.arrangement(rid, row["seat"], row["cards"], nonce).hex())


def holds_section(row: Row) -> bool:
    rid, key, root = rounds.unhexed(row["round_id"], row["key"], row["root"])
    return rounds.section_root(rid, row["section"], key, row["cards"]) == root


OPENINGS: dict[str, Callable[[Row], bool]] = {
    "SERVER_COMMITMENT": holds_server,
    "CLIENT_COMMITMENT": holds_client,
    "SEED_SIGNATURE": holds_seed,
    "SEAT_TOKEN": holds_token,
    "ARRANGEMENT": holds_arrangement,
    "SECTION": holds_section,
}
FILES = {
    "seed_signatures": "SEED_SIGNATURE",
    "seat_tokens": "SEAT_TOKEN",
    "arrangements": "ARRANGEMENT",
    "sections": "SECTION",
}


@pytest.mark.parametrize("name", FILES)
def test_openings(name: str) -> None:
    assert all(OPENINGS[FILES[name]](row) for row in read(f"dealing/{name}"))


@each("dealing/refused_openings")
def test_refused_openings(row: Row) -> None:
    """A sealed seed takes a cipher that this verifier has not; an event is looked at below."""
    if row["kind"] == "EVENT":
        assert is_other_event(row)
    elif row["kind"] != "SEALED_SEED":
        assert not OPENINGS[row["kind"]](row)


def is_other_event(row: Row) -> bool:
    rid, root = rounds.unhexed(row["round_id"], row["deck_root"])
    first = courses.chain(rid, root, [])[0]
    hashed = evidence.th("event", first, evidence.uint(row["number"], 32), row["event"].encode())
    return bool(hashed.hex() != row["hash"])


@each("log/merkle_root")
def test_roots(row: Row) -> None:
    hashes = [evidence.leaf_hash(bytes.fromhex(leaf)) for leaf in row["leaves"]]
    assert row["root"] == evidence.tree_root(hashes).hex()


def is_included(row: Row) -> bool:
    leaf, root = rounds.unhexed(row["leaf_hash"], row["root"])
    try:
        return evidence.inclusion_root(leaf, row["index"], row["size"], rounds.unhexed(*row["proof"])) == root
    except RefusedError:
        return False


def test_merkle_proofs() -> None:
    assert all(is_included(row) for row in read("log/merkle_inclusion"))
    assert not any(is_refused(evidence.check_consistency, row) for row in read("log/merkle_consistency"))


@each("log/merkle_refused")
def test_refused_merkle_proofs(row: Row) -> None:
    if row["kind"] == "INCLUSION":
        assert not is_included(row)
    else:
        assert is_refused(evidence.check_consistency, row)


@each("log/vkey")
def test_key_texts(row: Row) -> None:
    assert row["is_key"] != is_refused(log.read_key, row["text"])


@each("log/note")
def test_notes(row: Row) -> None:
    keys = [log.read_key(text) for text in row["keys"]]
    if row["refused_at"] == "PARSE":
        assert is_refused(log.read_note, row["note"].encode())
        return
    note = log.read_note(row["note"].encode())
    if row["refused_at"]:
        assert is_refused(note.signers, keys)
    else:
        assert row["signers"] == [log.read_key(text).name for text in note.signers(keys)]


@each("log/checkpoint")
def test_checkpoints(row: Row) -> None:
    assert row["is_checkpoint"] != is_refused(log.read_checkpoint, row["body"])


@each("log/receipt")
def test_log_receipts(row: Row) -> None:
    keys = [log.read_key(text) for text in row["keys"]]
    about = row["receipt"].encode(), bytes.fromhex(row["leaf"]), row["origin"], keys
    assert row["holds"] != is_refused(log.check_receipt, *about)


@each("log/cosignature")
def test_cosignatures(row: Row) -> None:
    said = log.cosigned(log.read_note(row["note"].encode()), row["witnesses"])
    assert row["times"] == [list(one) for one in said.times.items()]
    assert (row["forged"], row["doubled"]) == (said.forged, said.doubled)
    assert row["is_quorate"] == (len(said.times) >= row["needed"])


@each("log/tiles_paths")
def test_tile_paths(row: Row) -> None:
    if row.get("refused"):
        assert is_refused(log.read_tile_path, row["path"])
    else:
        assert (str(row["level"]), row["index"], row["width"]) == log.read_tile_path(row["path"])


@each("log/tiles_entries")
def test_entry_bundles(row: Row) -> None:
    data = bytes.fromhex(row["bundle"])
    if row.get("refused"):
        assert is_refused(log.read_entries, data, row["width"])
    else:
        assert row["entries"] == [entry.hex() for entry in log.read_entries(data, row["width"])]


@each("log/tiles_sizes")
def test_tile_sizes(row: Row) -> None:
    if "partial_entries" in row:
        assert row["partial_entries"] == row["size"] % 256
        return
    rows: dict[str, list[int]] = {}
    for level, _, width in log.tiles_of(row["size"]):
        rows.setdefault(level, []).append(width)
    levels = [rows[str(level)] for level in range(len(row["full"]))]
    assert row["full"] == [widths.count(256) for widths in levels]
    assert row["partial"] == [widths[-1] % 256 for widths in levels]


@each("log/tiles_roots")
def test_root_of_many_leaves(row: Row) -> None:
    leaves = [b"\x00\x00\x00\x01entry-%d-" % i + b"x" * (i % 37) for i in range(row["size"])]
    assert row["root"] == base64.b64encode(evidence.tree_root([evidence.leaf_hash(leaf) for leaf in leaves])).decode()


@each("log/slot")
def test_order_of_leaves(row: Row) -> None:
    states: dict[int, log.SlotState] = {}
    for place, said in enumerate(row["steps"]):
        number = said["round"]
        has_deck = said["kind"] in ("DEAL", "SETTLE", "ABORT")
        step = log.SlotStep(
            kind=said["kind"],
            round_id=f"{number}{said.get('id', '')}",
            deck=said.get("deck", "dealt") if has_deck else "",
            leaf=place,
            before=log.Before(number, states.get(number - 1), said.get("previous"), None),
            course=said.get("course", ""),
            unseals=tuple(said.get("unseals", ())),
        )
        assert said["refused"] == fault_of(log.advance, states.get(number), step)
        if "stored" in said:
            assert said["stored"] == log.stored_unseal(states[number], step.course)
        if not said["refused"]:
            states[number] = log.advance(states.get(number), step)


@each("dealing/unseals")
def test_unseals(row: Row) -> None:
    envelope = evidence.read_envelope(row["envelope"].encode())
    said = rounds.check_leaf("unseal", envelope.payload)
    assert envelope.payload == row["payload"].encode()
    assert envelope.is_by(bytes.fromhex(row["public_key"]))
    receipt = {name: value for name, value in said.items() if name in courses.RECEIPT or name == "opens_section"}
    assert row["receipt"] == evidence.write_json(receipt).decode()
    keys = [bytes.fromhex(row["referee_key"])]
    assert row["holds"] == courses.is_receipted(receipt, said["receipt_signature"], keys)


@each("dealing/leaves", "dealing/seat_leaves")
def test_leaves(row: Row) -> None:
    envelope = evidence.read_envelope(row["envelope"].encode())
    assert (envelope.kind, envelope.payload) == (evidence.media_type(row["kind"]), row["payload"].encode())
    assert not is_refused(rounds.check_leaf, row["kind"], envelope.payload)
    if row["public_key"]:
        assert envelope.is_by(bytes.fromhex(row["public_key"]))
    else:
        assert envelope.signature == b""


@each("dealing/refused_leaves")
def test_refused_leaves(row: Row) -> None:
    assert is_refused(rounds.check_leaf, row["kind"], row["payload"].encode())


@each("transcript/events")
def test_events(row: Row) -> None:
    assert row["is_event"] != is_refused(courses.check_event, row["game"], row["event"].encode())


def hashes_of(row: Row, events: list[Row]) -> list[bytes]:
    rid, root = rounds.unhexed(row["round_id"], row["deck_root"])
    return courses.chain(rid, root, [evidence.write_json(event) for event in events])


@each("transcript/chains")
def test_chains(row: Row) -> None:
    hashes = hashes_of(row, [entry["event"] for entry in row["events"]])
    assert row["hashes"] == [one.hex() for one in hashes]
    assert row["histories"] == [one.hex() for one in courses.histories(hashes, row["events"])]


@each("transcript/seat_chains")
def test_seat_chains(row: Row) -> None:
    made = courses.seat_chains(hashes_of(row, row["events"]), row["events"], row["seat_keys"])
    assert row["chains"] == [[one.hex() for one in chain] for chain in made]
    for chain, text, key in zip(made, row["signatures"], row["seat_keys"], strict=True):
        if len(chain) == 1:
            assert text == ""
        else:
            assert evidence.holds(bytes.fromhex(text), chain[-1], bytes.fromhex(key))


@each("transcript/refused_seat_chains")
def test_refused_seat_chains(row: Row) -> None:
    hashes = hashes_of(row, row["events"])
    assert is_refused(courses.seat_chains, hashes, row["events"], row["seat_keys"])


@each("transcript/courses")
def test_courses(row: Row) -> None:
    """The newest receipt and each seat's newest signature speak for the whole course."""
    made = courses.course(bytes.fromhex(row["round_id"]), row["seat_keys"], row)
    fault = made.receipt_fault([bytes.fromhex(row["public_key"])], row["events_hash"])
    assert row["fault"] == (fault or ("EVENT_UNSIGNED" if made.unsigned_seats() else ""))
    if not row["fault"]:
        assert row["level"] == made.level()


@each("transcript/receipts")
def test_event_receipts(row: Row) -> None:
    about = row["receipt"].encode(), [bytes.fromhex(row["public_key"])]
    assert row["holds"] != is_refused(courses.read_event_receipt, *about)
    if row["holds"]:
        said = courses.read_event_receipt(*about)
        assert said == {name: value for name, value in row.items() if name in said}


@each("transcript/receipted_events")
def test_receipted_events(row: Row) -> None:
    kept = courses.read_receipted_event(row["file"].encode())
    assert row["is_file"] == (kept is not None)
    if kept is None:
        return
    event, previous, envelope = kept
    about = envelope, [bytes.fromhex(row["public_key"])]
    if is_refused(courses.read_event_receipt, *about):
        assert not row["holds"]
        return
    said = courses.read_event_receipt(*about)
    hashed = courses.next_hash(bytes.fromhex(previous), said["number"], event).hex()
    assert row["holds"] == (hashed == said["event_hash"])
    if row["holds"]:
        assert (row["number"], row["event_hash"]) == (said["number"], hashed)


def test_sealed_events() -> None:
    """One round: each seat's signature is over its chain, and what is opened was committed to."""
    rows = read("dealing/sealed_events")
    events = [courses.check_event("mau_binh", row["event"].encode()) for row in rows]
    hashes = hashes_of(rows[0], events)
    keys = [rows[0]["public_key"], rounds.ZEROS]
    for place, (row, event) in enumerate(zip(rows, events, strict=True)):
        assert row["hash"] == hashes[place + 1].hex()
        chains = courses.seat_chains(hashes[: place + 2], events[: place + 1], keys)
        assert row["signed"] == ("" if courses.is_timeout(event) else chains[event["seat"]][-1].hex())
        if row["signed"]:
            key = bytes.fromhex(row["public_key"])
            assert evidence.holds(bytes.fromhex(row["signature"]), bytes.fromhex(row["signed"]), key)
        if row["opens"]:
            cards = [*event["back"], *event["middle"], *event["front"]]
            nonce = bytes.fromhex(event["nonce"])
            rid = bytes.fromhex(row["round_id"])
            assert row["opens"] == rounds.arrangement(rid, event["seat"], cards, nonce).hex()


LOGS = ("healthy", "courses", "mutations", "seats", "held", "cosigned", "tiles")


@each(*[f"audit/{name}" for name in LOGS])
def test_logs(row: Row) -> None:
    """The first finding is the one expected; a sound log has none, and what the rules alone show is not found."""
    expected = row["expected"].get("code")
    found = audit(row)
    first = found.findings[0] if found.findings else None
    if expected in BY_THE_RULES:
        assert first is None
        return
    assert expected == (None if first is None else first.code)
    if "leaf_index" in row["expected"] and first is not None:
        assert row["expected"]["leaf_index"] == first.leaf
    if "levels" in row:
        assert row["levels"] == dict(found.levels)


def test_logs_that_only_chance_accuses_have_sound_bytes() -> None:
    for row in read("audit/chance"):
        assert {finding.code for finding in audit(row).findings} <= {"ROUNDS_GIVEN_UP"}, row["id"]


def test_every_changed_letter_of_a_log_is_caught() -> None:
    """One letter in every leaf of the healthy log, changed anywhere."""
    row = read("audit/healthy")[0]
    for index, leaf in enumerate(row["leaves"]):
        at = int.from_bytes(hashlib.sha256(leaf.encode()).digest()[:4], "big") % len(leaf)
        changed = leaf[:at] + ("A" if leaf[at] != "A" else "B") + leaf[at + 1 :]
        leaves = [*row["leaves"][:index], changed, *row["leaves"][index + 1 :]]
        assert "ROOT_MISMATCH" in [finding.code for finding in audit({**row, "leaves": leaves}).findings]
