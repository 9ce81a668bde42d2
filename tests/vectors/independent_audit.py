"""A whole log audited from ``README.md`` alone, but for the rules of the games and statistics."""

import base64
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.vectors.independent_bytes import (
    RefusedError,
    inclusion_root,
    leaf_hash,
    media_type,
    read_envelope,
    refuse,
    tree_root,
)
from tests.vectors.independent_examination import carried_checkpoint, examine
from tests.vectors.independent_given_up import given_up_codes
from tests.vectors.independent_grouping import Held, Ring, Round, group, signature_fault
from tests.vectors.independent_log import (
    COSIGNATURE,
    Checkpoint,
    Key,
    cosigned,
    note_text,
    open_checkpoint,
    read_checkpoint,
    read_entries,
    read_key,
    read_note,
    read_receipt,
    read_witnesses,
    tile_path,
    tiles_of,
    try_read_note,
)
from tests.vectors.independent_results import winner_of
from tests.vectors.independent_round import ZEROS, Row, header_fault, read_payload

NOTES = {
    "TIME_BACKDATED",
    *("RULESET_UNKNOWN", "RULESET_NOT_STARTED", "ROUNDS_GIVEN_UP", "GIVEN_UP_BY_YOUNG_KEYS"),
    *("CLIENT_SEED_TRIVIAL", "CLIENT_SEEDS_EQUAL", "CLIENT_SEED_REPEATED", "CLIENT_SEED_UNSIGNED"),
    "FORKED_RECEIPTS",
    "SEED_HELD",
}
ROLES = {
    "open": "shuffler",
    "deal": "shuffler",
    "unseal": "shuffler",
    "settle": "referee",
    "abort": "shuffler",
    "reveal": "",
    "key": "root",
    "start": "referee",
}
GRACE, AHEAD = 60_000, 300
SLACK, OWN_CLOCK, BACKDATED = 10_000, 120_000, 900_000
TIMES = {"open": "opened_time", "deal": "dealt_time", "unseal": "unsealed_time", "abort": "aborted_time"}


class Finding(NamedTuple):
    """A code and the leaf it shows at, -1 for the whole log."""

    code: str
    leaf: int = -1

    @property
    def order(self) -> tuple[bool, int]:
        """Failures first, then the whole log, then leaves by index."""
        return self.code in NOTES, self.leaf


class KeyLife(NamedTuple):
    """A key that the root named."""

    role: str
    key: Key
    added: int
    revoked: int | None = None


