"""Every message of PROTOCOL.md as a table server sends it, from rounds in which nothing is left to chance.

``python -m tests.table.table_examples`` writes them to clients/table/examples.
"""

import asyncio
import json
import logging
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import structlog
from referee_table.words import notice

from tests.table.scripted_player import UNASKED, Player, RefusedCommandError, View, cards_of, play_anything, split
from tests.table.table_messages import FOLDER
from tests.table.table_scene import MAU_BINH, TEXAS, TIEN_LEN, Scene

LUCK: Final = {"mau_binh": "sweep 0"}
"""What the referee's seeds are drawn from by part, so that in the open round of Mậu Binh An sweeps another seat."""
VERSION: Final = 12
"""Version of every view: how often a busy machine's referee seemed away in between is left to chance."""

Examples = dict[str, Any]


class Recorder(Player):
    """A player whose messages are examples by name; ``part`` is what the names of its round begin with."""

    def __init__(self, name: str, scene: Scene, found: Examples, part: str) -> None:
        super().__init__(name)
        self.scene, self.found, self.part = scene, found, part

    async def keep(self, name: str, holds: Callable[[View], bool]) -> View:
        """Keep the first view of the round that meets a condition."""
        self.found[f"view.{self.part}.{name}"] = view = await self.until(holds)
        return view

    async def keep_phase(self, name: str) -> View:
        """Keep the first view of a phase."""
        return await self.keep(name.lower(), lambda view: view.get("phase") == name)

    async def record(self, name: str, command: str = "", **fields: Any) -> View:  # noqa: ANN401 - of a command
        """Keep a command, the name's last part by default, with its answer; return the result, empty if refused."""
        command = command or name.rpartition(".")[2]
        self.found[f"command.{name}"] = {"type": "command", "id": name, "name": command, **fields}
        try:
            answer: View = {"type": "done", "id": name, "result": await self.ask(command, command=name, **fields)}
        except RefusedCommandError as error:
            answer = error.args[0]
        self.found[f"{answer['type']}.{name}"] = answer
        return dict(answer.get("result", {}))

    async def deal(self, ruleset: str, *, ready: str = "ready", is_sealed: bool, **bets: Any) -> View:  # noqa: ANN401 - bets
        """Play a room of one person and two bots from the lobby to the deal, each step by hand."""
        self.refuses = UNASKED
        await self.record("create", ruleset=ruleset, stake_minor=1000, bots=2, sealed=is_sealed)
        places = ["SEAT"] * 3
        await self.keep("lobby", lambda view: [one["place"] for one in view.get("persons", ())] == places)
        await self.record(ready, is_ready=True, **bets)
        given = (await self.keep_phase("BINDING"))["round"]
        about, raw = {"round_id": given["round_id"]}, bytes.fromhex(given["round_id"])
        secrets = self.secrets(given)
        token: dict[str, Any] = {"token_hash": secrets.token_hash(raw).hex()} if is_sealed else {}
        commitment = secrets.seed_commitment(raw).hex()
        await self.record(f"{self.part}.bind", **about, seed_commitment=commitment, **token)
        await self.keep_phase("SEEDING")
        await self.record(f"{self.part}.seed", **about, seed=secrets.seed.hex())
        return dict((await self.phase("PLAYING"))["round"])

    async def end(self) -> None:
        """Keep the end of the round and its replay."""
        view = await self.keep("last", lambda view: bool(view.get("last") and "proof" in view["last"]))
        await self.record(f"{self.part}.replay", table=view["last"]["table"], number=view["last"]["number"])


async def arrival(an: Recorder) -> None:
    """Words before a table."""
    scene, found = an.scene, an.found
    hello = {"type": "hello", "protocol": 1, "secret": an.secret, "name": "An"}
    pong = {"type": "pong", "sent": 1.0, "time": scene.clock.now()}
    found |= {"hello": hello, "ping": {"type": "ping", "sent": 1}, "pong": pong, "notice": notice("RESTARTED")}
    binh = Recorder("Bình", scene, found, "")
    await scene.come(binh)
    room = (await binh.ask("create", ruleset=TIEN_LEN, stake_minor=500, bots=1))["room"]
    await binh.until(lambda view: len(view.get("persons", ())) == 2)
    found |= {"welcome": an.welcome, "lobby": an.view}
    await an.record("preview", room=room)
    await binh.record("remove_bot")
    await binh.record("add_bot")
    await an.record("no_room", "join", room="nowhere")
    await an.record("bad_command", "ready")
    await an.record("join", room=room)
    await an.record("sit_out", is_out=True)
    await an.ask("leave")
    await scene.player("An", plays=False)
    assert await an.closed() == "TAKEN_OVER"
    found["goodbye"] = an.seen[-1]


