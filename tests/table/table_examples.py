"""Every message of PROTOCOL.md as a table server sends it, from rounds in which nothing is left to chance.

``python tests/table/table_examples.py`` writes them to clients/table/examples.
"""

import asyncio
import json
import logging
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import structlog

from tests.table.scripted_player import Player, View, hashed, number_of, play_anything, split
from tests.table.table_scene import Court, MovedClock, Scene, phase_is

FOLDER: Final = Path(__file__).parents[2] / "clients" / "table" / "examples"
SWEEP: Final = "sweep 0"
"""What the referee's seeds are drawn from for an open round of Mậu Binh in which An sweeps another seat and wins."""
VERSION: Final = 12
"""Version of every view: how often a busy machine's referee seemed away in between is left to chance."""

Examples = dict[str, Any]


class Recorder:
    """Examples by name."""

    def __init__(self) -> None:
        self.found: Examples = {}

    async def view(self, name: str, player: Player, holds: Callable[[View], bool]) -> View:
        """Keep the view that meets the condition."""
        self.found[name] = await player.until(holds)
        return self.found[name]

    async def done(self, name: str, player: Player, command: str, **fields: Any) -> View:  # noqa: ANN401 - of a command
        """Keep a command and its answer."""
        self.found[f"command.{name}"] = {"type": "command", "id": name, "name": command, **fields}
        result = await player.ask(command, command=name, **fields)
        self.found[f"done.{name}"] = {"type": "done", "id": name, "result": result}
        return result

    async def refused(self, name: str, player: Player, command: str, **fields: Any) -> None:  # noqa: ANN401 - of a command
        """Keep a command and its refusal."""
        self.found[f"command.{name}"] = {"type": "command", "id": name, "name": command, **fields}
        self.found[f"refused.{name}"] = await player.refused(command, **fields, command=name)


def revealed(view: View) -> bool:
    """Whether a round has ended and its seed is in the log."""
    last = view.get("last")
    return bool(last and last["proof"]["is_revealed"])


async def begin(recorder: Recorder, player: Player, game: str, **terms: Any) -> View:  # noqa: ANN401 - of create
    """Open a room of one person and two bots, ready, in BINDING, before the page commits."""
    player.is_willing = False
    fields = {"ruleset": game, "stake_minor": 1000, "bots": 2, "sealed": False} | terms
    await recorder.done("create", player, "create", **fields)
    await player.until(
        lambda view: len(view.get("persons", ())) == 3 and all(one["place"] == "SEAT" for one in view["persons"])
    )
    return player.view


async def bind(recorder: Recorder, player: Player, name: str) -> View:
    """Commit and give the seed by hand; return the view of the deal."""
    view = await recorder.view(f"view.{name}binding", player, phase_is("BINDING"))
    given = view["round"]
    raw, seat = bytes.fromhex(given["round_id"]), bytes([given["you"]])
    fields = {
        "round_id": given["round_id"],
        "seed_commitment": hashed("client-commit", raw, seat, player.own("seed", given["round_id"])).hex(),
    }
    if view["sealed"]:
        fields["token_hash"] = hashed("seat-token", raw, seat, player.own("token", given["round_id"])).hex()
    await recorder.done(f"{name}bind", player, "bind", **fields)
    await recorder.view(f"view.{name}seeding", player, phase_is("SEEDING"))
    seed = player.own("seed", given["round_id"]).hex()
    await recorder.done(f"{name}seed", player, "seed", round_id=given["round_id"], seed=seed)
    return await player.until(phase_is("PLAYING"))


async def arrival(recorder: Recorder, scene: Scene) -> None:
    """Words before a table."""
    an = await scene.player("An", plays=False)
    recorder.found["hello"] = {
        "type": "hello",
        "protocol": 1,
        "secret": an.secret,
        "tab": "tab",
        "name": "An",
        "language": "vi",
    }
    binh = await scene.player("Bình", plays=False)
    await binh.ask("create", ruleset="tien_len.mien_nam", stake_minor=500, bots=1)
    await binh.until(lambda view: len(view.get("persons", ())) == 2)
    recorder.found["welcome"] = an.welcome
    recorder.found["lobby"] = an.view
    await recorder.done("preview", an, "preview", room=binh.view["room"])
    await recorder.done("rules", an, "rules", ruleset="mau_binh.classic")
    await recorder.done("auto_ready", binh, "auto_ready", is_on=False)
    await recorder.done("rename", binh, "rename", person_name="Bình", language="vi")
    await recorder.done("remove_bot", binh, "remove_bot")
    await recorder.done("add_bot", binh, "add_bot")
    await recorder.refused("no_room", an, "join", room="nowhere")
    await recorder.refused("bad_command", an, "ready")
    await recorder.done("join", an, "join", room=binh.view["room"], watch=True)
    await recorder.done("sit_out", an, "sit_out", is_out=True)
    await an.ask("leave")
    recorder.found["ping"] = {"type": "ping", "sent": 1}
    recorder.found["pong"] = {"type": "pong", "sent": 1.0, "time": scene.clock.now()}
    second = await scene.player("An", plays=False, secret=an.secret)
    assert await an.closed() == "TAKEN_OVER"
    recorder.found["goodbye"] = an.last_words
    recorder.found["notice"] = {
        "type": "notice",
        "code": "RESTARTED",
        "text": {
            "vi": "Máy chủ bàn đã khởi động lại; ván chơi tiếp tục, không mất gì.",
            "en": "The table server was started again; the table goes on and nothing is lost.",
        },
    }
    await second.go()


