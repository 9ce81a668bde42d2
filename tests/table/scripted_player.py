"""A page without a screen: it keeps its seat's secrets, binds, shows seeds, opens sealed hands, and plays by a script.

What a page has of the SDK for TypeScript it has of the one for Python: the seat's secrets, the chain that a seat with a
key signs, and the referee's answers about a sealed hand.
"""

import asyncio
import hashlib
import itertools
import json
from collections.abc import Callable, Collection
from typing import Any, Final, Self

from referee_client import AsyncClient, Bet, Card, SeatChain, SeatSecrets, Terms
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from referee.cards import parse_cards
from referee.transcript.chain import Course

TIMEOUT: Final = 120.0
KINDS: Final = {"open": "ARRANGE"} | {one: one.upper() for one in ("arrange", "commit", "play", "pass", "decide")}
"""Commands that make events, and the events' kinds."""
UNASKED: Final = ("BINDING", "SEEDING", "OPENING")
"""Phases in which a page does something by itself, once for each round and stream."""

View = dict[str, Any]
_IDS: Final = itertools.count(1)
"""Numbers of commands: a person who comes again must not ask under an old id."""


class RefusedCommandError(Exception):
    """A command that was refused; ``args`` has the server's message."""


def cards_of(texts: list[str]) -> tuple[Card, ...]:
    """Return cards by their texts."""
    return parse_cards(" ".join(texts))


def split(cards: list[str]) -> dict[str, Any]:
    """Thirteen cards as an arrangement."""
    return {"back": cards[:5], "middle": cards[5:10], "front": cards[10:]}


