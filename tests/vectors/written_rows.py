"""Writer of the computed members of vectors: ``python -m tests.vectors.written_rows`` fills them in.

A row is data: its inputs, and what one change makes of them, are written by hand. Each function takes a row, computes
its hashes, signatures and envelopes from its inputs, and returns those members. It computes with ``written_chains.py``,
``written_curve.py`` and ``dealing/dealing_derivation.py``, takes nothing from the package and judges nothing: a row
that is refused for its bytes keeps them. A test compares what would be written with the files.
"""

import base64
import hashlib
import json
import tomllib
from collections.abc import Callable
from typing import Any

from tests.vectors import written_curve as curve
from tests.vectors.dealing.dealing_derivation import (
    CERTIFICATE_TYPE,
    NO_KEY,
    SHUFFLER,
    STRANGER,
    Row,
    canonical,
    certificate_payload,
    derive,
    enc,
    envelope,
    hkdf,
    number,
    pae,
    round_id,
    sealed,
    section_root,
    shuffled,
    sign,
    tagged,
)
from tests.vectors.reading import FOLDER, read
from tests.vectors.written_chains import chain_of, content, histories, receipt_of, seat_chains

PRIVATE = [
    SHUFFLER,
    STRANGER,
    hashlib.sha256(b"a referee's key for tests").digest(),
    b"a signer's seed, 32 bytes long..".ljust(32, b"."),
    b"the seed of seat 1, which signs.."[:32],
    *(hashlib.sha256(b"seat key %d" % seat).digest() for seat in range(6)),
    *(b"the seed of a seat's key, no. %d.." % seat for seat in range(4)),
]
SEEDS = {curve.public(seed).hex(): seed for seed in PRIVATE}
"""Private keys of the vectors, by public key."""
DEALS = {round_id(row["header"]).hex(): row for row in read("dealing/deals")}
EVENT_TYPE = "application/vnd.referee.event.v1+json"


def unhexed(row: Row, *names: str) -> Any:  # noqa: ANN401 - as many bytes as names, to be unpacked
    return [bytes.fromhex(row[name]) for name in names]


def dealt(rid: str) -> Row:
    """Derive the deal of a round anew."""
    row = DEALS[rid]
    return derive(row["header"], bytes.fromhex(row["server_seed"]), [bytes.fromhex(a) for a in row["client_seeds"]])


def commitments(rid: str) -> list[str]:
    seeds = enumerate(DEALS[rid]["client_seeds"])
    return [tagged("client-commit", bytes.fromhex(rid), number(i, 1), bytes.fromhex(a)).hex() for i, a in seeds]


def signed_again(text: str, key: str) -> str:
    """Sign the payload of an envelope again; a text that is not the one text of an envelope stays as it is."""
    try:
        members = json.loads(text)
    except ValueError:
        return text
    if canonical(members).decode() != text:
        return text
    return envelope(members["payloadType"], base64.b64decode(members["payload"]), SEEDS[key]).decode()


def encoding(row: Row) -> Row:
    fields = [bytes.fromhex(field) for field in row["fields"]]
    return {"encoded": enc(row["tag"], *fields).hex(), "hash": tagged(row["tag"], *fields).hex()}


