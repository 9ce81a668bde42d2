"""Every message of PROTOCOL.md as a table server sends it, from rounds in which nothing is left to chance.

``python tests/table/table_examples.py`` writes them to clients/table/examples.
"""

import asyncio
import json
import logging
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import structlog
from referee_table.words import notice

from tests.table.scripted_player import Player, View, cards_of, play_anything, split
from tests.table.table_messages import FOLDER
from tests.table.table_scene import Court, MovedClock, Scene

LUCK: Final = {"mau_binh": "sweep 0"}
"""What the referee's seeds are drawn from by part, so that in the open round of Mậu Binh An sweeps another seat."""
VERSION: Final = 12
"""Version of every view: how often a busy machine's referee seemed away in between is left to chance."""

Examples = dict[str, Any]


class Recorder:
    """Examples by name, from the messages of one player; ``part`` is what their names begin with."""

    def __init__(self, found: Examples, scene: Scene, player: Player, part: str) -> None:
        self.found, self.scene, self.player, self.part = found, scene, player, part

    async def view(self, name: str, holds: Callable[[View], bool]) -> View:
        """Keep the first view that meets the condition."""
        self.found[f"view.{name}"] = view = await self.player.until(holds)
        return view

    async def phase(self, name: str) -> View:
        """Keep the first view of a phase."""
        return await self.view(f"{self.part}.{name.lower()}", lambda view: view.get("phase") == name)

    async def done(self, name: str, command: str = "", *, by: Player | None = None, **fields: Any) -> View:  # noqa: ANN401 - of a command
        """Keep a command and its answer."""
        command = command or name
        self.found[f"command.{name}"] = {"type": "command", "id": name, "name": command, **fields}
        result = await (by or self.player).ask(command, command=name, **fields)
        self.found[f"done.{name}"] = {"type": "done", "id": name, "result": result}
        return result

    async def refused(self, name: str, command: str, **fields: Any) -> None:  # noqa: ANN401 - of a command
        """Keep a command and its refusal."""
        self.found[f"command.{name}"] = {"type": "command", "id": name, "name": command, **fields}
        self.found[f"refused.{name}"] = await self.player.refused(command, **fields, command=name)

    async def deal(self, ruleset: str, *, ready: str = "ready", is_sealed: bool, **bets: Any) -> View:  # noqa: ANN401 - bets
        """Play a room of one person and two bots from the lobby to the deal, each step by hand."""
        player, player.is_willing = self.player, False
        await self.done("create", ruleset=ruleset, stake_minor=1000, bots=2, sealed=is_sealed)
        places = ["SEAT"] * 3
        await self.view(f"{self.part}.lobby", lambda view: [one["place"] for one in view.get("persons", ())] == places)
        if self.part == "tien_len":
            del self.found["view.tien_len.lobby"]
        await self.done(ready, "ready", is_ready=True, **bets)
        given = (await self.phase("BINDING"))["round"]
        raw, secrets = bytes.fromhex(given["round_id"]), player.secrets(given)
        fields = {"round_id": given["round_id"], "seed_commitment": secrets.seed_commitment(raw).hex()}
        token: dict[str, Any] = {"token_hash": secrets.token_hash(raw).hex()} if is_sealed else {}
        await self.done(f"{self.part}.bind", "bind", **fields, **token)
        await self.phase("SEEDING")
        await self.done(f"{self.part}.seed", "seed", round_id=given["round_id"], seed=secrets.seed.hex())
        return await player.phase("PLAYING")

    async def end(self) -> View:
        """Keep the end of the round and its replay."""
        last = (await self.view(f"{self.part}.last", lambda view: bool(view.get("last"))))["last"]
        await self.done(f"{self.part}.replay", "replay", table=last["table"], number=last["number"])
        return dict(last)


async def arrival(recorder: Recorder) -> None:
    """Words before a table."""
    found, scene, an = recorder.found, recorder.scene, recorder.player
    hello = {"type": "hello", "protocol": 1, "secret": an.secret, "name": "An"}
    pong = {"type": "pong", "sent": 1.0, "time": scene.clock.now()}
    found |= {"hello": hello, "ping": {"type": "ping", "sent": 1}, "pong": pong, "notice": notice("RESTARTED")}
    binh = await scene.player("Bình", plays=False)
    room = (await binh.ask("create", ruleset="tien_len.mien_nam", stake_minor=500, bots=1))["room"]
    await binh.until(lambda view: len(view.get("persons", ())) == 2)
    found |= {"welcome": an.welcome, "lobby": an.view}
    await recorder.done("preview", room=room)
    await recorder.done("rules", ruleset="mau_binh.classic")
    await recorder.done("auto_ready", by=binh, is_on=False)
    await recorder.done("remove_bot", by=binh)
    await recorder.done("add_bot", by=binh)
    await recorder.refused("no_room", "join", room="nowhere")
    await recorder.refused("bad_command", "ready")
    await recorder.done("join", room=room, watch=True)
    await recorder.done("sit_out", is_out=True)
    await an.ask("leave")
    await scene.player("An", plays=False, secret=an.secret)
    assert await an.closed() == "TAKEN_OVER"
    found["goodbye"] = an.seen[-1]