class Player:
    """One person with one tab. ``view`` is the newest view or lobby; ``seen`` are all messages.

    In the phases that it ``refuses`` the page does not do what a page does unasked. With ``is_steady`` it connects
    again after a cut, asks again what was not answered, and takes a refusal of that.
    ``client`` asks the referee about a sealed hand, where a page would ask the gateway.
    """

    def __init__(
        self, name: str, *, secret: str = "", client: AsyncClient | None = None, is_keyed: bool = False
    ) -> None:
        self.name = name
        self.secret = secret or hashlib.sha256(name.encode()).hexdigest()
        self.key = hashlib.sha256(f"key of {name}".encode()).digest() if is_keyed else b""
        self.client = client
        self.view: View = {}
        self.welcome: View = {}
        self.seen: list[View] = []
        self.hello: View = {}
        self.closed_code: int | None = None
        self.refuses: Collection[str] = ()
        self.signs, self.is_steady = is_keyed, False
        self.timeout = TIMEOUT
        self.script: Callable[[Player, View], Any] | None = None
        self.arrangements: dict[str, list[str]] = {}
        self.failures: list[BaseException] = []
        self._chains: dict[str, SeatChain] = {}
        self._asked: dict[str, tuple[View, asyncio.Future[View]]] = {}
        self._changed = asyncio.Event()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._done: set[tuple[str, ...]] = set()
        self._socket: ClientConnection | None = None

    async def come(self, address: str, *, room: str = "") -> Self:
        """Connect the player and wait for its first view; repeat steps that were cut off."""
        self._done.clear()
        self._asked.clear()
        self.view, self.seen = {}, []
        await self._connect(address)
        view = await self.until(bool)
        if room and view["type"] == "lobby":
            await self.ask("join", room=room)
        return self

    async def _connect(self, address: str) -> None:
        self._socket, self.closed_code = None, None
        async with asyncio.timeout(self.timeout):
            while self._socket is None:
                try:
                    self._socket = await connect(f"ws://{address}/api/stream", max_size=None, open_timeout=TIMEOUT)
                except (OSError, InvalidHandshake):
                    if not self.is_steady:
                        raise
                    await asyncio.sleep(0.02)  # the server is being started again
        self._done = {one for one in self._done if one[-1] not in UNASKED}
        hello = {"type": "hello", "protocol": 1, "secret": self.secret, "name": self.name}
        key = {"seat_key": SeatSecrets.make(0, private_key=self.key).public_key.hex()} if self.key else {}
        await self.send({**hello, **key, **self.hello})
        for message, _ in list(self._asked.values()):
            await self.send(message)
        self._spawn(self._listen(self._socket, address))

    async def go(self) -> None:
        """Cut the player's connection."""
        self.is_steady = False
        if self._socket is not None:
            await self._socket.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()

    async def send(self, message: View | str) -> None:
        """Send the message as it is."""
        assert self._socket is not None
        await self._socket.send(message if isinstance(message, str) else json.dumps(message))

    async def ask(self, name: str, *, command: str = "", **fields: Any) -> View:  # noqa: ANN401 - fields of a command
        """Return the result of a command, signed where a key asks for it; raise RefusedCommandError for a refusal."""
        given, chain = self.view.get("round"), None
        if self.signs and given is not None and fields.get("round_id") == given["round_id"]:
            chain, signed = self._signed(given, name, fields)
            fields |= signed
        asked = {"type": "command", "id": command or f"{name}-{next(_IDS)}", "name": name, **fields}
        answer: asyncio.Future[View] = asyncio.get_running_loop().create_future()
        self._asked[asked["id"]] = asked, answer
        if self._socket is not None or not self.is_steady:  # else it is sent over the next connection
            await self.send(asked)
        async with asyncio.timeout(self.timeout):
            message = await answer
        if message["type"] == "refused":
            raise RefusedCommandError(message)
        result: View = message["result"]
        if chain is not None and "number" in result:
            chain.acknowledge()
        return result

    async def refused(self, name: str, **fields: Any) -> View:  # noqa: ANN401 - fields of a command
        """Return the refusal of a command; raise AssertionError if it is carried out."""
        try:
            done = await self.ask(name, **fields)
        except RefusedCommandError as error:
            return dict(error.args[0])
        raise AssertionError(f"{name} was done: {done}")

    async def move(self, name: str, **fields: Any) -> View:  # noqa: ANN401 - fields of a command
        """Return the result of a command about the round that is played."""
        return await self.ask(name, round_id=self.view["round"]["round_id"], **fields)

    async def until(self, holds: Callable[[View], bool]) -> View:
        """Return the first view from now on that meets the condition."""
        try:
            async with asyncio.timeout(self.timeout):
                while not self.failures and not (self.view and holds(self.view)):
                    await self._changed.wait()
        except TimeoutError:
            msg = f"{self.name} waited in vain; the last view was {json.dumps(self.view, ensure_ascii=False)}"
            raise AssertionError(msg) from None
        if self.failures:
            raise self.failures[0]
        return self.view

    async def phase(self, name: str) -> View:
        """Return the first view from now on that is of a phase."""
        return await self.until(lambda view: view.get("phase") == name)

    async def ended(self, *, after: View | None = None) -> View:
        """Return the record of the first round that ended after another one."""
        before = None if after is None else after["round_id"]
        view = await self.until(lambda view: view.get("last") is not None and view["last"]["round_id"] != before)
        return dict(view["last"])

    async def closed(self) -> str:
        """Return the code of the server's last message."""
        async with asyncio.timeout(self.timeout):
            while self.closed_code is None:
                await self._changed.wait()
        return self.codes("goodbye")[-1]

    def codes(self, kind: str) -> list[str]:
        """Return the codes of the notices or goodbyes so far."""
        return [message["code"] for message in self.seen if message["type"] == kind]

    def prod(self) -> None:
        """Handle the newest view once more."""
        self._serve(self.view)

    def secrets(self, given: View) -> SeatSecrets:
        """Return the secrets of this seat in a round."""
        seed, token, nonce = (
            hashlib.sha256(f"{self.secret}/{given['round_id']}/{what}".encode()).digest()
            for what in ("seed", "token", "nonce")
        )
        return SeatSecrets(seat=given["you"], seed=seed, token=token, nonce=nonce, private_key=self.key)

    async def joined(self, view: View) -> tuple[Any, list[str]]:
        """Join a sealed round as the SDK has it for this seat, which opens its hand; return the round and the hand."""
        assert self.client is not None
        given, header = view["round"], view["round"]["header"]
        stakes = header.get("seatStakes", ())
        terms = Terms(
            table=given["table"],
            ruleset=view["ruleset"],
            seats=len(given["seats"]),
            currency=header["currency"],
            stake=int(header["stakeMinor"]),
            bets=[Bet(int(one["betMinor"]), int(one.get("sideBetMinor", 0))) for one in stakes],
            seat_keys=[bytes.fromhex(one.get("key", "00" * 32)) for one in given["seats"]],
        )
        game = self.client.game(view["ruleset"].partition(".")[0], terms, secrets=[self.secrets(given)])
        await game.join(given["number"])
        return game, [card.text for card in await game.open_hand(given["you"])]

    def commitment(self, view: View, cards: list[str]) -> str:
        """Return the seat's commitment to thirteen cards."""
        given = view["round"]
        raw = bytes.fromhex(given["round_id"])
        return self.secrets(given).arrangement_commitment(raw, cards=cards_of(cards)).hex()

    async def suggested(self, view: View) -> list[str]:
        """Return the best arrangement of a sealed hand, as the gateway would suggest it."""
        game, _ = await self.joined(view)
        best = (await game.suggest(view["round"]["you"], count=1)).suggestions[0].arrangement
        return [Card(number).text for number in (*best.back, *best.middle, *best.front)]

    def _signed(self, given: View, name: str, fields: View) -> tuple[SeatChain | None, View]:
        """Return the signature of a seed or an event, and for an event the seat's chain."""
        secrets, raw = self.secrets(given), bytes.fromhex(given["round_id"])
        if name == "seed":
            commitment = bytes.fromhex(given["server_commitment"])
            signed = secrets.sign_seed(raw, server_commitment=commitment, is_sealed=self.view["sealed"])
            return None, {"signature": signed.hex()}
        if name not in KINDS or (name in {"arrange", "commit"} and not given["mau_binh"]["takes_signed"]):
            return None, {}
        shown, root = given["course"], bytes.fromhex(given["course"]["deck_root"])
        chain = self._chains.setdefault(raw.hex(), SeatChain(secrets, round_id=raw, deck_root=root))
        if shown["is_whole"]:
            events = [(json.loads(one["event"]), one) for one in shown["events"]]
            course = Course.begin(round_id=raw, deck_root=root).extend(
                (one["event"].encode(), one["time"], one["received"], event["seat"], event.get("seen"))
                for event, one in events
            )
            chain.show(course, signature=bytes.fromhex(shown["signature"]))
        choice = {"kind": KINDS[name], "seat": given["you"]}
        for row in ("back", "middle", "front", "cards"):
            if row in fields:
                choice[row] = [card.number for card in cards_of(fields[row])]
        choice |= {one: fields[one] for one in ("nonce", "commitment", "decision") if one in fields}
        move = chain.sign(json.dumps(choice, sort_keys=True, separators=(",", ":")).encode())
        return chain, {"seen": move.seen, "signature": move.signature.hex()}

    async def _listen(self, socket: ClientConnection, address: str) -> None:
        try:
            async for data in socket:
                self._receive(json.loads(data))
        except ConnectionClosed:
            pass
        if self.is_steady:
            await self._connect(address)
            return
        self.closed_code = socket.close_code
        self._notify()

    def _receive(self, message: View) -> None:
        self.seen.append(message)
        match message["type"]:
            case "welcome":
                self.welcome = message
            case "lobby" | "view":
                self.view = message
                self._notify()
                self._serve(message)
            case "done" | "refused":
                _, answer = self._asked.pop(message["id"], ({}, None))
                if answer is not None and not answer.done():
                    answer.set_result(message)

    def _serve(self, view: View) -> None:
        """Do what a page does by itself, once for each round; then the script."""
        given = view.get("round")
        if given is None or given["you"] is None:
            return
        is_asked = view["phase"] in UNASKED and view["phase"] not in self.refuses
        if is_asked and self.once(given["round_id"], view["phase"]):
            self._spawn(self._answer_phase(view))
        if self.script is not None:
            self._spawn(self.script(self, view))

    def once(self, *key: Any) -> bool:  # noqa: ANN401 - what names the step
        """Whether a step is done for the first time."""
        name = tuple(map(str, key))
        is_new = name not in self._done
        self._done.add(name)
        return is_new

    async def _answer_phase(self, view: View) -> None:
        given, seat = view["round"], view["round"]["you"]
        secrets, raw = self.secrets(given), bytes.fromhex(given["round_id"])
        cards = self.arrangements.get(given["round_id"])
        if view["phase"] == "BINDING" and seat not in given["bound"]:
            token = {"token_hash": secrets.token_hash(raw).hex()} if view["sealed"] else {}
            await self.move("bind", seed_commitment=secrets.seed_commitment(raw).hex(), **token)
        elif view["phase"] == "SEEDING" and seat not in given["seeded"]:
            await self.move("seed", seed=secrets.seed.hex())
        elif view["phase"] == "OPENING" and cards is not None and not given["mau_binh"]["opened"][seat]:
            await self.move("open", nonce=secrets.nonce.hex(), **split(cards))

    def _spawn(self, work: Any) -> None:  # noqa: ANN401 - a coroutine
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        is_late = isinstance(error, RefusedCommandError) and self.is_steady
        if error is not None and not isinstance(error, ConnectionClosed) and not is_late:
            self.failures.append(error)
            self._notify()

    def _notify(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


async def play_anything(player: Player, view: View) -> None:
    """Play a whole round of any game, each step once."""
    given = view["round"]
    if view["phase"] != "PLAYING":
        return
    round_id = given["round_id"]
    if "mau_binh" in given:
        await _arrange(player, view)
    elif "tien_len" in given:
        game = given["tien_len"]
        if game.get("turn") == given["you"] and player.once(round_id, len(game["played"]), len(game["trick"])):
            best = max([one["cards"] for one in game["legal"]["plays"]], key=len, default=None)
            name, cards = ("pass", {}) if best is None else ("play", {"cards": best})
            await player.ask(name, round_id=round_id, **cards)
    elif "legal" in given["ultimate_texas"] and player.once(round_id, given["ultimate_texas"]["street"]):
        decision = "CHECK" if "CHECK" in given["ultimate_texas"]["legal"] else "PLAY_1X"
        await player.ask("decide", round_id=round_id, decision=decision)


async def _arrange(player: Player, view: View) -> None:
    given = view["round"]
    round_id, game = given["round_id"], given["mau_binh"]
    if game["sign_now"] and player.once(round_id, "sign_now"):
        if view["sealed"]:
            commitment = player.commitment(view, player.arrangements[round_id])
            await player.ask("commit", round_id=round_id, commitment=commitment)
        else:
            await player.ask("arrange", round_id=round_id, **game["arrangement"])
    elif not player.once(round_id, "arrange"):
        return
    elif view["sealed"]:
        cards = player.arrangements[round_id] = await player.suggested(view)
        await player.ask("commit", round_id=round_id, commitment=player.commitment(view, cards))
    else:
        suggestions = (await player.ask("suggest", round_id=round_id))["suggestions"]
        await player.ask("arrange", round_id=round_id, **suggestions[0]["arrangement"])
