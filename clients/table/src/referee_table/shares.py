"""Rounds to show: finished rounds that anyone with a link can see for 30 days, one file each.

A share holds what everybody knew at the end of the round and how it was played. Nothing in it names a person, a device
or a key; names are in it only if its maker chose them. The first eight digits of a share's name are the second at which
it ends, so that an ended share is known as such after its file is gone.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import msgspec

from referee.evidence.outside import OutsideError, read_json
from referee_table.clock import Clock
from referee_table.files import write_whole
from referee_table.records import shown
from referee_table.state import Person, RoomState
from referee_table.wording import Code, RefusedError

LOG: Final = logging.getLogger("referee_table")
KEPT_SECONDS: Final = 30 * 24 * 3600
MOST_SHARES: Final = 5000
MOST_OF_A_PERSON: Final = 100
MOST_BYTES: Final = 128 * 1024
"""Size of one share; the longest rounds of the built-in games have a third of it."""
_TIME_DIGITS: Final = 8
_NAME_DIGITS: Final = _TIME_DIGITS + 32
_HIDDEN: Final = ("person", "name", "key")


class ShareUnknownError(Exception):
    """Error for a share that was never made here."""


class ShareExpiredError(Exception):
    """Error for a share whose 30 days are over."""


class Origin(msgspec.Struct, frozen=True):
    """Round of a share, and who made it: the first line of its file, never shown. ``maker`` is a person's key."""

    maker: str
    table: str
    number: int
    has_names: bool


@dataclass(slots=True)
class Shares:
    """All shares, by name. They are kept in memory only if ``folder`` is None."""

    folder: Path | None
    clock: Clock
    entropy: Callable[[int], bytes]
    origins: dict[str, Origin] = field(default_factory=dict)
    _answers: dict[str, bytes] = field(default_factory=dict)

    def start(self) -> None:
        """Read which shares the folder has; delete those that have ended."""
        if self.folder is None:
            return
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for path in sorted(self.folder.glob("*.share.json")):
            name = path.name.partition(".")[0]
            try:
                with path.open("rb") as file:
                    origin = read_json(file.readline(MOST_BYTES), Origin)
            except (OSError, OutsideError) as error:
                LOG.warning("%s cannot be read: %s", path, error)
            else:
                if _is_name(name):
                    self.origins[name] = origin
                else:
                    LOG.warning("%s is not the name of a share", path)
        self._drop_ended()

    def make(self, person: Person, room: RoomState, record: dict[str, Any], *, has_names: bool) -> dict[str, Any]:
        """Return the share of a round, the one made before if there is one, and when it ends, in milliseconds.

        Raise NOT_SEATED if the person had no seat in the round, NOTHING_TO_SHOW if the round was not settled,
        PROOF_SOON until the log has the server's seed, and TOO_MANY if the person or all people have as many links as
        are allowed.
        """
        if person.person not in [one["person"] for one in record["seats"]]:
            raise RefusedError(Code.NOT_SEATED)
        if record["end"] != "SETTLED":
            raise RefusedError(Code.NOTHING_TO_SHOW)
        if not record["proof"]["is_revealed"]:
            raise RefusedError(Code.PROOF_SOON)
        self._drop_ended()
        origin = Origin(person.key, record["table"], record["number"], has_names)
        for name, known in self.origins.items():
            if known == origin:
                return {"share": name, "until": _end_of(name)}
        if sum(known.maker == person.key for known in self.origins.values()) >= MOST_OF_A_PERSON:
            raise RefusedError(Code.TOO_MANY, detail=f"you have {MOST_OF_A_PERSON} links that are not over yet")
        if len(self.origins) >= MOST_SHARES:
            raise RefusedError(Code.TOO_MANY, detail=f"this table server keeps at most {MOST_SHARES} links")
        end = self.clock.now() // 1000 + KEPT_SECONDS
        name = f"{end:0{_TIME_DIGITS}x}{self.entropy(16).hex()}"
        answer = msgspec.json.encode(
            {"share": name, "until": _end_of(name)} | _shown(room, record, has_names=has_names)
        )
        if len(answer) > MOST_BYTES:
            raise RefusedError(Code.BAD_COMMAND, detail=f"the round has {len(answer)} bytes, a link {MOST_BYTES}")
        self._write(name, origin, answer)
        return {"share": name, "until": _end_of(name)}

    def read(self, name: str) -> bytes:
        """Return the JSON that a share's link answers; raise ShareUnknownError or ShareExpiredError."""
        if not _is_name(name):
            raise ShareUnknownError
        if self.clock.now() >= _end_of(name):
            self._drop_ended()
            raise ShareExpiredError
        if name not in self.origins:
            raise ShareUnknownError
        if self.folder is None:
            return self._answers[name]
        return self._path(name).read_bytes().partition(b"\n")[2]

    def _write(self, name: str, origin: Origin, answer: bytes) -> None:
        if self.folder is None:
            self._answers[name] = answer
        else:
            write_whole(self._path(name), msgspec.json.encode(origin) + b"\n" + answer)
        self.origins[name] = origin

    def _drop_ended(self) -> None:
        now = self.clock.now()
        for name in [name for name in self.origins if now >= _end_of(name)]:
            del self.origins[name]
            self._answers.pop(name, None)
            if self.folder is not None:
                self._path(name).unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        assert self.folder is not None  # noqa: S101 - asked only where files are kept
        return self.folder / f"{name}.share.json"


def _is_name(text: str) -> bool:
    return len(text) == _NAME_DIGITS and set(text) <= set("0123456789abcdef")


def _end_of(name: str) -> int:
    """Return when a share ends, in milliseconds.

    >>> _end_of("65543d6300000000")
    1700019555000
    """
    return int(name[:_TIME_DIGITS], 16) * 1000


def _shown(room: RoomState, record: dict[str, Any], *, has_names: bool) -> dict[str, Any]:
    """Return a round with how it was played and its terms, without what names a person, a device or a key."""
    left_out = [one for one in _HIDDEN if one != "name" or not has_names]
    seats = [{name: value for name, value in one.items() if name not in left_out} for one in record["seats"]]
    terms = {"ruleset": room.ruleset, "stake_minor": room.stake_minor, "sealed": room.is_sealed}
    return terms | {"has_names": has_names, "round": shown(record) | record["replay"] | {"seats": seats}}
