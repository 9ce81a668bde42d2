"""One round of a log from OPEN to REVEAL, from ``README.md`` alone."""

from collections.abc import Iterable
from typing import NamedTuple

from tests.vectors.independent_bytes import RefusedError, holds
from tests.vectors.independent_course import seat_of
from tests.vectors.independent_exhibits import FEWEST
from tests.vectors.independent_grouping import Held, Round
from tests.vectors.independent_log import Checkpoint, read_checkpoint, read_note
from tests.vectors.independent_openings import KeysBetween, Openings
from tests.vectors.independent_results import holds_cards, is_balanced, opens_arrangement
from tests.vectors.independent_round import (
    ZEROS,
    Deal,
    Row,
    client_commitment,
    deal,
    deck_root,
    layout_of,
    leader,
    lowest,
    mix,
    round_id,
    section_root,
    seed_statement,
    server_commitment,
    winners_seat,
)


class Examined(NamedTuple):
    """What comes of a round."""

    findings: list[tuple[str, int]]
    level: str
    keys: list[bytes]


def examine(one: Round, origin: str, held: Held, keys_between: KeysBetween) -> Examined:
    return _Examination(one, held, keys_between).run(origin)


class _Examination(Openings):
    def run(self, origin: str) -> Examined:
        one, again = self.one, None
        self._examine_open(origin)
        if "deal" in one.parts:
            self._examine_deal(*one.parts["deal"])
            self._examine_openings_at_deal(one.place)
            self._examine_unseals()
            self._examine_leader(*one.parts["deal"])
        if "abort" in one.parts:
            self._examine_abort(*one.parts["abort"])
        if "settle" in one.parts:
            self._examine_settlement(*one.parts["settle"])
        self._examine_certificates()
        self._examine_receipts()
        if "reveal" in one.parts:
            again = self._redealt(*one.parts["reveal"])
        self._examine_exports(again)
        self._examine_seeds()
        return Examined(self.found, self._level(), [key for _, key in self.opened])

    def _examine_seeds(self) -> None:
        """Hold the seeds of seats that people have against OPEN and ABORT."""
        one, noted = self.one, set[int]()
        commitments = one.said["client_commitments"]
        aborted, abort = one.parts.get("abort", (0, {"client_seeds": []}))
        for seat, seed in self.held.seeds:
            if seat >= len(commitments) or client_commitment(one.rid, seat, seed).hex() != commitments[seat]:
                self.find("HELD_SEED_REFUSED", one.opened)
            elif "abort" in one.parts and "deal" not in one.parts and seat not in noted:
                if not "".join(abort["client_seeds"][seat : seat + 1]):
                    self.find("SEED_HELD", aborted)
                noted.add(seat)

    def _examine_open(self, origin: str) -> None:
        one = self.one
        if round_id(one.header) != one.rid:
            self.find("ROUND_ID_MISMATCH", one.opened)
        if one.header["origin"] != origin:
            self.find("WRONG_ORIGIN", one.opened)
        keys = [key for key in one.header["seat_keys"] if key != ZEROS]
        own = {public.hex() for ring in one.rings for _, public in ring.known}
        for seat, key in enumerate(keys):
            if key in own or key in keys[:seat]:
                self.find("SEAT_KEY_SHARED", one.opened)
        self._examine_deadlines()
        named = (one.header["ruleset_id"], one.header["ruleset_version"])
        if RULESETS and RULESETS.get(one.header["ruleset_digest"]) != named:
            is_unknown = one.header["ruleset_digest"] not in RULESETS and named not in RULESETS.values()
            self.find("RULESET_UNKNOWN" if is_unknown else "WRONG_RULESET", one.opened)
        elif one.header["layout"] != layout_of(one.game, len(one.header["seat_keys"])):
            self.find("SECTION_WRONG_SIZE", one.opened)

    def _examine_deadlines(self) -> None:
        one = self.one
        opened, dealt, ended = one.said["opened_time"], one.header["deal_deadline"], one.header["round_deadline"]
        shortest, longest = BOUNDS.get(one.header["ruleset_digest"], (1_000, 86_400_000))
        if not (opened < dealt <= opened + 600_000 and dealt + shortest <= ended <= dealt + longest):
            self.find("DEADLINE_OUT_OF_BOUNDS", one.opened)

    def _examine_deal(self, index: int, said: Row) -> None:
        one = self.one
        seats = len(one.header["seat_keys"])
        is_sealed = "seat_tokens" in one.said
        if "cosigned_checkpoint" in said and carried_checkpoint(one, index, said) is None:
            self.find("COSIGNATURE_REFUSED", index)
        if said["dealt_time"] > one.header["deal_deadline"]:
            self.find("DEALT_LATE", index)
        if len(said["client_seeds"]) != seats or not all(said["client_seeds"]):
            self.find("CLIENT_SEED_MISMATCH", index)
            return
        seeds = [bytes.fromhex(seed) for seed in said["client_seeds"]]
        opened = [self._opens(seat, seed, index) for seat, seed in enumerate(seeds)]
        commitment = bytes.fromhex(one.said["server_commitment"])
        for seat, text in enumerate(said.get("seed_signatures", [])):
            key = one.header["seat_keys"][seat]
            token = bytes.fromhex(one.said["seat_tokens"][seat]) if is_sealed else b""
            statement = seed_statement(one.rid, commitment, seat, token, seeds[seat])
            if text and (key == ZEROS or not holds(bytes.fromhex(text), statement, bytes.fromhex(key))):
                self.find("SEAT_TOKEN_MISMATCH" if is_sealed else "SEED_SIGNATURE_FORGED", index)
        if mix(one.rid, commitment, seeds).hex() != said["mix"]:
            self._explain_mix(index, said, seeds)
            return
        self.is_sound = all(opened) and round_id(one.header) == one.rid

    def _opens(self, seat: int, seed: bytes, index: int) -> bool:
        committed = self.one.said["client_commitments"][seat]
        if not committed or client_commitment(self.one.rid, seat, seed).hex() == committed:
            return True
        before = self.one.before
        is_foreign = before is not None and client_commitment(bytes.fromhex(before), seat, seed).hex() == committed
        self.find("FOREIGN_COMMITMENT" if is_foreign else "CLIENT_SEED_MISMATCH", index)
        return False

    def _explain_mix(self, index: int, said: Row, seeds: list[bytes]) -> None:
        one = self.one
        if "reveal" in one.parts:
            seed = bytes.fromhex(one.parts["reveal"][1]["server_seed"])
            if mix(one.rid, server_commitment(one.rid, seed), seeds).hex() == said["mix"]:
                self.find("COMMITMENT_SWAPPED", one.opened)
                return
        self.find("MIX_MISMATCH", index)

    def _examine_abort(self, index: int, said: Row) -> None:
        one, seeds = self.one, said["client_seeds"]
        if len(seeds) != len(one.header["seat_keys"]):
            self.find("ABORT_MISMATCH", index)
            return
        dealt = dict(enumerate(one.parts["deal"][1]["client_seeds"] if "deal" in one.parts else ()))
        for seat, text in enumerate(seeds):
            if text and text != dealt.get(seat, text):
                self.find("CLIENT_SEED_MISMATCH", index)
            elif text:
                self._opens(seat, bytes.fromhex(text), index)
        stage, reason = said["stage"], said["reason"]
        if reason == "OPERATOR" and (stage == "DEALT" or any(seeds)):
            self.find("ABORTED_AFTER_SEED", index)
        elif not self._is_its_reason(stage, reason, seeds):
            self.find("ABORT_MISMATCH", index)
        elif (stage, reason) == ("OPENED", "DEADLINE") and all(seeds):
            self.find("NEVER_DEALT", index)
        due = one.header["deal_deadline" if stage == "OPENED" else "round_deadline"]
        if (stage == "DEALT" or reason in ("SEED_MISSING", "DEADLINE")) and said["aborted_time"] <= due:
            self.find("ABORT_MISMATCH", index)

    def _is_its_reason(self, stage: str, reason: str, seeds: list[str]) -> bool:
        is_expected = any(seeds) or any(self.one.said["client_commitments"])
        if stage == "DEALT":
            return reason == "DEADLINE" and all(seeds)
        if reason == "SEED_MISSING":
            return is_expected and not all(seeds)
        if reason == "DEADLINE":
            return not is_expected or all(seeds)
        return reason == "OPERATOR" or self._is_void(seeds)

    def _is_void(self, texts: list[str]) -> bool:
        one = self.one
        if "deal" in one.parts or not all(texts):
            return False
        if "reveal" not in one.parts:
            return True
        seed = bytes.fromhex(one.parts["reveal"][1]["server_seed"])
        commitment = server_commitment(one.rid, seed)
        try:
            deal(one.header, seed, commitment, mix(one.rid, commitment, [bytes.fromhex(text) for text in texts]))
        except RefusedError:
            return True
        return False

    def _examine_settlement(self, index: int, said: Row) -> None:
        one, inputs = self.one, said["inputs"]
        fault = one.header_fault(inputs["header"])
        if fault:
            self.find(fault, index)
            return
        if "deal" in one.parts:
            dealt = one.parts["deal"][1]
            if inputs["dealt_time"] != dealt["dealt_time"]:
                self.find("DEAL_MISMATCH", index)
            if any(inputs.get(name) != dealt.get(name) for name in ("leader", "leader_by")):
                self.find("LEADER_MISMATCH", index)
        self._examine_seal(index, inputs)
        if inputs["closed_time"] > one.header["round_deadline"]:
            self.find("SETTLED_LATE", index)
        if not self._has_cards(index, inputs):
            return
        results = said["results"] if isinstance(said["results"], dict) else {}
        self._examine_course(index, inputs, results.get("events_hash"))
        self._examine_found(index, said["results"], inputs)

    def _examine_leader(self, index: int, said: Row) -> None:
        """Compare DEAL's leader with the log's last winner; what the deal decides waits for the seed."""
        one, by = self.one, said.get("leader_by")
        seat = winners_seat(one.header, one.last_winner)
        if one.game != "tien_len":
            is_right = by is None
        elif seat is not None:
            is_right = (said.get("leader"), by) == (seat, "WINNER")
        else:
            is_right = by in ("DRAW", "LOWEST_CARD")
        if not is_right:
            self.find("LEADER_MISMATCH", index)

    def _examine_dealt_leader(self, index: int, said: Row, seed: bytes, again: Deal) -> None:
        one, by, seats = self.one, said.get("leader_by"), len(self.one.header["seat_keys"])
        if by not in ("DRAW", "LOWEST_CARD") or self.has("LEADER_MISMATCH"):
            return
        is_scripted = one.header["randomness_suite"] == 250
        source = bytes.fromhex(one.said["server_commitment"] if is_scripted else said["mix"])
        drawn = leader(one.rid, seed, source, seats) if by == "DRAW" else lowest(again.sections[:seats])
        if said["leader"] != drawn:
            self.find("LEADER_MISMATCH", index)

    def _examine_seal(self, index: int, inputs: Row) -> None:
        one = self.one
        is_sealed = "seat_tokens" in one.said
        if ("sealed" in inputs) != is_sealed:
            self.find("SEAL_BROKEN", index)
            return
        if not is_sealed:
            return
        committed: dict[int, object] = {}
        for entry in inputs["events"]:
            event = entry["event"]
            if event.get("kind") == "COMMIT":
                committed[seat_of(event, len(one.header["seat_keys"]))] = event.get("commitment")
            elif event.get("kind") == "ARRANGE" and not opens_arrangement(one.rid, event, committed):
                self.find("SEAL_BROKEN", index)

    def _has_cards(self, index: int, inputs: Row) -> bool:
        layout, sections = self.one.header["layout"], inputs["sections"]
        sizes = [len(cards) for cards in sections]
        if sizes != layout[: len(sizes)] or len(sizes) < len(self.one.header["seat_keys"]):
            self.find("SECTION_WRONG_SIZE", index)
            return False
        cards = [card for section in sections for card in section]
        if not all(1 <= card <= 52 for card in cards):
            self.find("CARDS_MISMATCH", index)
            return False
        self.cards = sections
        if len(set(cards)) < len(cards):
            self.find("DUPLICATE_CARD", index)
            return False
        return True

    def _examine_found(self, index: int, found: object, inputs: Row) -> None:
        seats = len(self.one.header["seat_keys"])
        last = self.course.hashes[-1].hex() if self.course else ""
        if not isinstance(found, dict) or found.get("events_hash") != last:
            self.find("EVENTS_ALTERED", index)
        elif not holds_cards([entry["event"] for entry in inputs["events"]], self.cards[:seats]):
            self.find("CARD_NOT_IN_HAND", index)
        elif not is_balanced(found, seats, has_house=self.one.game == "ultimate_texas"):
            self.find("WRONG_RESULT", index)

    def _redealt(self, index: int, said: Row) -> Deal | None:
        one, seed = self.one, bytes.fromhex(said["server_seed"])
        if server_commitment(one.rid, seed).hex() != one.said["server_commitment"]:
            if not self.has("COMMITMENT_SWAPPED"):
                self.find("SERVER_SEED_MISMATCH", index)
            return None
        if not self.is_sound:
            return None
        dealt = one.parts["deal"][1]
        commitment, mixed = bytes.fromhex(one.said["server_commitment"]), bytes.fromhex(dealt["mix"])
        try:
            again = deal(one.header, seed, commitment, mixed)
        except RefusedError:
            self.find("DECK_NOT_FROM_SEEDS", one.place)
            return None
        differ = any(cards != other for cards, other in zip(self.cards, again.sections, strict=False))
        if again.root.hex() != dealt["deck_root"]:
            self._explain_root(again, commitment, mixed, differ=differ)
            return None
        if differ:
            self.find("CARDS_MISMATCH", one.parts["settle"][0])
        self._examine_dealt_leader(*one.parts["deal"], seed, again)
        return again

    def _explain_root(self, again: Deal, commitment: bytes, mixed: bytes, *, differ: bool) -> None:
        one = self.one
        hidden = [i for i, root in enumerate(self.roots) if root != again.roots[i].hex()]
        if hidden and hidden[0] >= len(self.cards):
            self.find("HIDDEN_CARDS_DIFFER", one.place)
            return
        roots = [section_root(one.rid, i, again.keys[i], cards) for i, cards in enumerate(self.cards)]
        whole = deck_root(one.header, commitment, mixed, [*roots, *again.roots[len(roots) :]])
        is_other = differ and (hidden or whole.hex() == one.parts["deal"][1]["deck_root"])
        self.find("DECK_NOT_FROM_SEEDS" if is_other else "DECK_ROOT_MISMATCH", one.place)

    def _level(self) -> str:
        one = self.one
        if "deal" not in one.parts:
            return ""
        index, said = one.parts["deal"]
        seeds = [seed for seed in said["client_seeds"] if seed]
        is_weak = False
        for seat, seed in enumerate(seeds):
            if len(set(bytes.fromhex(seed))) < FEWEST:
                self.find("CLIENT_SEED_TRIVIAL", index)
            elif seed in seeds[:seat]:
                self.find("CLIENT_SEEDS_EQUAL", index)
            else:
                continue
            is_weak = True
        signatures = said.get("seed_signatures", [""] * len(one.header["seat_keys"]))
        for key, text in zip(one.header["seat_keys"], signatures, strict=False):
            if key != ZEROS and not text:
                self.find("CLIENT_SEED_UNSIGNED", index)
                is_weak = True
        if one.header["randomness_suite"] != 1 or one.said["server_commitment"] == ZEROS:
            return "L0"
        is_committed = len(one.header["seat_keys"]) == 1 or all(one.said["client_commitments"])
        return "L2" if is_committed and not is_weak else "L1"


def carried_checkpoint(one: Round, index: int, said: Row) -> Checkpoint | None:
    """Read the checkpoint in a DEAL; None where it is none of this log that has OPEN and not the DEAL."""
    try:
        checkpoint = read_checkpoint(read_note(bytes.fromhex(said["cosigned_checkpoint"])).text)
    except RefusedError:
        return None
    is_of_round = checkpoint.origin == one.header["origin"] and one.opened < checkpoint.size <= index
    return checkpoint if is_of_round else None


RULESETS: dict[str, tuple[str, str]] = {}
"""Id and version by digest, where the verifier has them."""
BOUNDS: dict[str, tuple[int, int]] = {}
"""Shortest and longest time from the deal deadline to the round deadline in ms, by digest."""


def know_rulesets(rows: Iterable[Row]) -> None:
    """Let the verifier have these rulesets, rows of ``rulesets/rulesets.jsonl``."""
    for row in rows:
        RULESETS[row["digest"]] = (row["ruleset_id"], row["version"])
        BOUNDS[row["digest"]] = (row["shortest_ms"], row["longest_ms"])