async def mau_binh(recorder: Recorder, scene: Scene, player: Player, *, sealed: bool) -> None:
    """Play a round of Mậu Binh from lobby to replay."""
    name = "mau_binh.sealed." if sealed else "mau_binh."
    await begin(recorder, player, "mau_binh.classic", sealed=sealed)
    recorder.found[f"view.{name}lobby"] = player.view
    await recorder.done("ready", player, "ready", is_ready=True)
    view = await bind(recorder, player, name)
    given = view["round"]
    bots_in = await recorder.view(
        f"view.{name}playing", player, lambda view: sum(view["round"]["mau_binh"]["submitted"]) == 2
    )
    player.is_willing = True
    if sealed:
        certificate, hand = await asyncio.to_thread(player.open_hand, bots_in)
        cards = await asyncio.to_thread(player.suggested, bots_in, certificate)
        player.is_willing = False
        fields = {"round_id": given["round_id"], "commitment": player.commitment(view, cards)}
        await recorder.refused("sealed", player, "suggest", round_id=given["round_id"])
        await recorder.done("commit", player, "commit", **fields)
        await recorder.view(
            f"view.{name}opening",
            player,
            lambda view: view["phase"] == "OPENING" and sum(view["round"]["mau_binh"]["opened"]) == 2,
        )
        nonce = player.own("nonce", given["round_id"]).hex()
        recorder.found["sealing"] = sealing(player, view, hand, cards)
        await recorder.done("open", player, "open", round_id=given["round_id"], nonce=nonce, **split(cards))
    else:
        hand = view["round"]["hand"]
        await recorder.done("check", player, "check", round_id=given["round_id"], **split(hand))
        await recorder.refused(
            "unlawful", player, "arrange", round_id=given["round_id"], **split([*hand[:12], hand[0]])
        )
        advice = await recorder.done("mau_binh.suggest", player, "suggest", round_id=given["round_id"])
        await recorder.done("draft", player, "arrange", round_id=given["round_id"], is_final=False, **split(hand))
        await recorder.done(
            "arrange", player, "arrange", round_id=given["round_id"], **advice["suggestions"][0]["arrangement"]
        )
    await recorder.view(f"view.{name}showdown", player, phase_is("SHOWDOWN"))
    if sealed:
        await recorder.done("skip", player, "skip", round_id=given["round_id"])
    else:
        scene.clock.move(player.view["phase_end_time"] - scene.clock.now())
    await recorder.view(f"view.{name}last", player, revealed)
    await recorder.done(f"{name}replay", player, "replay", table=given["table"], number=given["number"])
    if not sealed:
        await recorder.done("history", player, "history")
        await recorder.refused("no_round", player, "replay", table=given["table"], number=given["number"] + 1)
    await recorder.refused("other_round", player, "suggest", round_id=given["round_id"])
    await recorder.done("leave", player, "leave")
    await player.until(lambda view: view["type"] == "lobby")


def sealing(player: Player, view: View, hand: list[str], cards: list[str]) -> Examples:
    """Return the three hashes of one seat in one round, with their inputs."""
    given = view["round"]
    raw, seat = bytes.fromhex(given["round_id"]), bytes([given["you"]])
    own = {name: player.own(name, given["round_id"]) for name in ("seed", "token", "nonce")}
    return {
        "round_id": given["round_id"],
        "seat": given["you"],
        **{name: value.hex() for name, value in own.items()},
        "hand": hand,
        "arrangement": split(cards),
        "card_numbers": [number_of(card) for card in cards],
        "seed_commitment": hashed("client-commit", raw, seat, own["seed"]).hex(),
        "token_hash": hashed("seat-token", raw, seat, own["token"]).hex(),
        "commitment": player.commitment(view, cards),
    }


