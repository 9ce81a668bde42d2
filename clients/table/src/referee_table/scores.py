"""Scores of devices over all rooms: one file for each device, named by the hash of the device's secret.

A round is counted once: each room's line has the newest round that is in it, and rounds of a room end in order. A file
is written before the room's own, so a round that a kill interrupts is counted again by the room and not by the line.
"""

import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import msgspec

from referee.evidence.outside import OutsideError, read_json
from referee_table.clock import Clock
from referee_table.dealing import CURRENCY
from referee_table.files import write_whole
from referee_table.state import RoomState, Round, Stats
from referee_table.wording import Code, RefusedError

LOG: Final = logging.getLogger("referee_table")
KEPT_MS: Final = 180 * 24 * 3600 * 1000
"""Time after a device's last round until its scores are deleted."""
MOST_DEVICES: Final = 5000
"""Devices that have scores; the one that has not played for longest gives way to a new one."""
MOST_ROOMS: Final = 20
"""Rooms of a device that have a line of their own, those played last; games and the whole count every room."""


class GameScore(msgspec.Struct, kw_only=True):
    """Rounds of one game in one currency."""

    game: str
    currency: str
    stats: Stats


class RoomScore(msgspec.Struct, kw_only=True):
    """Rounds in one room. ``newest`` is the room's generation and the number of the last round that was counted."""

    room: str
    ruleset: str
    stake_minor: int
    currency: str
    time: int
    newest: tuple[int, int]
    stats: Stats


class DeviceScores(msgspec.Struct):
    """What one device has played; the room that it played last is at the end."""

    games: list[GameScore] = []
    rooms: list[RoomScore] = []


@dataclass(slots=True)
class Scores:
    """Scores by device. ``folder`` is None for a table server that keeps them in memory alone.

    ``unreadable`` are devices whose file is damaged: it stays as it is, and nothing is counted until it is deleted.
    """

    folder: Path | None
    clock: Clock
    devices: dict[str, DeviceScores] = field(default_factory=dict)
    unreadable: set[str] = field(default_factory=set)

    def start(self) -> None:
        """Read the folder, and delete the scores of devices that have not played for too long."""
        if self.folder is None:
            return
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for path in self.folder.glob("*.scores.json"):
            device = path.name.partition(".")[0]
            try:
                self.devices[device] = read_json(path.read_bytes(), DeviceScores)
            except (OSError, OutsideError) as error:
                LOG.warning("%s cannot be read: %s", path, error)
                self.unreadable.add(device)
        self._drop_ended()

    def count(self, room: RoomState, game: str, made: Round, nets: list[int]) -> None:
        """Count a settled round for the device of each seat that has one; never twice for one round.

        A disk that cannot be written loses nothing while the table server runs: the next round writes all again.
        """
        self._drop_ended()
        for seat, net in zip(made.seats, nets, strict=True):
            if seat.device and seat.device not in self.unreadable and self._add(seat.device, room, game, made, net):
                try:
                    self._write(seat.device)
                except OSError as error:
                    LOG.warning("the scores of a device cannot be written: %s", error)

    def shown(self, device: str) -> dict[str, Any]:
        """Return a device's scores in all, by game and by room, the newest room first; raise DISK_FAULT if damaged."""
        if device in self.unreadable:
            raise RefusedError(Code.DISK_FAULT, detail="the file of these scores is damaged; deleting it begins anew")
        self._drop_ended()
        scores = self.devices.get(device, DeviceScores())
        whole: dict[str, Stats] = {}
        for line in scores.games:
            whole.setdefault(line.currency, Stats()).merge(line.stats)
        return {
            "until": scores.rooms[-1].time + KEPT_MS if scores.rooms else None,
            "all": [{"currency": currency, "stats": msgspec.to_builtins(stats)} for currency, stats in whole.items()],
            "games": msgspec.to_builtins(scores.games),
            "rooms": [
                {name: value for name, value in msgspec.to_builtins(line).items() if name != "newest"}
                for line in reversed(scores.rooms)
            ],
        }

    def forget(self, device: str) -> None:
        """Delete a device's scores; raise DISK_FAULT if their file cannot be deleted."""
        try:
            self._unlink(device)
        except OSError as error:
            raise RefusedError(Code.DISK_FAULT, detail=f"the scores are not deleted: {error.strerror}") from None
        self.devices.pop(device, None)
        self.unreadable.discard(device)

    def _add(self, device: str, room: RoomState, game: str, made: Round, net: int) -> bool:
        """Add a round to a device's lines; return False if it is counted already."""
        scores = self.devices.get(device, DeviceScores())
        newest = (room.generation, made.number)
        line = next((line for line in scores.rooms if line.room == room.room), None)
        if line is not None and line.newest >= newest:
            return False
        if line is None:
            line = RoomScore(
                room=room.room,
                ruleset=room.ruleset,
                stake_minor=room.stake_minor,
                currency=CURRENCY,
                time=0,
                newest=newest,
                stats=Stats(),
            )
        line.time, line.newest = self.clock.now(), newest
        total = next((each for each in scores.games if (each.game, each.currency) == (game, CURRENCY)), None)
        if total is None:
            total = GameScore(game=game, currency=CURRENCY, stats=Stats())
            scores.games.append(total)
        for stats in (line.stats, total.stats):
            stats.add(net)
        scores.rooms = [*(each for each in scores.rooms if each is not line), line][-MOST_ROOMS:]
        if device not in self.devices and len(self.devices) >= MOST_DEVICES:
            self._drop(min(self.devices, key=self._last_time))
        self.devices[device] = scores
        return True

    def _drop_ended(self) -> None:
        now = self.clock.now()
        for device in [device for device in self.devices if now >= self._last_time(device) + KEPT_MS]:
            self._drop(device)

    def _last_time(self, device: str) -> int:
        return max([line.time for line in self.devices[device].rooms], default=0)

    def _drop(self, device: str) -> None:
        del self.devices[device]
        try:
            self._unlink(device)
        except OSError as error:
            LOG.warning("the scores of a device cannot be deleted: %s", error)

    def _write(self, device: str) -> None:
        if self.folder is not None:
            write_whole(self.folder / f"{device}.scores.json", msgspec.json.encode(self.devices[device]))

    def _unlink(self, device: str) -> None:
        if self.folder is not None:
            (self.folder / f"{device}.scores.json").unlink(missing_ok=True)
