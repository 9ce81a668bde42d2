"""A log as a tree of plain values that edits change, and as the row that verifiers read.

A tree has the members of a row of ``tests/vectors/audit``, but for what an attacker would write again after an edit:
a leaf is ``{"type", "payload", "by"}`` with its payload parsed and the name of its signer, a note is
``{"size", "lines"}`` over the leaves as they are. What cannot be taken apart stays as ``raw`` hex. ``read`` and
``build`` are inverse.
"""

import base64
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from referee.evidence.dsse import Envelope, EnvelopeError, pae
from referee.evidence.ed25519 import is_signature
from referee.evidence.merkle import ProofError, inclusion_path, leaf_hash, root
from referee.evidence.note import Note, NoteError, NoteSignature
from referee.evidence.vkey import Algorithm, KeyTextError, VerifierKey
from referee.log import Checkpoint, CheckpointError
from referee.log.cosignature import cosign
from tests.audit.audit_builder import ORIGIN
from tests.audit.audit_bundles import bundle_of, payload_of, rounds_of
from tests.audit.audit_tiles import files_of
from tests.fuzz.fuzz_changes import Tree, apply
from tests.fuzz.fuzz_follow import follow
from tests.fuzz.fuzz_signers import BY_KEY, NAMED

DOCUMENTS: Final = ("certificates", "event_receipts")
NOTES: Final = ("witnessed", "cosigned", "outgrown")
KEPT: Final = ("now", "origin", "log_key", "root_key", "witnesses", "quorum", "max_age", "seeds")


def read(row: Mapping[str, Any]) -> Tree:
    """Take a row of a whole log apart."""
    entries = [leaf.encode() for leaf in row["leaves"]]
    tree: Tree = {name: row[name] for name in KEPT if name in row}
    tree["leaves"] = [_read_leaf(leaf, entries) for leaf in entries]
    tree["checkpoint"] = _read_note(row["checkpoint"].encode(), entries)
    for name in DOCUMENTS:
        tree[name] = [_read_leaf(base64.b64decode(text), entries) for text in row.get(name, ())]
    tree["exports"] = [{"raw": base64.b64decode(text).hex()} for text in row.get("exports", ())]
    for name in NOTES:
        tree[name] = [_read_note(text.encode(), entries) for text in row.get(name, ())]
    tree["log_receipts"] = [_read_receipt(one, entries) for one in row.get("log_receipts", ())]
    return tree


def build(tree: Tree) -> dict[str, Any]:
    """Put the row of a tree together, with everything signed and hashed again."""
    tree = follow(tree)
    entries: list[bytes] = []
    for leaf in tree["leaves"]:
        entries.append(_write_leaf(leaf, entries))
    row: dict[str, Any] = {name: tree[name] for name in KEPT if name in tree}
    row["seeds"] = [one for one in row.get("seeds", ()) if _is_seed(one)]
    checkpoint = _write_note(tree["checkpoint"], entries)
    for name in (*DOCUMENTS, "exports"):
        row[name] = [base64.b64encode(_write_leaf(one, entries)).decode() for one in tree[name]]
    for name in NOTES:
        row[name] = [_text(_write_note(one, entries)) for one in tree[name]]
    row["log_receipts"] = [_write_receipt(one, entries) for one in tree["log_receipts"]]
    if "tiles" in tree:
        row["files"] = _tiles(entries, checkpoint, tree["tiles"])
    else:
        row |= {"checkpoint": _text(checkpoint), "leaves": [_text(leaf) for leaf in entries]}
    if "bundle" in tree:
        row["bundle"] = _bundle(tree["bundle"], entries, checkpoint, row)
    return row


def patched(data: bytes, patches: object) -> bytes:
    """Replace parts of the bytes: each patch is an offset, a count of bytes to leave out, and hex to put in."""
    for patch in patches if isinstance(patches, list) else ():
        match patch:
            case [int(offset), int(count), str(text)]:
                at = offset % (len(data) + 1)
                data = data[:at] + _unhex(text) + data[at + max(count, 0) :]
            case _:
                continue
    return data