async def mau_binh(an: Recorder, *, is_sealed: bool = False) -> None:
    """Play a round of Mậu Binh from lobby to replay."""
    given = await an.deal(MAU_BINH, is_sealed=is_sealed)
    about = {"round_id": given["round_id"]}
    await an.keep("playing", lambda view: sum(view["round"]["mau_binh"]["submitted"]) == 2)
    if is_sealed:
        _, hand = await an.joined(an.view)
        cards = await an.suggested(an.view)
        secrets, commitment = an.secrets(given), an.commitment(an.view, cards)
        await an.record("sealed", "suggest", **about)
        await an.record("commit", **about, commitment=commitment)
        await an.keep("opening", lambda view: sum(view["round"]["mau_binh"].get("opened", ())) == 2)
        raw = bytes.fromhex(given["round_id"])
        an.found["sealing"] = {
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
        await an.record("open", **about, nonce=secrets.nonce.hex(), **split(cards))
    else:
        hand = given["hand"]
        await an.record("check", **about, **split(hand))
        await an.record("unlawful", "arrange", **about, **split([*hand[:12], hand[0]]))
        advice = await an.record("mau_binh.suggest", **about)
        await an.record("draft", "arrange", **about, is_final=False, **split(hand))
        await an.record("arrange", **about, **advice["suggestions"][0]["arrangement"])
    end = (await an.keep_phase("SHOWDOWN"))["phase_end_time"]
    if is_sealed:
        await an.record("skip", **about)
    else:
        an.scene.move_to(end)
    await an.end()
    if not is_sealed:
        await an.record("history")
        await an.record("no_round", "replay", table=given["table"], number=given["number"] + 1)
    await an.record("other_round", "suggest", **about)
    await an.record("leave")
    await an.until(lambda view: view["type"] == "lobby")


async def tien_len(an: Recorder) -> None:
    """Play a round of Tiến Lên from lobby to replay."""
    await an.deal(TIEN_LEN, is_sealed=False)
    del an.found["view.tien_len.lobby"]

    def is_on_turn(view: View) -> bool:
        return "legal" in view["round"]["tien_len"] and view["round"]["tien_len"]["to_beat"] is not None

    given = (await an.keep("turn", is_on_turn))["round"]
    about = {"round_id": given["round_id"]}
    await an.record("tien_len.suggest", **about)
    await an.record("unlawful_play", "play", **about, cards=["3S", "4S"])
    an.script = play_anything
    an.prod()
    await an.end()
    cards = [one["cards"] for one in given["tien_len"]["legal"]["plays"][:1]] or [["3S"]]
    for name, fields in (("play", {"cards": cards[0]}), ("pass", {})):
        an.found[f"command.{name}"] = {"type": "command", "id": name, "name": name, **about, **fields}


async def ultimate_texas(an: Recorder, *, is_sealed: bool = False) -> None:
    """Play a round of Ultimate Texas Hold'em from lobby to replay."""
    given = await an.deal(TEXAS, ready="ultimate_texas.ready", is_sealed=is_sealed, ante_minor=2000, trips_minor=500)
    about = {"round_id": given["round_id"]}
    for street, decision in (("PREFLOP", "CHECK"), ("FLOP", "CHECK"), ("RIVER", "PLAY_1X")):

        def is_last(view: View, street: str = street) -> bool:
            game = view["round"]["ultimate_texas"]
            return bool(game["street"] == street and sum(one["is_deciding"] for one in game["seats"]) == 1)

        await an.keep(street.lower(), is_last)
        if not is_sealed:
            await an.record(f"ultimate_texas.suggest.{street.lower()}", "suggest", **about)
        await an.record(f"decide.{street.lower()}", "decide", **about, decision=decision)
    await an.end()


async def record(folder: Path) -> Examples:
    """Every example, from a referee and a table server that start on an empty folder for each part."""
    found: Examples = {}
    for number, play in enumerate((arrival, mau_binh, mau_binh, tien_len, ultimate_texas, ultimate_texas)):
        how = {"is_sealed": True} if number in {2, 5} else {}
        part = f"{play.__name__}.sealed" if how else play.__name__
        with closing(Scene(folder / str(number), luck=LUCK.get(part, "referee"))) as scene:
            async with scene.open():
                an = Recorder("An", scene, found, part)
                await scene.come(an)
                await play(an, **how)
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