def field(row: Row) -> Row:
    if "refused" in row:
        return {}
    value, kind = row["value"], row["kind"]
    return {"encoded": (value.encode() if kind == "TEXT" else number(value, int(kind[1:]) // 8)).hex()}


def hkdf_key(row: Row) -> Row:
    if "refused" in row:
        return {}
    secret, salt, info = unhexed(row, "ikm", "salt", "info")
    return {"key": hkdf(secret, salt, info, row["length"]).hex()}


def signature(row: Row) -> Row:
    is_ours = row["holds"] and row["public_key"] in SEEDS
    return {"signature": curve.sign(SEEDS[row["public_key"]], *unhexed(row, "message")).hex()} if is_ours else {}


def dsse(row: Row) -> Row:
    if row["fault"]:
        return {}
    payload = base64.b64decode(json.loads(row["envelope"])["payload"])
    signed = pae(row["payload_type"], payload)
    signatures = [{"sig": base64.b64encode(curve.sign(SEEDS[row["public_key"]], signed)).decode()}]
    members = {"payload": base64.b64encode(payload).decode(), "payloadType": row["payload_type"]}
    text = canonical({**members, "signatures": signatures}).decode()
    return {"envelope": text, "payload": payload.hex(), "pae": signed.hex()}


def repeat_key(row: Row) -> Row:
    members = json.loads(row["text"])
    members.pop("closed_time", None)
    return {"key": hashlib.sha256(canonical(members)).hexdigest()}


def deal(row: Row) -> Row:
    made = dealt(round_id(row["header"]).hex())
    sections = [
        {"cards": section["cards"], "key": section["key"].hex(), "root": section["root"].hex()}
        for section in made["sections"]
    ]
    hashes = {name: made[name].hex() for name in ("server_commitment", "mix", "deck_root")}
    others = {name: made[name] for name in ("deck", "drawn", "lowest")}
    return {**hashes, **others, "sections": sections, "client_commitments": commitments(made["round_id"].hex())}


def section(row: Row) -> Row:
    rid, key = unhexed(row, "round_id", "key")
    made = dealt(row["round_id"])["sections"][row["section"]]
    root = section_root(rid, row["section"], row["cards"], key).hex()
    return {"cards": made["cards"], "key": made["key"].hex(), "root": root}


def certificate(row: Row) -> Row:
    """Issue a certificate again from its deal; sign the payload of a refused one again."""
    if row["fault"]:
        is_forged = row["fault"] == "FORGED"
        return {} if is_forged else {"certificate": signed_again(row["certificate"], row["public_key"])}
    made = dealt(round_id(row["header"]).hex())
    payload = certificate_payload(row["header"], made, [int(i) for i in row["sections"]], row["dealt_time"])
    for opened in payload["sections"]:
        if str(opened["index"]) in row.get("unsealed", {}):
            opened["unsealed_time"] = row["unsealed"][str(opened["index"])]
    if "leader" in row:
        payload |= {"leader": made["drawn"], "leader_by": row["leader_by"]}
    return {
        "certificate": envelope(CERTIFICATE_TYPE, canonical(payload), SEEDS[row["public_key"]]).decode(),
        "sections": {i: made["sections"][int(i)]["cards"] for i in row["sections"]},
        "deck_root": made["deck_root"].hex(),
    }


def sealed_certificate(row: Row) -> Row:
    made = certificate(row)
    if not row["fault"]:
        members = json.loads(made["certificate"])
        payload = canonical({**json.loads(base64.b64decode(members["payload"])), "sealed": 1})
        made["certificate"] = envelope(CERTIFICATE_TYPE, payload, SEEDS[row["public_key"]]).decode()
    return made


def sealed_seed(row: Row) -> Row:
    names = ("server_seed", "sealing_key", "round_id", "server_commitment", "nonce")
    return {"sealed_seed": sealed(*unhexed(row, *names)).hex()}


def arrangement(row: Row) -> Row:
    rid, nonce = unhexed(row, "round_id", "nonce")
    return {"commitment": tagged("arrange", rid, number(row["seat"], 1), bytes(row["cards"]), nonce).hex()}


def seed_signature(row: Row) -> Row:
    rid, commitment, token, seed = unhexed(row, "round_id", "server_commitment", "token_hash", "seed")
    statement = tagged("client-seed", rid, commitment, number(row["seat"], 1), token, seed)
    return {"statement": statement.hex(), "signature": sign(SEEDS[row["public_key"]], statement).hex()}


def seat_token(row: Row) -> Row:
    rid, token = unhexed(row, "round_id", "token")
    return {"hash": tagged("seat-token", rid, number(row["seat"], 1), token).hex()}


def list_request(row: Row) -> Row:
    """Sign for one log, whichever the row is sent to."""
    key, times = row["public_key"], [number(row[f"{name}_time"], 8) for name in ("start", "end", "signed")]
    sent, signed = (
        tagged("list-rounds", origin.encode(), bytes.fromhex(key), *times)
        for origin in (row["origin"], "log.example/1")
    )
    return {"statement": sent.hex(), "signature": sign(SEEDS[key], signed).hex()}


def leaf(row: Row) -> Row:
    """Write the members of a leaf that follow from its deal, and sign it."""
    payload = json.loads(row["payload"])
    rid = payload.get("round_id", "")
    if rid in DEALS:
        made, secret = dealt(rid), bytes.fromhex(DEALS[rid]["server_seed"])
        follows: dict[str, Any] = {name: made[name].hex() for name in ("server_commitment", "mix", "deck_root")}
        follows["server_seed"] = secret.hex()
        follows["sealed_seed"] = sealed(secret, bytes(32), made["round_id"], made["server_commitment"], bytes(24)).hex()
        follows["leader"] = made["lowest" if payload.get("leader_by") == "LOWEST_CARD" else "drawn"]
        follows["client_seeds"] = _where_given(DEALS[rid]["client_seeds"], payload.get("client_seeds", ()))
        follows["client_commitments"] = _where_given(commitments(rid), payload.get("client_commitments", ()))
        payload |= {name: value for name, value in follows.items() if name in payload}
        if "seed_signatures" in payload:
            keys, seeds = DEALS[rid]["header"]["seat_keys"], payload["client_seeds"]
            about = {"round_id": rid, "server_commitment": follows["server_commitment"], "token_hash": ""}
            payload["seed_signatures"] = [
                "" if key == NO_KEY
                else seed_signature({**about, "seat": seat, "seed": seeds[seat], "public_key": key})["signature"]
                for seat, key in enumerate(keys)
            ]  # fmt: skip
    signer = SEEDS[row["public_key"]] if row["public_key"] else None
    text = canonical(payload)
    kind = f"application/vnd.referee.{row.get('kind', 'unseal')}.v1+json"
    return {"payload": text.decode(), "envelope": envelope(kind, text, signer).decode()}


def _where_given(values: list[str], places: list[str]) -> list[str]:
    return [value if place else "" for value, place in zip(values, places, strict=False)]


def unseal(row: Row) -> Row:
    """Sign the receipt that an UNSEAL repeats, and the UNSEAL."""
    payload = json.loads(row["payload"])
    names = ("event_hash", "history", "number", "opens_section", "received_time", "round_id")
    receipt = canonical({name: payload[name] for name in names})
    if row["holds"]:
        payload["receipt_signature"] = sign(SEEDS[row["referee_key"]], pae(EVENT_TYPE, receipt)).hex()
    return leaf(row | {"payload": json.dumps(payload)}) | {"receipt": receipt.decode()}


def sealed_event(row: Row) -> Row:
    """Hash an event behind those of the rows before; the seat with a key signs its own chain."""
    rows = read("dealing/sealed_events")[: row["number"]]
    events = [json.loads(one["event"]) for one in rows]
    hashes = chain_of(row, [one["event"].encode() for one in rows])
    links = seat_chains(hashes, events, [row["public_key"], NO_KEY])[0]
    is_own = events[-1]["seat"] == 0
    signature_ = sign(SEEDS[row["public_key"]], links[-1]).hex() if is_own else ""
    return {"hash": hashes[-1].hex(), "signed": links[-1].hex() if is_own else "", "signature": signature_}


def event_chain(row: Row) -> Row:
    events = [canonical(entry["event"]) for entry in row["events"]]
    hashes = chain_of(row, events)
    made = histories(hashes, row["events"])
    return {"hashes": [one.hex() for one in hashes], "histories": [one.hex() for one in made]}


def round_content(row: Row) -> Row:
    certificates, signatures = (list(map(bytes.fromhex, row[name])) for name in ("certificates", "signatures"))
    hashed = content(certificates, bytes.fromhex(row["receipt"]), signatures, seats=row["seats"])
    return {"content": hashed.hex()}


def seat_chain(row: Row) -> Row:
    hashes = chain_of(row, [canonical(event) for event in row["events"]])
    links = seat_chains(hashes, row["events"], row["seat_keys"])
    signatures = [
        curve.sign(SEEDS[key], one[-1]).hex() if len(one) > 1 else ""
        for key, one in zip(row["seat_keys"], links, strict=True)
    ]
    return {"chains": [[link.hex() for link in one] for one in links], "signatures": signatures}


def course(row: Row) -> Row:
    """Sign a course as referee and seats would."""
    if row["fault"]:
        return {}
    signatures = seat_chain({**row, "events": [entry["event"] for entry in row["events"]]})["signatures"]
    made = {"events_hash": event_chain(row)["hashes"][-1], "signatures": signatures}
    if "receipt" in row:
        said = receipt_of(row, row["receipt"]["number"], row["receipt"].get("opens_section"))
        signed = sign(SEEDS[row["public_key"]], pae(EVENT_TYPE, canonical(said))).hex()
        made["receipt"] = row["receipt"] | {"signature": signed}
    return made


def receipt(row: Row) -> Row:
    if row["id"] == "stranger":
        return {}
    made = row["receipt"]
    if row["holds"]:
        names = row.keys() - {"id", "why", "source", "public_key", "receipt", "holds"}
        made = envelope(EVENT_TYPE, canonical({name: row[name] for name in names}), SEEDS[row["public_key"]]).decode()
    return {"receipt": signed_again(made, row["public_key"])}


def receipted_event(row: Row) -> Row:
    """Sign the last event of a file as referee and seat would."""
    if not row["holds"]:
        return {}
    file = json.loads(row["file"])
    events = [json.loads(event) for event in file["events"]]
    said = json.loads(base64.b64decode(json.loads(file["receipt"])["payload"]))
    hashes = chain_of(row, [event.encode() for event in file["events"]])
    said |= {"event_hash": hashes[-1].hex(), "number": len(events), "round_id": row["round_id"]}
    links, last = seat_chains(hashes, events, row["seat_keys"]), events[-1]
    key = row["seat_keys"][last["seat"]]
    is_signed = key != NO_KEY and last["kind"] != "TIMEOUT"
    file["receipt"] = envelope(EVENT_TYPE, canonical(said), SEEDS[row["public_key"]]).decode()
    file["signature"] = sign(SEEDS[key], links[last["seat"]][-1]).hex() if is_signed else ""
    return {"file": canonical(file).decode(), "number": len(events), "event_hash": hashes[-1].hex()}


def ruleset(row: Row) -> Row:
    data = (FOLDER.parents[1] / row["source"]).read_bytes()
    said = tomllib.loads(data.decode())
    return {
        **{name: said[name] for name in ("version", "game", "bet_unit")},
        "digest": hashlib.sha256(data).hexdigest(),
        "shortest_ms": 1000 * said["round"]["shortest_seconds"],
        "longest_ms": 1000 * said["round"]["longest_seconds"],
    }


COMPUTED: dict[str, Callable[[Row], Row]] = {
    "evidence/encoding": encoding,
    "evidence/fields": field,
    "evidence/hkdf": hkdf_key,
    "evidence/ed25519_signatures": signature,
    "evidence/dsse": dsse,
    "evidence/repeat_keys": repeat_key,
    "dealing/headers": lambda row: {"round_id": round_id(row["header"]).hex()},
    "dealing/deals": deal,
    "dealing/shuffles": lambda row: {"deck": shuffled(bytes.fromhex(row["stream"])) or []},
    "dealing/sections": section,
    "dealing/certificates": certificate,
    "dealing/sealed_certificates": sealed_certificate,
    "dealing/sealed_seeds": sealed_seed,
    "dealing/arrangements": arrangement,
    "dealing/leaves": leaf,
    "dealing/seat_leaves": leaf,
    "dealing/seed_signatures": seed_signature,
    "dealing/list_requests": list_request,
    "dealing/seat_tokens": seat_token,
    "dealing/sealed_events": sealed_event,
    "dealing/unseals": unseal,
    "transcript/chains": event_chain,
    "transcript/contents": round_content,
    "transcript/seat_chains": seat_chain,
    "transcript/courses": course,
    "transcript/receipts": receipt,
    "transcript/receipted_events": receipted_event,
    "rulesets/rulesets": ruleset,
}
"""What computes members of the rows of each file; the other files are written by hand."""


def text(name: str) -> str:
    """Return the text of a file with its computed members written anew: a JSON object a line."""
    return "".join(json.dumps(row | COMPUTED[name](row)) + "\n" for row in read(name))


if __name__ == "__main__":
    for name in COMPUTED:
        (FOLDER / f"{name}.jsonl").write_text(text(name), encoding="ascii")
