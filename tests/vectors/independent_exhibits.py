"""Certificates and exports of one round, from ``README.md`` alone."""

import base64
import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from tests.vectors.independent_bytes import RefusedError, write_json
from tests.vectors.independent_grouping import Held, Round, layers
from tests.vectors.independent_round import CERTIFICATE, Deal, Row, has_members, read_certificate, server_commitment

FEWEST = 9
SECTION: dict[str, Callable[[Any], bool]] = dict.fromkeys(("cards", "index", "key", "unsealed_time?"), lambda _: True)


class Exhibits:
    """What people hold of a round, looked at beside its leaves; ``found`` are codes with the leaves they show at."""

    def __init__(self, one: Round, held: Held) -> None:
        self.one, self.held, self.found = one, held, list[tuple[str, int]]()
        self.cards: list[list[int]] = []
        self.roots: list[str] = []
        self.opened: list[tuple[int, bytes]] = []
        self.is_sound = False

    def find(self, code: str, leaf: int) -> None:
        """Report a code at a leaf."""
        self.found.append((code, leaf))

    def has(self, code: str) -> bool:
        """Whether a code was found."""
        return any(code == one for one, _ in self.found)

    def _examine_certificates(self) -> None:
        one = self.one
        for data in self.held.certificates:
            try:
                shown = read_certificate(data, one.header, one.of("shuffler"))
            except RefusedError as error:
                codes = {"WRONG_SIZE": "SECTION_WRONG_SIZE", "DUPLICATE_CARD": "DUPLICATE_CARD"}
                self.find(codes.get(error.args[0], "CERTIFICATE_REFUSED"), one.place)
                continue
            known = {**one.parts.get("deal", (0, {}))[1], "server_commitment": one.said["server_commitment"]}
            dealt = ("deck_root", "mix", "dealt_time", "leader", "leader_by", "server_commitment")
            if any(shown.get(name) != known.get(name) for name in dealt):
                self.find("CERTIFICATES_DISAGREE", one.place)
                continue
            self.roots = shown["section_roots"]
            self._examine_opened(shown["sections"])
            self._examine_shown(shown["sections"])

    def _examine_shown(self, sections: list[Row]) -> None:
        raise NotImplementedError

    @property
    def stock(self) -> int:
        """The section that nobody is dealt."""
        return len(self.one.header["seat_keys"]) + (3 if self.one.game == "ultimate_texas" else 0)

    def _examine_opened(self, sections: list[Row]) -> None:
        one = self.one
        seen = set[str]()
        for section in sections:
            key = bytes.fromhex(section["key"])
            if section["index"] == self.stock:
                self.find("SECRET_EXPOSED", one.place)
            if len(set(key)) < FEWEST or section["key"] in seen:
                self.find("SECTION_KEY_WEAK", one.place)
            seen.add(section["key"])
            self.opened.append((section["index"], key))
            if section["index"] < len(self.cards) and self.cards[section["index"]] != section["cards"]:
                self.find("CARDS_MISMATCH", one.parts["settle"][0])

    def _examine_exports(self, again: Deal | None) -> None:
        one = self.one
        for data in self.held.exports:
            found = layers(data)
            reveal = one.parts.get("reveal")
            if reveal is not None and write_json(reveal[1]) in found:
                continue
            if self._holds_seed(found) or (again is not None and self._holds_secret(again, found)):
                self.find("SECRET_EXPOSED", one.opened)

    def _holds_seed(self, found: Sequence[bytes]) -> bool:
        one = self.one
        if "reveal" in one.parts:
            return is_in(bytes.fromhex(one.parts["reveal"][1]["server_seed"]), found)
        values = [bytes.fromhex(text) for layer in found for text in _digits(layer)]
        values += [layer for layer in found if len(layer) == 32]
        return any(server_commitment(one.rid, value).hex() == one.said["server_commitment"] for value in values)

    def _holds_secret(self, again: Deal, found: Sequence[bytes]) -> bool:
        opened = {index for layer in found for index in _sections_of(layer, self.one.rid.hex())}
        return any(section not in opened and is_in(key, found) for section, key in enumerate(again.keys))


def _digits(layer: bytes) -> list[str]:
    return re.findall("[0-9a-fA-F]{64}", layer.decode("latin-1"))


def is_in(secret: bytes, found: Sequence[bytes]) -> bool:
    texts = [base64.b64encode(secret).rstrip(b"="), base64.urlsafe_b64encode(secret).rstrip(b"=")]
    spelled = [secret, secret.hex().encode(), secret.hex().upper().encode(), *texts]
    return any(one in layer for layer in found for one in spelled)


def _sections_of(layer: bytes, rid: str) -> list[int]:
    try:
        said: Any = json.loads(layer)
    except (ValueError, RecursionError):
        return []
    if not has_members(said, dict.fromkeys(CERTIFICATE, lambda _: True)) or said["round_id"] != rid:
        return []
    return [section["index"] for section in said["sections"] if has_members(section, SECTION)]
