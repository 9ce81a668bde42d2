"""A page without a screen: it keeps its seat's secrets, binds, shows seeds, opens sealed hands, and plays by a script.

It asks the referee over gRPC where a page would ask the gateway. A player with a key signs its seed and its events.
"""

import asyncio
import hashlib
import itertools
import json
import time
from collections.abc import Callable
from typing import Any, Final, Self

import grpc
from google.protobuf.json_format import ParseDict
from referee_client import Card, SeatSecrets
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from referee.cards import parse_cards
from referee.v1 import advice_pb2, advice_pb2_grpc, mau_binh_pb2, shuffler_pb2, shuffler_pb2_grpc

TIMEOUT: Final = 120.0
AGAIN: Final = {
    *(grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.DEADLINE_EXCEEDED),
    grpc.StatusCode.RESOURCE_EXHAUSTED,  # all pages of a test are one caller to the referee
}
KINDS: Final = {"open": "ARRANGE"} | {one: one.upper() for one in ("arrange", "commit", "play", "pass", "decide")}
"""Commands that make events, and the events' kinds."""

View = dict[str, Any]
_IDS: Final = itertools.count(1)
"""Numbers of commands: a person who comes again must not ask under an old id."""


class RefusedCommandError(Exception):
    """A command that was refused, as the server worded it."""

    def __init__(self, message: View) -> None:
        super().__init__(json.dumps(message, ensure_ascii=False))
        self.message = message


def hashed(tag: str, *fields: bytes) -> bytes:
    """TH, as PROTOCOL.md has it."""
    name = b"referee/v1/" + tag.encode()
    given = bytes([len(name)]) + name + bytes([len(fields)])
    return hashlib.sha256(given + b"".join(len(field).to_bytes(4, "big") + field for field in fields)).digest()


def cards_of(texts: list[str]) -> tuple[Card, ...]:
    """Return cards by their texts."""
    return parse_cards(" ".join(texts))


def split(cards: list[str]) -> dict[str, Any]:
    """Thirteen cards as an arrangement."""
    return {"back": cards[:5], "middle": cards[5:10], "front": cards[10:]}


def asked_again(call: Callable[..., Any], request: Any) -> Any:  # noqa: ANN401 - of any message
    """Return the referee's answer; ask again while it is away, late or busy, also in the middle of the call."""
    end = time.monotonic() + TIMEOUT
    while True:
        try:
            return call(request, timeout=TIMEOUT, wait_for_ready=True)
        except grpc.RpcError as error:
            if error.code() not in AGAIN or time.monotonic() > end:
                raise
        time.sleep(0.05)


