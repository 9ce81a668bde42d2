"""What opened cards: UNSEALs, the course that was settled, certificates and receipts, from ``README.md`` alone."""

from collections.abc import Callable

from tests.vectors.independent_bytes import RefusedError, read_json, write_json
from tests.vectors.independent_course import (
    Course,
    course,
    is_receipted,
    is_timeout,
    next_hash,
    read_event_receipt,
    read_receipted_event,
)
from tests.vectors.independent_exhibits import Exhibits
from tests.vectors.independent_grouping import Held, Round
from tests.vectors.independent_round import Row

KeysBetween = Callable[[str, int, int], list[bytes]]
"""The keys of a role that were in force somewhere from a leaf to another."""
MOST_EVENTS = 2**32 - 1
RECEIPT_IN_UNSEAL = ("event_hash", "history", "number", "opens_section", "received_time", "round_id")


class Openings(Exhibits):
    """Sections that opened, by the shuffler's UNSEALs and by what everything else says of them."""

    def __init__(self, one: Round, held: Held, keys_between: KeysBetween) -> None:
        super().__init__(one, held)
        self.keys_between = keys_between
        self.course: Course | None = None
        self.unsealed: dict[int, Row] = {}
        """The UNSEAL that opened a section."""

    @property
    def at_deal(self) -> list[int]:
        """The sections that DEAL says were open at once."""
        return list(self.one.parts["deal"][1]["opened_sections"]) if "deal" in self.one.parts else []

    def _examine_openings_at_deal(self, index: int) -> None:
        hands = list(range(len(self.one.header["seat_keys"])))
        is_sealed = "seat_tokens" in self.one.said
        lawful = [hands] if not is_sealed else [[], hands] if self.one.game == "mau_binh" else [[]]
        if self.at_deal not in lawful:
            self.find("STREET_OPENED_EARLY", index)

    def _examine_unseals(self) -> None:
        one = self.one
        for index, said in one.unseals:
            receipt = {name: said[name] for name in RECEIPT_IN_UNSEAL}
            keys = self.keys_between("referee", one.place, index)
            if not is_receipted(receipt, said["receipt_signature"], keys):
                self.find("UNSEAL_REFUSED", index)
            is_early = said["unsealed_time"] < said["received_time"]
            if is_early or said["sections"] != self._opens_with(said["opens_section"]):
                self.find("STREET_OPENED_EARLY", index)
            for section in said["sections"]:
                self.unsealed.setdefault(section, said)

    def _opens_with(self, section: int) -> list[int]:
        """Return the sections that were closed and open once an event opens this one; empty if no event does."""
        seats = len(self.one.header["seat_keys"])
        hands = list(range(seats)) if "seat_tokens" in self.one.said else []
        order = {"ultimate_texas": [seats + 1, seats + 2, seats], "mau_binh": hands[-1:]}.get(self.one.game, [])
        if section not in order:
            return []
        due = order[: order.index(section) + 1] + (hands if section == order[-1] else [])
        return sorted(set(due) - set(self.at_deal) - self.unsealed.keys())

    def _examine_course(self, index: int, inputs: Row, events_hash: object) -> None:
        """Verify the course of a settlement: receipt, seats' signatures, and the UNSEALs that go through it."""
        one = self.one
        self.course = made = course(one.rid, one.header["seat_keys"], inputs)
        fault = made.receipt_fault(self.keys_between("referee", one.place, index), events_hash)
        if fault:
            self.find(fault, index)
        elif made.unsigned_seats():
            self.find("EVENT_UNSIGNED", index)
        known = []
        for at, said in one.unseals:
            entry = {"number": said["number"], "sections": said["sections"], "time": said["unsealed_time"]}
            known.append(entry)
            if not self._is_in_course(made, said) or entry not in inputs["unsealed"]:
                self.find("UNSEAL_NOT_IN_COURSE", at)
        if [entry for entry in known if entry in inputs["unsealed"]] != inputs["unsealed"]:
            self.find("OPENED_WITHOUT_UNSEAL", index)
        self._compare_sections(index, len(inputs["sections"]))
        self._compare_newest(index, inputs.get("receipt", {}))

    def _is_in_course(self, made: Course, said: Row) -> bool:
        number = said["number"]
        if number > len(made.entries) or not made.entries[number - 1]["received"]:
            return False
        return made.receipt_at(number, said["opens_section"]) == {name: said[name] for name in RECEIPT_IN_UNSEAL}

    def _compare_sections(self, index: int, shown: int) -> None:
        if "deal" not in self.one.parts:
            return
        opened = set(self.at_deal) | self.unsealed.keys()
        if set(range(shown)) - opened:
            self.find("OPENED_WITHOUT_UNSEAL", index)
        if opened - set(range(shown)):
            self.find("SECTION_WRONG_SIZE", index)

    def _compare_newest(self, index: int, receipt: Row) -> None:
        """Verify that the newest receipt names what its event's UNSEAL opened."""
        opens = [said["opens_section"] for _, said in self.one.unseals if said["number"] == receipt.get("number")]
        named = [receipt["opens_section"]] if "opens_section" in receipt else []
        if named and not opens:
            self.find("OPENED_WITHOUT_UNSEAL", index)
        elif named != opens and receipt:
            self.find("STREET_OPENED_EARLY", index)

    def _examine_shown(self, sections: list[Row]) -> None:
        """Verify that each section of a certificate was open, and when."""
        one = self.one
        seats, is_sealed = len(one.header["seat_keys"]), "seat_tokens" in one.said
        for section in sections:
            at, unseal = section["index"], self.unsealed.get(section["index"])
            is_own = is_sealed and at < seats and "unsealed_time" not in section
            if at in self.at_deal or is_own:
                is_right = "unsealed_time" not in section
            elif unseal is None:
                if at != self.stock:
                    self.find("OPENED_WITHOUT_UNSEAL", one.place)
                continue
            else:
                is_right = section.get("unsealed_time") == unseal["unsealed_time"]
            if not is_right:
                self.find("CERTIFICATES_DISAGREE", one.place)

    def _examine_receipts(self) -> None:
        one, known = self.one, dict[int, str]()
        if self.course is not None:
            known = {number: hashed.hex() for number, hashed in enumerate(self.course.hashes)}
        unseals = {said["number"]: said for _, said in one.unseals}
        for data in self.held.receipts:
            kept = read_receipted_event(data)
            try:
                receipt = read_event_receipt(data if kept is None else kept[2], one.of("referee"))
            except RefusedError:
                self.find("RECEIPT_REFUSED", one.place)
                continue
            number, hashed = receipt["number"], receipt["event_hash"]
            if kept is not None:
                event, previous, _ = kept
                if number > MOST_EVENTS or next_hash(bytes.fromhex(previous), number, event).hex() != hashed:
                    self.find("RECEIPT_REFUSED", one.place)
                    continue
                if "settle" in one.parts and self._is_dropped(event, receipt["received_time"]):
                    self.find("MOVE_DROPPED", one.parts["settle"][0])
                    continue
            if self.course is not None and number >= len(known):
                self.find("EVENTS_ALTERED", one.place)
            elif known.setdefault(number, hashed) != hashed:
                self.find("FORKED_RECEIPTS", one.place)
            elif number in unseals and receipt.get("opens_section") != unseals[number]["opens_section"]:
                self.find("STREET_OPENED_EARLY", one.place)

    def _is_dropped(self, event: bytes, received_time: int) -> bool:
        """Whether the settled course has no such event, and a timeout of its seat from that time on."""
        settled = self.one.parts["settle"][1]["inputs"]["events"] if self.course is not None else []
        if event in [write_json(entry["event"]) for entry in settled]:
            return False
        try:
            said = read_json(event)
        except RefusedError:
            return False
        seat = said.get("seat") if isinstance(said, dict) else None
        late = [entry["event"] for entry in settled if entry["time"] >= received_time]
        return type(seat) is int and any(is_timeout(one) and one.get("seat") == seat for one in late)