async def mau_binh(recorder: Recorder, *, is_sealed: bool = False) -> None:
    """Play a round of Mậu Binh from lobby to replay."""
    player, part = recorder.player, recorder.part
    given = (await recorder.deal("mau_binh.classic", is_sealed=is_sealed))["round"]
    about = {"round_id": given["round_id"]}
    await recorder.view(f"{part}.playing", lambda view: sum(view["round"]["mau_binh"]["submitted"]) == 2)
    if is_sealed:
        certificate, hand = await asyncio.to_thread(player.open_hand, player.view)
        cards = await asyncio.to_thread(player.suggested, player.view, certificate)
        secrets, commitment = player.secrets(given), player.commitment(player.view, cards)
        await recorder.refused("sealed", "suggest", **about)
        await recorder.done("commit", **about, commitment=commitment)
        await recorder.view(f"{part}.opening", lambda view: sum(view["round"]["mau_binh"].get("opened", ())) == 2)
        raw = bytes.fromhex(given["round_id"])
        recorder.found["sealing"] = {
            **about,
            "seat": given["you"],
            **{name: getattr(secrets, name).hex() for name in ("seed", "token", "nonce")},
            "hand": hand,
            "arrangement": split(cards),
            "card_numbers": [card.number for card in cards_of(cards)],
            "seed_commitment": secrets.seed_commitment(raw).hex(),
            "token_hash": secrets.token_hash(raw).hex(),
            "commitment": commitment,
        }
        await recorder.done("open", **about, nonce=secrets.nonce.hex(), **split(cards))
    else:
        hand = given["hand"]
        await recorder.done("check", **about, **split(hand))
        await recorder.refused("unlawful", "arrange", **about, **split([*hand[:12], hand[0]]))
        advice = await recorder.done("mau_binh.suggest", "suggest", **about)
        await recorder.done("draft", "arrange", **about, is_final=False, **split(hand))
        await recorder.done("arrange", **about, **advice["suggestions"][0]["arrangement"])
    end = (await recorder.phase("SHOWDOWN"))["phase_end_time"]
    if is_sealed:
        await recorder.done("skip", **about)
    else:
        recorder.scene.clock.move(end - recorder.scene.clock.now())
    await recorder.end()
    if not is_sealed:
        await recorder.done("history")
        await recorder.refused("no_round", "replay", table=given["table"], number=given["number"] + 1)
    await recorder.refused("other_round", "suggest", **about)
    await recorder.done("leave")
    await player.until(lambda view: view["type"] == "lobby")


async def tien_len(recorder: Recorder) -> None:
    """Play a round of Tiến Lên from lobby to replay."""
    player = recorder.player
    await recorder.deal("tien_len.mien_nam", is_sealed=False)

    def is_on_turn(view: View) -> bool:
        return "legal" in view["round"]["tien_len"] and view["round"]["tien_len"]["to_beat"] is not None

    given = (await recorder.view("tien_len.turn", is_on_turn))["round"]
    about = {"round_id": given["round_id"]}
    await recorder.done("tien_len.suggest", "suggest", **about)
    await recorder.refused("unlawful_play", "play", **about, cards=["3S", "4S"])
    player.script = play_anything
    player.prod()
    await recorder.end()
    cards = [one["cards"] for one in given["tien_len"]["legal"]["plays"][:1]] or [["3S"]]
    for name, fields in (("play", {"cards": cards[0]}), ("pass", {})):
        recorder.found[f"command.{name}"] = {"type": "command", "id": name, "name": name, **about, **fields}


async def ultimate_texas(recorder: Recorder, *, is_sealed: bool = False) -> None:
    """Play a round of Ultimate Texas Hold'em from lobby to replay."""
    name, ready = "ultimate_texas", "ultimate_texas.ready"
    given = await recorder.deal(
        "ultimate_texas.casino", ready=ready, is_sealed=is_sealed, ante_minor=2000, trips_minor=500
    )
    about = {"round_id": given["round"]["round_id"]}
    for street, decision in (("PREFLOP", "CHECK"), ("FLOP", "CHECK"), ("RIVER", "PLAY_1X")):

        def is_last(view: View, street: str = street) -> bool:
            game = view["round"][name]
            return bool(game["street"] == street and sum(one["is_deciding"] for one in game["seats"]) == 1)

        await recorder.view(f"{recorder.part}.{street.lower()}", is_last)
        if not is_sealed:
            await recorder.done(f"{name}.suggest.{street.lower()}", "suggest", **about)
        await recorder.done(f"decide.{street.lower()}", "decide", **about, decision=decision)
    await recorder.end()


async def record(folder: Path) -> Examples:
    """Every example, from a referee and a table server that start on an empty folder for each part."""
    found: Examples = {}
    parts = (arrival, mau_binh, mau_binh, tien_len, ultimate_texas, ultimate_texas)
    for number, play in enumerate(parts):
        is_sealed = number in {2, 5}
        part = f"{play.__name__}.sealed" if is_sealed else play.__name__
        court = Court(folder / f"referee {number}", MovedClock(), luck=LUCK.get(part, "referee"))
        scene = Scene(court, folder / f"table {number}")
        try:
            async with scene.open():
                recorder = Recorder(found, scene, await scene.player("An", plays=False), part)
                await play(recorder, **({"is_sealed": True} if is_sealed else {}))
        finally:
            court.close()
    for name, example in found.items():
        if name.startswith("view."):
            example["version"] = VERSION
    return dict(sorted(found.items()))


def main() -> None:
    """Write all examples."""
    logging.basicConfig(level=logging.WARNING)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(record(Path(folder)))
    for path in FOLDER.glob("*.json"):
        path.unlink()
    for name, example in found.items():
        (FOLDER / f"{name}.json").write_text(json.dumps(example, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()