class Player:
    """One person with one tab. ``view`` is the newest view or lobby; ``seen`` are all messages.

    ``is_willing`` and ``unwilling_in`` say whether, and in which phase not, the page does what a page does unasked.
    """

    def __init__(
        self, name: str, *, secret: str = "", referee: grpc.Channel | None = None, is_keyed: bool = False
    ) -> None:
        self.name = name
        self.secret = secret or hashlib.sha256(name.encode()).hexdigest()
        self.key = hashlib.sha256(f"key of {name}".encode()).digest() if is_keyed else b""
        self.referee = referee
        self.view: View = {}
        self.welcome: View = {}
        self.seen: list[View] = []
        self.hello: View = {}
        self.closed_code: int | None = None
        self.is_willing, self.unwilling_in, self.signs = True, "", is_keyed
        self.timeout = TIMEOUT
        self.script: Callable[[Player, View], Any] | None = None
        self.arrangements: dict[str, list[str]] = {}
        self.failures: list[BaseException] = []
        self._moves: dict[str, tuple[int, bytes]] = {}
        self._answers: dict[str, asyncio.Future[View]] = {}
        self._changed = asyncio.Condition()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._done: set[tuple[str, ...]] = set()
        self._socket: ClientConnection | None = None

    async def come(self, address: str, *, room: str = "") -> Self:
        """Connect the player and wait for its first view; repeat steps that were cut off."""
        self._done.clear()
        self._socket = await connect(f"ws://{address}/api/stream", max_size=None, open_timeout=TIMEOUT)
        self.closed_code, self.view, self.seen = None, {}, []
        hello = {"type": "hello", "protocol": 1, "secret": self.secret, "name": self.name}
        key = {"seat_key": SeatSecrets.make(0, private_key=self.key).public_key.hex()} if self.key else {}
        await self.send({**hello, **key, **self.hello})
        self._spawn(self._listen(self._socket))
        view = await self.until(bool)
        if room and view["type"] == "lobby":
            await self.ask("join", room=room)
        return self

    async def go(self) -> None:
        """Cut the player's connection."""
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
        given, moves = self.view.get("round"), None
        if self.signs and given is not None and fields.get("round_id") == given["round_id"]:
            moves, signed = self._signed(given, name, fields)
            fields |= signed
        command = command or f"{name}-{next(_IDS)}"
        answer: asyncio.Future[View] = asyncio.get_running_loop().create_future()
        self._answers[command] = answer
        await self.send({"type": "command", "id": command, "name": name, **fields})
        async with asyncio.timeout(self.timeout):
            message = await answer
        if message["type"] == "refused":
            raise RefusedCommandError(message)
        result: View = message["result"]
        if moves is not None and "number" in result:
            self._moves[fields["round_id"]] = moves
        return result

    async def refused(self, name: str, **fields: Any) -> View:  # noqa: ANN401 - fields of a command
        """Return the refusal of a command; raise AssertionError if it is carried out."""
        try:
            done = await self.ask(name, **fields)
        except RefusedCommandError as error:
            return error.message
        raise AssertionError(f"{name} was done: {done}")

    async def move(self, name: str, **fields: Any) -> View:  # noqa: ANN401 - fields of a command
        """Return the result of a command about the round that is played."""
        return await self.ask(name, round_id=self.view["round"]["round_id"], **fields)

    async def until(self, holds: Callable[[View], bool]) -> View:
        """Return the first view from now on that meets the condition."""
        try:
            async with asyncio.timeout(self.timeout), self._changed:
                await self._changed.wait_for(lambda: (bool(self.view) and holds(self.view)) or bool(self.failures))
        except TimeoutError:
            msg = f"{self.name} waited in vain; the last view was {json.dumps(self.view, ensure_ascii=False)}"
            raise AssertionError(msg) from None
        if self.failures:
            raise self.failures[0]
        return self.view

    async def phase(self, name: str) -> View:
        """Return the first view from now on that is of a phase."""
        return await self.until(lambda view: view.get("phase") == name)

    async def closed(self) -> str:
        """Return the code of the server's last message."""
        async with asyncio.timeout(self.timeout), self._changed:
            await self._changed.wait_for(lambda: self.closed_code is not None)
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

    def open_hand(self, view: View) -> tuple[bytes, list[str]]:
        """Fetch the seat's own certificate and hand of a sealed round, by its token."""
        assert self.referee is not None
        given = view["round"]
        stub = shuffler_pb2_grpc.ShufflerServiceStub(self.referee)
        ref = {"table_id": given["table"], "round_number": given["number"]}
        request = shuffler_pb2.OpenHandRequest(round=ref, seat=given["you"], token=self.secrets(given).token)
        answer = asked_again(stub.OpenHand, request)
        return answer.certificate, [Card(number).text for number in answer.hand.cards]

    def commitment(self, view: View, cards: list[str]) -> str:
        """Return the seat's commitment to thirteen cards."""
        given = view["round"]
        raw = bytes.fromhex(given["round_id"])
        return self.secrets(given).arrangement_commitment(raw, cards=cards_of(cards)).hex()

    def suggested(self, view: View, certificate: bytes) -> list[str]:
        """Return the best arrangement of a sealed hand, as the gateway would suggest it."""
        assert self.referee is not None
        stub = advice_pb2_grpc.AdviceServiceStub(self.referee)
        played = mau_binh_pb2.MauBinhRound(certificates=[certificate])
        ParseDict(view["round"]["header"], played.header)
        dealt = advice_pb2.DealtHand(round=played, seat=view["round"]["you"])
        question = advice_pb2.SuggestArrangementRequest(dealt=dealt, count=1)
        best = asked_again(stub.SuggestArrangement, question).suggestions[0].arrangement
        return [Card(number).text for number in (*best.back, *best.middle, *best.front)]

    def _signed(self, given: View, name: str, fields: View) -> tuple[tuple[int, bytes] | None, View]:
        """Return the signature of a seed or an event, as PROTOCOL.md and round.proto have it.

        Before an event's is how many events the seat has with it, and the end of their chain.
        """
        secrets, raw = self.secrets(given), bytes.fromhex(given["round_id"])
        if name == "seed":
            commitment = bytes.fromhex(given["server_commitment"])
            signed = secrets.sign_seed(raw, server_commitment=commitment, is_sealed=self.view["sealed"])
            return None, {"signature": signed.hex()}
        if name not in KINDS or (name in {"arrange", "commit"} and not given["mau_binh"]["takes_signed"]):
            return None, {}
        course, hashes = given["course"], [hashed("transcript", raw, bytes.fromhex(given["course"]["deck_root"]))]
        count, move = 0, hashed("seat", hashes[0], bytes([given["you"]]))
        for number, one in enumerate(course["events"], 1):
            event = json.loads(one["event"])
            if event["seat"] == given["you"] and "seen" in event:
                count, move = count + 1, hashed("move", move, hashes[event["seen"]], one["event"].encode())
            if course["is_whole"]:
                hashes.append(hashed("event", hashes[-1], number.to_bytes(4, "big"), one["event"].encode()))
        count, move = max((count, move), self._moves.get(given["round_id"], (0, b"")))
        seen = len(hashes) - 1
        event = {"kind": KINDS[name], "seat": given["you"], "seen": seen}
        for row in ("back", "middle", "front", "cards"):
            if row in fields:
                event[row] = [card.number for card in cards_of(fields[row])]
        event |= {one: fields[one] for one in ("nonce", "commitment", "decision") if one in fields}
        move = hashed("move", move, hashes[seen], json.dumps(event, sort_keys=True, separators=(",", ":")).encode())
        return (count + 1, move), {"seen": seen, "signature": secrets.sign_move(move).hex()}

    async def _listen(self, socket: ClientConnection) -> None:
        try:
            async for data in socket:
                await self._receive(json.loads(data))
        except ConnectionClosed:
            pass
        async with self._changed:
            self.closed_code = socket.close_code
            self._changed.notify_all()

    async def _receive(self, message: View) -> None:
        self.seen.append(message)
        match message["type"]:
            case "welcome":
                self.welcome = message
            case "lobby" | "view":
                async with self._changed:
                    self.view = message
                    self._changed.notify_all()
                self._serve(message)
            case "done" | "refused":
                answer = self._answers.pop(message["id"], None)
                if answer is not None and not answer.done():
                    answer.set_result(message)

    def _serve(self, view: View) -> None:
        """Do what a page does by itself, once for each round; then the script."""
        given = view.get("round")
        if given is None or given["you"] is None:
            return
        is_asked = view["phase"] in {"BINDING", "SEEDING", "OPENING"} and view["phase"] != self.unwilling_in
        if is_asked and self.is_willing and self.once(given["round_id"], view["phase"]):
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
        given = view["round"]
        secrets, raw = self.secrets(given), bytes.fromhex(given["round_id"])
        match view["phase"]:
            case "BINDING":
                token = {"token_hash": secrets.token_hash(raw).hex()} if view["sealed"] else {}
                commitment = secrets.seed_commitment(raw).hex()
                await self.ask("bind", round_id=given["round_id"], seed_commitment=commitment, **token)
            case "SEEDING":
                await self.ask("seed", round_id=given["round_id"], seed=secrets.seed.hex())
            case _:
                cards = self.arrangements.get(given["round_id"])
                if cards is not None and not given["mau_binh"]["opened"][given["you"]]:
                    await self.ask("open", round_id=given["round_id"], nonce=secrets.nonce.hex(), **split(cards))

    def _spawn(self, work: Any) -> None:  # noqa: ANN401 - a coroutine
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if task.cancelled() or (error := task.exception()) is None or isinstance(error, ConnectionClosed):
            return
        self.failures.append(error)
        self._spawn(self._alarm())

    async def _alarm(self) -> None:
        async with self._changed:
            self._changed.notify_all()


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
        certificate, _ = await asyncio.to_thread(player.open_hand, view)
        cards = player.arrangements[round_id] = await asyncio.to_thread(player.suggested, view, certificate)
        await player.ask("commit", round_id=round_id, commitment=player.commitment(view, cards))
    else:
        suggestions = (await player.ask("suggest", round_id=round_id))["suggestions"]
        await player.ask("arrange", round_id=round_id, **suggestions[0]["arrangement"])