def encode(value: object) -> bytes:
    """Encode plain values as canonical JSON, or as near to it as they allow."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace")


def _is_seed(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    """Return whether a value has the form of a seed; no verifier is given another."""
    match value:
        case {"round_id": str(round_id), "seat": int(seat), "seed": str(seed)} if len(value) == 3:
            return 0 <= seat < 256 and all(re.fullmatch("[0-9a-f]{64}", text) for text in (round_id, seed))
        case _:
            return False


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _read_leaf(data: bytes, entries: Sequence[bytes]) -> Tree:
    raw = {"raw": data.hex()}
    try:
        envelope = Envelope.parse(data)
        payload = json.loads(envelope.payload)
    except (EnvelopeError, ValueError, RecursionError):
        return raw
    leaf: Tree = {"type": envelope.payload_type, "payload": payload}
    if isinstance(payload, dict) and isinstance(payload.get("cosigned_checkpoint"), str):
        note = _read_note(bytes.fromhex(payload["cosigned_checkpoint"]), entries)
        leaf["payload"] = payload | {"cosigned_checkpoint": note}
    if envelope.signature is not None:
        message = pae(envelope.payload_type, envelope.payload)
        names = [name for key, name in BY_KEY.items() if is_signature(envelope.signature, message, key)]
        leaf |= {"by": names[0]} if names else {"signature": envelope.signature.hex()}
    return leaf if _write_leaf(leaf, entries) == data else raw


def _write_leaf(leaf: object, entries: Sequence[bytes]) -> bytes:
    """Encode a leaf; ``entries`` are those before it, which a carried note is over."""
    if not isinstance(leaf, dict):
        return encode(leaf)
    if isinstance(leaf.get("raw"), str):
        return patched(_unhex(leaf["raw"]), leaf.get("patches"))
    payload = leaf.get("payload")
    if isinstance(payload, dict) and isinstance(payload.get("cosigned_checkpoint"), dict):
        payload = payload | {"cosigned_checkpoint": _write_note(payload["cosigned_checkpoint"], entries).hex()}
    data = patched(encode(payload), leaf.get("payload_patches"))
    kind, signer = str(leaf.get("type")), NAMED.get(str(leaf.get("by")))
    signature = _unhex(str(leaf.get("signature", ""))) if signer is None else signer.sign(pae(kind, data))
    signatures = [{"sig": base64.b64encode(signature).decode()}] if signature or "by" in leaf else []
    envelope = {"payload": base64.b64encode(data).decode(), "payloadType": kind, "signatures": signatures}
    return patched(encode(envelope), leaf.get("patches"))


def _read_note(data: bytes, entries: Sequence[bytes]) -> Tree:
    raw = {"raw": data.hex()}
    try:
        note = Note.parse(data)
        head = Checkpoint.parse(note.text)
    except (NoteError, CheckpointError):
        return raw
    lines = []
    for line in note.signatures:
        named = _reader_of(note, line)
        if named is None:
            return raw
        lines.append(named)
    tree: Tree = {"size": head.size, "lines": lines}
    if head.size > len(entries) or root(entries[: head.size]) != head.root:
        tree["root"] = head.root.hex()
    if head.origin != ORIGIN:
        tree["origin"] = head.origin
    return tree if _write_note(tree, entries) == data else raw


def _reader_of(note: Note, line: NoteSignature) -> list[Any] | None:
    """Return a line's name, its signer's name and, on a cosignature, its time; None if no known key made it."""
    alone = Note(note.text, (line,))
    for public, name in BY_KEY.items():
        for algorithm in Algorithm:
            key = VerifierKey(line.name, public, algorithm)
            try:
                alone.verify([key])
            except NoteError:
                continue
            return [line.name, name, *(alone.cosignature_times(key) if algorithm is Algorithm.COSIGNATURE_V1 else ())]
    return None


def _write_note(tree: Any, entries: Sequence[bytes]) -> bytes:  # noqa: ANN401 - any JSON value
    match tree:
        case {"raw": str(raw)}:
            return patched(_unhex(raw), tree.get("patches"))
        case {"size": int(size), "lines": list(lines)}:
            hashed = tree["root"] if isinstance(tree.get("root"), str) else root(entries[: max(size, 0)]).hex()
            text = f"{tree.get('origin', ORIGIN)}\n{size}\n{base64.b64encode(_unhex(hashed)).decode()}\n"
            signed = [line for one in lines if (line := _line(text, one)) is not None]
            return patched(Note(text, tuple(signed)).format(), tree.get("patches"))
        case _:
            return encode(tree)


def _unhex(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return text.encode()


def _line(text: str, line: object) -> NoteSignature | None:
    """Sign a text as one line of a note; return None for a line that no signer of notes can write."""
    try:
        return _signed_line(text, line)
    except KeyTextError:
        return None


def _signed_line(text: str, line: object) -> NoteSignature | None:
    match line:
        case [str(name), str(by)] if by in NAMED and name:
            key = VerifierKey(name, NAMED[by].public_key)
            return NoteSignature(name, key.key_id, NAMED[by].sign(text.encode()))
        case [str(name), str(by), int(time)] if by in NAMED and name and 0 <= time < 1 << 63:
            return cosign(Note(text, ()), name=name, signer=NAMED[by], time=time)
        case _:
            return None


def _read_receipt(held: Mapping[str, str], entries: Sequence[bytes]) -> Tree:
    head, _, note = held["receipt"].partition("\n\n")
    tree: Tree = {"raw": held["receipt"].encode().hex()}
    if "leaf" in held:
        tree["leaf"] = base64.b64decode(held["leaf"]).hex()
    words = head.split("\n")[1:2]
    if words and words[0].startswith("index "):
        index = int(words[0].removeprefix("index "))
        spec: Tree = {"index": index, "note": _read_note(note.encode(), entries)}
        if 0 <= index < len(entries) and tree.get("leaf") in (None, entries[index].hex()):
            spec |= {"own": 1} if "leaf" in tree else {}
            return spec if _write_receipt(spec, entries) == dict(held) else tree
    return tree


def _write_receipt(tree: object, entries: Sequence[bytes]) -> dict[str, str]:
    if not isinstance(tree, dict):
        return {"receipt": _text(encode(tree))}
    leaf = tree.get("leaf")
    text = patched(_unhex(str(tree.get("raw", ""))), tree.get("patches"))
    match tree:
        case {"index": int(index), "note": dict(note)}:
            size = note.get("size", len(entries))
            covered = entries[: size if isinstance(size, int) else None]
            proof: Sequence[bytes] = ()
            if 0 <= index < len(covered):
                proof = _proof(covered, index)
            lines = "".join(base64.b64encode(one).decode() + "\n" for one in proof)
            text = f"c2sp.org/tlog-proof@v1\nindex {index}\n{lines}\n".encode() + _write_note(note, entries)
            text = patched(text, tree.get("patches"))
            if tree.get("own") and 0 <= index < len(entries):
                leaf = entries[index].hex()
    found = {"receipt": _text(text)}
    return found if leaf is None else found | {"leaf": base64.b64encode(_unhex(str(leaf))).decode()}


def _proof(entries: Sequence[bytes], index: int) -> Sequence[bytes]:
    try:
        return inclusion_path([leaf_hash(entry) for entry in entries], index)
    except ProofError:
        return ()


def _tiles(entries: Sequence[bytes], checkpoint: bytes, edits: object) -> dict[str, str]:
    """Publish the leaves as tiles; each edit is the place of a file among the sorted paths, and a patch or none."""
    files = files_of(entries, checkpoint)
    paths = sorted(files, reverse=True)  # the checkpoint last: without it there is no log to audit
    for edit in edits if isinstance(edits, list) else ():
        match edit:
            case [int(place)]:
                files.pop(paths[place % len(paths)], None)
            case [int(place), *patch] if paths[place % len(paths)] in files:
                path = paths[place % len(paths)]
                files[path] = patched(files[path], [patch])
            case _:
                continue
    return {path: base64.b64encode(data).decode() for path, data in sorted(files.items())}


def _bundle(spec: object, entries: Sequence[bytes], checkpoint: bytes, row: Mapping[str, Any]) -> Tree:
    """Make the bundle of one of the rounds, edited."""
    rounds, keys = [*rounds_of(entries)] or ["00" * 32], ("origin", "log_key", "root_key")
    match spec:
        case {"round": int(place), "edits": list(edits)}:
            whole = [leaf for leaf in entries if _is_text(leaf)]
            named = rounds[place % len(rounds)]
            held = {name: [base64.b64decode(one) for one in row[name]] for name in DOCUMENTS}
            own = {
                name: [_text(one) for one in some if payload_of(one).get("round_id") == named]
                for name, some in held.items()
            }
            bundle = json.loads(bundle_of(whole, _text(checkpoint).encode(), named, **own))
            edited = apply(bundle | {name: row[name] for name in keys}, edits)
            if not all(isinstance(edited.get(name), str) for name in keys):
                raise ValueError("a bundle is verified with the keys that it is given with")
            return edited
        case _:
            return {}


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