class Audit:
    """One audit; ``findings`` and ``levels`` are what comes of it."""

    def __init__(self, row: Row) -> None:
        self.row = row
        self.found: list[Finding] = []
        self.levels: Counter[str] = Counter()
        self.root = read_key(row["root_key"])
        self.log = read_key(row["log_key"])
        self.keys: dict[bytes, KeyLife] = {}
        self.rounds: dict[str, Round] = {}
        self.last: dict[str, Round] = {}
        self.winners: dict[str, tuple[Row, int] | None] = {}
        self.timed: list[tuple[int, int, str]] = []
        self.carrying: list[tuple[int, Round, Row]] = []
        self.vouched: set[int] = set()
        self.refused_keys = 0
        self.starts: dict[str, set[str]] = {}
        self.held = group(row)
        self.leaves = list(self._leaves())
        self.hashes = [leaf_hash(leaf) for leaf in self.leaves]

    @property
    def findings(self) -> list[Finding]:
        """In the order that the README names."""
        return sorted(self.found, key=lambda finding: finding.order)

    def find(self, code: str, leaf: int = -1) -> None:
        """Report a code at a leaf."""
        self.found.append(Finding(code, leaf))

    def run(self) -> "Audit":
        """Everything is looked at, once."""
        row = self.row
        notes = [note_text(row)] + [note.encode() for note in (*row.get("witnessed", ()), *row.get("outgrown", ()))]
        self.log_keys = self._log_keys(notes)
        try:
            self.head = open_checkpoint(notes[0], row["origin"], self.log_keys)
        except RefusedError:
            self.find("CHECKPOINT_REFUSED")
            return self
        kept = [(self.head, notes[0])]
        for note in notes[1:]:
            try:
                kept.append((open_checkpoint(note, row["origin"], self.log_keys), note))
            except RefusedError:
                self.find("CHECKPOINT_REFUSED")
        self._compare([checkpoint for checkpoint, _ in kept])
        for index, leaf in enumerate(self.leaves):
            self._take(index, leaf)
        if self.refused_keys and not self.keys:
            self.find("ROOT_KEY_MISMATCH")
        self._check_signers(kept)
        self._check_times()
        self._close()
        self._check_promises()
        self._check_witnesses(notes, {note: checkpoint.size for checkpoint, note in kept})
        self._check_tiles()
        return self

    def _leaves(self) -> Iterator[bytes]:
        if "leaves" in self.row:
            yield from (leaf.encode() for leaf in self.row["leaves"])
            return
        try:
            size = read_checkpoint(read_note(note_text(self.row)).text).size
            for _, index, width in [one for one in tiles_of(size) if one[0] == "entries"]:
                data = self.row["files"].get(tile_path("entries", index, width))
                if data is None:
                    return
                yield from read_entries(base64.b64decode(data), width)
        except RefusedError:
            return

    def _log_keys(self, notes: list[bytes]) -> list[Key]:
        """Return the keys that may sign for the log: the known one and those that the root names beside it."""
        named = []
        for leaf in self.leaves:
            try:
                envelope = read_envelope(leaf)
                if envelope.kind == media_type("key") and envelope.is_by(self.root.public):
                    said = read_payload("key", envelope.payload)
                    named += [read_key(said["key"])] if (said["role"], said["action"]) == ("log", "ADD") else []
            except RefusedError:
                continue
        alone = [self.log]
        if all(_is_signed(note, alone) for note in notes):
            return alone
        return named if self.log in named else alone

    def _compare(self, kept: list[Checkpoint]) -> None:
        """Verify the leaves against every checkpoint that the log signed."""
        if len(self.leaves) < self.head.size:
            self.find("LOG_TRUNCATED")
        self.leaves = self.leaves[: self.head.size]
        for checkpoint in kept:
            if checkpoint.size > self.head.size:
                self.find("LOG_TRUNCATED")
            elif checkpoint.size <= len(self.leaves) and checkpoint.root != self._root(checkpoint.size):
                same = "ROOT_MISMATCH" if checkpoint is self.head else "SPLIT_VIEW"
                self.find(same if checkpoint.size == self.head.size else "HISTORY_REWRITTEN")

    def _root(self, size: int) -> bytes:
        return tree_root(self.hashes[:size])

    def _ring(self) -> Ring:
        root = ("root", self.root.public)
        named = [(life.role, public) for public, life in self.keys.items()]
        valid = [(life.role, public) for public, life in self.keys.items() if life.revoked is None]
        return Ring((root, *valid), (root, *named))

    def _take(self, index: int, data: bytes) -> None:
        try:
            envelope = read_envelope(data)
        except RefusedError as error:
            codes = {"TOO_LONG": "LEAF_TOO_LONG", "SIGNATURE_LENGTH": "SIGNATURE_MALFORMED"}
            self.find(codes.get(error.args[0], "NOT_CANONICAL"), index)
            return
        kind = next((name for name in ROLES if envelope.kind == media_type(name)), "")
        fault = signature_fault(envelope, ROLES[kind], self._ring()) if kind else ""
        try:
            said = read_payload(kind, envelope.payload)
            if kind == "open":
                self._check_header(said)
        except RefusedError as error:
            reason = error.args[0]
            known = ("TYPE_CONFUSION", "UNSOUND_KEY", "HEADER_REFUSED")
            self.find(fault or (reason if reason in known else "NOT_CANONICAL"), index)
            return
        if fault:
            self.find(fault, index)
        if kind == "key":
            self.refused_keys += bool(fault)
            if not fault:
                self._take_key(index, said)
        elif kind == "start":
            if not fault:
                self.starts[said["instance"]] = {one["digest"] for one in said["rulesets"]}
        elif kind == "open":
            self._take_open(index, said)
        else:
            self._take_step(kind, index, said)

    def _check_header(self, said: Row) -> None:
        fault = header_fault(said["header"])
        if fault:
            refuse("UNSOUND_KEY" if fault.startswith("seat_keys[") else "HEADER_REFUSED")
        if {len(said["client_commitments"]), len(said.get("seat_tokens", said["header"]["seat_keys"]))} != {
            len(said["header"]["seat_keys"])
        }:
            refuse("HEADER_REFUSED")

    def _take_key(self, index: int, said: Row) -> None:
        key = read_key(said["key"])
        life = self.keys.get(key.public)
        if said["action"] == "ADD":
            if life is not None or key.public == self.root.public:
                self.find("KEY_REUSED", index)
            else:
                self.keys[key.public] = KeyLife(said["role"], key, index)
        elif life is None or life.role != said["role"] or life.revoked is not None:
            self.find("KEY_NOT_VALID", index)
        else:
            self.keys[key.public] = life._replace(revoked=index)

    def _take_open(self, index: int, said: Row) -> None:
        header = said["header"]
        last = self.last.get(header["table_id"])
        number = header["round_number"]
        code = ""
        if last is not None and last.header["round_number"] >= number:
            code = "OPENED_TWICE"
        elif number == 1:
            code = "" if header["previous_leaf"] == ZEROS else "WRONG_PREVIOUS_LEAF"
        elif last is None or last.header["round_number"] != number - 1:
            code = "WRONG_PREVIOUS_LEAF"
        elif not last.end:
            code = "NEXT_ROUND_EARLY"
        elif last.end.hex() != header["previous_leaf"]:
            code = "WRONG_PREVIOUS_LEAF"
        if code or said["round_id"] in self.rounds:
            self.find(code or "OPENED_TWICE", index)
        if said["round_id"] in self.rounds:
            return
        fresh = Round(header, said, index, self._ring())
        if code != "OPENED_TWICE":
            fresh.before = None if last is None else last.said["round_id"]
            self.last[header["table_id"]] = fresh
        self.timed.append((index, said["opened_time"], header["table_id"]))
        fresh.last_winner = self.winners.get(header["table_id"])
        self.rounds[said["round_id"]] = fresh

    def _take_step(self, kind: str, index: int, said: Row) -> None:
        found = self.rounds.get(said["round_id"])
        if kind == "settle" and self.starts:
            digest = said["inputs"]["header"]["ruleset_digest"]
            if not any(digest in named for named in self.starts.values()):
                self.find("RULESET_NOT_STARTED", index)
        if found is None or (found.is_whole and self.last.get(found.header["table_id"]) is not found):
            self._find_stray(kind, index, said)
            return
        if kind == "deal" and not found.is_whole:
            self.carrying.append((index, found, said))
        code = found.step(kind, index, said, self._ring(), self.hashes[index])
        if code:
            self.find(code, index)
        if code not in ("DEALT_TWICE", "ENDED_TWICE", "UNSEAL_NOT_IN_COURSE") and kind != "reveal":
            time = said["inputs"]["closed_time"] if kind == "settle" else said[TIMES[kind]]
            self.timed.append((index, time, found.header["table_id"]))
        if kind == "settle" and found.parts.get("settle", (0, {}))[0] == index:
            seat = winner_of(said["results"], len(found.header["seat_keys"]))
            self.winners[found.header["table_id"]] = (found.header, seat) if seat >= 0 else None

    def _find_stray(self, kind: str, index: int, said: Row) -> None:
        code = {"deal": "DEAL_BEFORE_OPEN", "settle": "SETTLED_OTHER_ROUND"}.get(kind, "LEAF_OF_NO_ROUND")
        if kind == "settle":
            header = said["inputs"]["header"]
            last = self.last.get(header["table_id"])
            if last is None or header["round_number"] > last.header["round_number"]:
                code = "SETTLED_UNDEALT"
            elif header["round_number"] < last.header["round_number"] or last.is_whole:
                code = "ENDED_TWICE"
            else:
                code = last.header_fault(header) or code
        self.find(code, index)

    def _check_signers(self, kept: list[tuple[Checkpoint, bytes]]) -> None:
        named = [life for life in self.keys.values() if life.role == "log"]
        if not named:
            return
        if self.log.public not in [life.key.public for life in named]:
            self.find("LOG_KEY_UNREGISTERED")
            return
        for checkpoint, note in kept:
            in_force = [
                life.key
                for life in named
                if (life is named[0] or life.added < checkpoint.size)
                and (life.revoked is None or checkpoint.size <= life.revoked)
            ]
            if checkpoint.size <= self.head.size and not any(_is_signed(note, [key]) for key in in_force):
                self.find("KEY_NOT_VALID")

    def _close(self) -> None:
        """Examine rounds one by one, then what they share."""
        seeds: dict[tuple[str, bytes], int] = {}
        sections: dict[bytes, int] = {}
        repeated: set[int] = set()
        levels: dict[int, str] = {}
        self.found += [Finding(code) for code in given_up_codes(self.rounds.values())]
        for one in self.rounds.values():
            examined = examine(one, self.row["origin"], self.held.get(one.said["round_id"], Held()), self._keys_between)
            self.found += [Finding(code, leaf) for code, leaf in examined.findings]
            self._check_deadline(one)
            for owner, seed, leaf in one.seeds():
                before = seeds.setdefault((owner, seed), leaf)
                if before != leaf:
                    self.find(f"{owner}_SEED_REPEATED", leaf)
                    repeated |= {before, leaf} if owner == "CLIENT" else set()
            for key in examined.keys:
                if sections.setdefault(key, one.place) != one.place:
                    self.find("SECTION_KEY_WEAK", one.place)
            if examined.level:
                levels[one.place] = examined.level
        self._count_levels(levels, repeated)
        self._find_strangers()

    def _keys_between(self, role: str, first: int, last: int) -> list[bytes]:
        """Return the role's keys that were in force at a leaf from first to last."""
        lives = [life for life in self.keys.values() if life.role == role and life.added < last]
        return [life.key.public for life in lives if life.revoked is None or life.revoked >= first]

    def _find_strangers(self) -> None:
        """Examine the exhibits of rounds that the log does not have."""
        for round_id, held in self.held.items():
            if round_id not in self.rounds:
                for _ in held.certificates:
                    self.find("CERTIFICATE_REFUSED")
                for _ in held.receipts:
                    self.find("RECEIPT_REFUSED")
                for _ in held.seeds:
                    self.find("HELD_SEED_REFUSED")

    def _check_times(self) -> None:
        """Compare the times of leaves with one another, with the audit's and with the witnesses' clocks."""
        heads = sorted(((size, times) for size, times in self._vouching() if times), key=lambda head: head[0])
        carried = {index: (one, said) for index, one, said in self.carrying}
        by_index = {index: (time, table) for index, time, table in self.timed}
        tables: dict[str, int] = {}
        newest, witnessed, latest = 0, 0, (-1, -1)
        for index in range(len(self.leaves) + 1):
            for _, times in [head for head in heads if head[0] == index]:
                for time in times:
                    if latest[0] > 1000 * time + SLACK:
                        self.find("TIME_AHEAD", latest[1])
                        latest = (-1, -1)
                    witnessed = max(witnessed, 1000 * time)
            if index in carried:
                witnessed = max(witnessed, self._check_carried(index, *carried[index]))
            if index not in by_index:
                continue
            time, table = by_index[index]
            is_behind = time < newest - SLACK
            if time < tables.get(table, 0) or is_behind:
                self.find("TIME_OUT_OF_ORDER", index)
            elif time < witnessed - BACKDATED:
                self.find("TIME_BACKDATED", index)
            tables[table] = time
            if time > self.row["now"] + OWN_CLOCK:
                self.find("TIME_AHEAD", index)
                continue
            newest = time if is_behind else max(newest, time)
            latest = latest if latest[0] >= time else (time, index)

    def _check_carried(self, index: int, one: Round, said: Row) -> int:
        """Verify the checkpoint that a DEAL carries; return the latest time at which a witness cosigned it, or 0."""
        text = said.get("cosigned_checkpoint")
        note = None if text is None else try_read_note(bytes.fromhex(text))
        checkpoint = None if note is None else carried_checkpoint(one, index, said)
        if note is None or checkpoint is None:
            return 0
        named = [life.key for life in self.keys.values() if life.role == "log" and life.added < index]
        if not _is_signed(bytes.fromhex(str(text)), [*self.log_keys, *named]):
            self.find("COSIGNATURE_REFUSED", index)
        elif checkpoint.root != self._root(checkpoint.size):
            self.find("HISTORY_REWRITTEN", index)
        elif "quorum" in self.row:
            seen = cosigned(note, self.row["witnesses"])
            latest = self.row["now"] // 1000 + AHEAD
            times = [1000 * time for time in seen.times.values() if time <= latest]
            if seen.forged or len(times) < len(seen.times):
                self.find("COSIGNATURE_REFUSED")
            if len(times) >= self.row["quorum"]:
                self.vouched.add(index)
            if any(one.said["opened_time"] > time + SLACK for time in times):
                self.find("TIME_AHEAD", one.opened)
            elif any(said["dealt_time"] < time - SLACK for time in times):
                self.find("TIME_OUT_OF_ORDER", index)
            return max(times, default=0)
        return 0

    def _check_deadline(self, one: Round) -> None:
        now = self.row["now"]
        if one.end:
            if "reveal" not in one.parts and now > one.header["round_deadline"] + GRACE:
                self.find("NEVER_REVEALED", one.newest)
        else:
            due = one.header["round_deadline" if "deal" in one.parts else "deal_deadline"]
            if now > due + GRACE:
                self.find("DEADLINE_PASSED", one.newest)

    def _count_levels(self, levels: dict[int, str], repeated: set[int]) -> None:
        for place, level in levels.items():
            if level == "L2" and place in repeated:
                self.levels["L1"] += 1
            elif level == "L2" and place in self.vouched:
                self.levels["L3"] += 1
            else:
                self.levels[level] += 1

    def _check_promises(self) -> None:
        for promise in self.row.get("log_receipts", ()):
            code, index = self._promise_fault(promise)
            if code:
                self.find(code, index)

    def _promise_fault(self, promise: Row) -> tuple[str, int]:
        """Return the fault of a log receipt, empty for none, and the leaf it shows at."""
        try:
            receipt = read_receipt(promise["receipt"].encode())
            checkpoint = open_checkpoint(receipt.checkpoint, self.row["origin"], self.log_keys)
            leaf = base64.b64decode(promise["leaf"]) if "leaf" in promise else b""
            root = inclusion_root(leaf_hash(leaf), receipt.place, checkpoint.size, receipt.proof)
        except RefusedError:
            return "LOG_RECEIPT_REFUSED", -1
        if "leaf" in promise and root != checkpoint.root:
            return "LOG_RECEIPT_REFUSED", -1
        kept = self.hashes[receipt.place] if receipt.place < len(self.leaves) else b""
        is_kept = bool(kept) and kept == leaf_hash(leaf)
        if kept and "leaf" not in promise:
            is_kept = inclusion_root(kept, receipt.place, checkpoint.size, receipt.proof) == checkpoint.root
        is_shorter = checkpoint.size > len(self.leaves)
        is_grown = not is_shorter and self._root(checkpoint.size) == checkpoint.root
        if is_kept and is_shorter:
            return "LOG_TRUNCATED", -1
        if is_kept and not is_grown:
            is_split = checkpoint.size == self.head.size
            return "SPLIT_VIEW" if is_split else "HISTORY_REWRITTEN", -1
        if not is_kept:
            is_unproved = is_grown and "leaf" not in promise
            return "LOG_RECEIPT_REFUSED" if is_unproved else "PROMISED_LEAF_ABSENT", receipt.place
        return "", -1

    def _vouching(self) -> Iterator[tuple[int, list[int]]]:
        """Size and times, newest first, of each checkpoint of these leaves that was given."""
        row = self.row
        for text in (*row.get("cosigned", ()), row.get("checkpoint", ""), *row.get("witnessed", ())):
            note = try_read_note(text.encode())
            if note is None or "quorum" not in row:
                continue
            try:
                checkpoint = read_checkpoint(note.text)
            except RefusedError:
                continue
            latest = row["now"] // 1000 + AHEAD
            times = [one for one in cosigned(note, row["witnesses"]).times.values() if one <= latest]
            is_ours = checkpoint.origin == row["origin"] and checkpoint.size <= len(self.leaves)
            if is_ours and checkpoint.root == self._root(checkpoint.size):
                yield checkpoint.size, sorted(times, reverse=True)

    def _check_witnesses(self, notes: list[bytes], sizes: dict[bytes, int]) -> None:
        row = self.row
        if "quorum" in row:
            self._check_cosignatures(notes)
            counted, doubled = read_witnesses(row["witnesses"])
            own = {public for public, life in self.keys.items() if life.role != "witness"}
            for key in (*doubled, *[one for one in counted if one.public in own]):
                assert key.algorithm == COSIGNATURE
                self.find("WITNESS_DOUBLED")
            times = [seen[row["quorum"] - 1] for _, seen in self._vouching() if len(seen) >= row["quorum"]]
            if not times and self.head.size:
                self.find("QUORUM_UNMET")
            elif row["max_age"] is not None and row["now"] - 1000 * max(times) > row["max_age"]:
                self.find("HEAD_FROZEN")
        for text in row.get("outgrown", ()):
            if sizes.get(text.encode()) == self.head.size:
                self.find("HEAD_FROZEN")

    def _check_cosignatures(self, notes: list[bytes]) -> None:
        last = 0
        for text in self.row["cosigned"]:
            note = try_read_note(text.encode())
            try:
                checkpoint = None if note is None else read_checkpoint(note.text)
            except RefusedError:
                checkpoint = None
            if note is None or checkpoint is None or checkpoint.origin != self.row["origin"] or checkpoint.size < last:
                self.find("COSIGNATURE_REFUSED")
                continue
            last = checkpoint.size
            if checkpoint.size <= len(self.leaves) and checkpoint.root != self._root(checkpoint.size):
                is_signed = _is_signed(text.encode(), self.log_keys)
                self.find("HISTORY_REWRITTEN" if is_signed else "COSIGNATURE_REFUSED")
        for data in (*notes, *[text.encode() for text in self.row["cosigned"]]):
            note = try_read_note(data)
            said = None if note is None else cosigned(note, self.row["witnesses"])
            latest = self.row["now"] // 1000 + AHEAD
            if said is not None and (said.forged or any(time > latest for time in said.times.values())):
                self.find("COSIGNATURE_REFUSED")

    def _check_tiles(self) -> None:
        if "files" not in self.row:
            return
        is_whole = len(self.leaves) == self.head.size
        for level, index, width in tiles_of(self.head.size):
            data = self.row["files"].get(tile_path(level, index, width))
            first = index * 256 * (1 if level == "entries" else 256 ** int(level))
            if data is None:
                self.find("TILE_MISMATCH", first)
            elif level != "entries" and is_whole:
                self._check_tile(base64.b64decode(data), 256 ** int(level), first, width)

    def _check_tile(self, data: bytes, step: int, first: int, width: int) -> None:
        if len(data) != 32 * width:
            self.find("TILE_MISMATCH", first)
            return
        for place in range(width):
            at = first + place * step
            if data[32 * place : 32 * place + 32] != tree_root(self.hashes[at : at + step]):
                self.find("TILE_MISMATCH", at)


def _is_signed(note: bytes, keys: list[Key]) -> bool:
    try:
        return bool(read_note(note).signers(keys))
    except RefusedError:
        return False


def audit(row: dict[str, Any]) -> Audit:
    """Audit a row."""
    return Audit(row).run()