async def tien_len(recorder: Recorder, player: Player) -> None:
    """Play a round of Tiến Lên from lobby to replay."""
    await begin(recorder, player, "tien_len.mien_nam")
    await recorder.done("ready", player, "ready", is_ready=True)
    await bind(recorder, player, "tien_len.")
    mine = await recorder.view(
        "view.tien_len.turn",
        player,
        lambda view: "legal" in view["round"]["tien_len"] and view["round"]["tien_len"]["to_beat"],
    )
    given = mine["round"]
    await recorder.done("tien_len.suggest", player, "suggest", round_id=given["round_id"])
    await recorder.refused("unlawful_play", player, "play", round_id=given["round_id"], cards=["3S", "4S"])
    player.is_willing, player.script = True, play_anything
    player.prod()
    await recorder.view("view.tien_len.last", player, revealed)
    await recorder.done("tien_len.replay", player, "replay", table=given["table"], number=given["number"])
    recorder.found["command.play"] = {
        "type": "command",
        "id": "play",
        "name": "play",
        "round_id": given["round_id"],
        "cards": mine["round"]["tien_len"]["legal"]["plays"][0]["cards"]
        if mine["round"]["tien_len"]["legal"]["plays"]
        else ["3S"],
    }
    recorder.found["command.pass"] = {"type": "command", "id": "pass", "name": "pass", "round_id": given["round_id"]}
    await player.ask("leave")
    await player.until(lambda view: view["type"] == "lobby")


def is_one_left_on(view: View, street: str) -> bool:
    """Whether one seat alone has still to decide on a street."""
    texas = view["round"]["ultimate_texas"]
    return texas["street"] == street and sum(one["is_deciding"] for one in texas["seats"]) == 1


async def ultimate_texas(recorder: Recorder, player: Player, *, sealed: bool) -> None:
    """Play a round of Ultimate Texas Hold'em from lobby to replay."""
    name = "ultimate_texas.sealed." if sealed else "ultimate_texas."
    await begin(recorder, player, "ultimate_texas.casino", sealed=sealed)
    recorder.found[f"view.{name}lobby"] = player.view
    await recorder.done("ultimate_texas.ready", player, "ready", is_ready=True, ante_minor=2000, trips_minor=500)
    await bind(recorder, player, name)
    for street, decision in (("PREFLOP", "CHECK"), ("FLOP", "CHECK"), ("RIVER", "PLAY_1X")):
        view = await recorder.view(
            f"view.{name}{street.lower()}",
            player,
            partial(is_one_left_on, street=street),
        )
        round_id = view["round"]["round_id"]
        if not sealed:
            await recorder.done(f"ultimate_texas.suggest.{street.lower()}", player, "suggest", round_id=round_id)
        await recorder.done(f"decide.{street.lower()}", player, "decide", round_id=round_id, decision=decision)
    last = await recorder.view(f"view.{name}last", player, revealed)
    given = last["last"]
    await recorder.done(f"{name}replay", player, "replay", table=given["table"], number=given["number"])
    await player.ask("leave")
    await player.until(lambda view: view["type"] == "lobby")


async def record(folder: Path) -> Examples:
    """Every example, from a referee and a table server that start on an empty folder."""
    recorder = Recorder()
    for part in range(6):
        court = Court(folder / f"referee {part}", MovedClock(), luck=SWEEP if part == 1 else "referee")
        scene = Scene(court, folder / f"table {part}")
        try:
            async with scene.open():
                if part == 0:
                    await arrival(recorder, scene)
                    continue
                player = await scene.player("An", plays=False)
                if part in {1, 2}:
                    await mau_binh(recorder, scene, player, sealed=part == 2)
                elif part == 3:
                    await tien_len(recorder, player)
                else:
                    await ultimate_texas(recorder, player, sealed=part == 5)
        finally:
            court.close()
    for name, example in recorder.found.items():
        if name.startswith("view."):
            example["version"] = VERSION
    return dict(sorted(recorder.found.items()))


def written(example: Any) -> str:  # noqa: ANN401 - JSON
    """Return an example as its file has it."""
    return json.dumps(example, ensure_ascii=False, indent=1) + "\n"


def main() -> None:
    """Write all examples."""
    logging.basicConfig(level=logging.WARNING)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(record(Path(folder)))
    for path in FOLDER.glob("*.json"):
        path.unlink()
    for name, example in found.items():
        (FOLDER / f"{name}.json").write_text(written(example))


if __name__ == "__main__":
    main()
