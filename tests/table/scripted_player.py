"""A page without a screen: it keeps its seat's secrets, binds, shows seeds, opens sealed hands, and plays by a script.

It computes every hash by itself, from PROTOCOL.md, and asks the gateway where a page would; here the referee is asked
over gRPC in the gateway's place.
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
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from referee.v1 import advice_pb2, advice_pb2_grpc, mau_binh_pb2, shuffler_pb2, shuffler_pb2_grpc

TIMEOUT: Final = 120.0
AWAY: Final = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.DEADLINE_EXCEEDED}
BUSY: Final = grpc.StatusCode.RESOURCE_EXHAUSTED
"""So many calls of one caller are under way; all pages of a test are one caller to the referee."""
RANKS: Final = "23456789TJQKA"
SUITS: Final = "SCDH"

View = dict[str, Any]


class RefusedCommandError(Exception):
    """A command that was refused, as the server worded it."""

    def __init__(self, message: View) -> None:
        super().__init__(json.dumps(message, ensure_ascii=False))
        self.code: str = message["code"]
        self.message = message


def hashed(tag: str, *fields: bytes) -> bytes:
    """TH, as PROTOCOL.md has it."""
    name = b"referee/v1/" + tag.encode()
    given = bytes([len(name)]) + name + bytes([len(fields)])
    return hashlib.sha256(given + b"".join(len(field).to_bytes(4, "big") + field for field in fields)).digest()


def number_of(card: str) -> int:
    """Return a card's number."""
    return 4 * RANKS.index(card[0]) + SUITS.index(card[1]) + 1


def text_of(number: int) -> str:
    """Return a card's text."""
    rank, suit = divmod(number - 1, 4)
    return RANKS[rank] + SUITS[suit]


def asked_again(call: Callable[..., Any], request: Any) -> Any:  # noqa: ANN401 - of any message
    """Return the referee's answer; ask again while it is away, late or busy, also in the middle of the call."""
    end = time.monotonic() + TIMEOUT
    while True:
        try:
            return call(request, timeout=TIMEOUT, wait_for_ready=True)
        except grpc.RpcError as error:
            if error.code() not in {*AWAY, BUSY} or time.monotonic() > end:
                raise
        time.sleep(0.05)


class Player:
    """One person with one tab. ``view`` is the newest view or lobby."""

    def __init__(
        self,
        name: str,
        *,
        secret: str = "",
        language: str = "vi",
        referee: grpc.Channel | None = None,
        first_id: int = 1,
    ) -> None:
        self.name, self.language = name, language
        self.secret = secret or hashlib.sha256(name.encode()).hexdigest()
        self.referee = referee
        self.view: View = {}
        self.welcome: View = {}
        self.notices: list[str] = []
        self.notice: View = {}
        self.hello: View = {}
        self.versions: list[int] = []
        self.goodbye: str | None = None
        self.last_words: View = {}
        self.closed_code: int | None = None
        self.timeout = TIMEOUT
        self.is_willing = True
        self.unwilling_in = ""
        self.script: Callable[[Player, View], Any] | None = None
        self.watch: Callable[[View], None] | None = None
        self.on_message: Callable[[View], None] | None = None
        self.kept: dict[str, dict[str, bytes]] = {}
        self.arrangements: dict[str, list[str]] = {}
        self.failures: list[BaseException] = []
        self._ids = itertools.count(first_id)
        self._answers: dict[str, asyncio.Future[View]] = {}
        self._changed = asyncio.Condition()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._done: set[tuple[str, ...]] = set()
        self._socket: ClientConnection | None = None

    async def come(self, address: str, *, room: str = "", tab: str = "tab") -> Self:
        """Connect the player and wait for its first view; repeat steps that were cut off."""
        self._done.clear()
        self._socket = await connect(f"ws://{address}/api/stream", max_size=None, open_timeout=TIMEOUT)
        self.goodbye = self.closed_code = None
        self.view = {}
        await self.send(
            {
                "type": "hello",
                "protocol": 1,
                "secret": self.secret,
                "tab": tab,
                "name": self.name,
                "language": self.language,
                "room": room,
            }
            | self.hello
        )
        self._spawn(self._listen(self._socket))
        await self.until(bool)
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
        """Return the result of a command; raise RefusedCommandError if it is refused."""
        command = command or f"{name}-{next(self._ids)}"
        answer: asyncio.Future[View] = asyncio.get_running_loop().create_future()
        self._answers[command] = answer
        await self.send({"type": "command", "id": command, "name": name, **fields})
        async with asyncio.timeout(self.timeout):
            message = await answer
        if message["type"] == "refused":
            raise RefusedCommandError(message)
        result: View = message["result"]
        return result

    def prod(self) -> None:
        """Handle the newest view once more."""
        self._serve(self.view)

    async def refused(self, name: str, **fields: Any) -> View:  # noqa: ANN401 - fields of a command
        """Return the refusal of a command; raise AssertionError if it is carried out."""
        try:
            done = await self.ask(name, **fields)
        except RefusedCommandError as error:
            return error.message
        raise AssertionError(f"{name} was done: {done}")

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

    async def closed(self) -> str | None:
        """Return the server's last message."""
        async with asyncio.timeout(self.timeout):
            async with self._changed:
                await self._changed.wait_for(self._is_closed)
        return self.goodbye

    def _is_closed(self) -> bool:
        return self.closed_code is not None

    def own(self, what: str, round_id: str) -> bytes:
        """Return a secret of this seat in a round: "seed", "token" or "nonce"."""
        return hashlib.sha256(f"{self.secret}/{round_id}/{what}".encode()).digest()

    def open_hand(self, view: View) -> tuple[bytes, list[str]]:
        """Fetch the seat's own certificate and hand of a sealed round, by its token."""
        assert self.referee is not None
        given = view["round"]
        stub = shuffler_pb2_grpc.ShufflerServiceStub(self.referee)
        request = shuffler_pb2.OpenHandRequest(
            round={"table_id": given["table"], "round_number": given["number"]},
            seat=given["you"],
            token=self.own("token", given["round_id"]),
        )
        answer = asked_again(stub.OpenHand, request)
        return answer.certificate, [text_of(card) for card in answer.hand.cards]

    def commitment(self, view: View, cards: list[str]) -> str:
        """Return the seat's commitment to thirteen cards."""
        given = view["round"]
        numbers, nonce = bytes([number_of(card) for card in cards]), self.own("nonce", given["round_id"])
        round_id = bytes.fromhex(given["round_id"])
        return hashed("arrange", round_id, bytes([given["you"]]), numbers, nonce).hex()

    def suggested(self, view: View, certificate: bytes) -> list[str]:
        """Return the best arrangement of a sealed hand, as the gateway would suggest it."""
        assert self.referee is not None
        stub = advice_pb2_grpc.AdviceServiceStub(self.referee)
        played = mau_binh_pb2.MauBinhRound(certificates=[certificate])
        ParseDict(view["round"]["header"], played.header)
        dealt = advice_pb2.DealtHand(round=played, seat=view["round"]["you"])
        question = advice_pb2.SuggestArrangementRequest(dealt=dealt, count=1)
        answer = asked_again(stub.SuggestArrangement, question)
        best = answer.suggestions[0].arrangement
        return [text_of(card) for card in (*best.back, *best.middle, *best.front)]

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
        if self.on_message is not None:
            self.on_message(message)
        match message["type"]:
            case "welcome":
                self.welcome = message
            case "lobby" | "view":
                async with self._changed:
                    self.view = message
                    self.versions.append(message.get("version", 0))
                    if self.watch is not None and message["type"] == "view":
                        self.watch(message)
                    self._changed.notify_all()
                self._serve(message)
            case "done" | "refused":
                answer = self._answers.pop(message["id"], None)
                if answer is not None and not answer.done():
                    answer.set_result(message)
            case "notice":
                self.notices.append(message["code"])
                self.notice = message
            case "goodbye":
                self.goodbye, self.last_words = message["code"], message

    def _serve(self, view: View) -> None:
        """Do what a page does by itself, once for each round; then the script."""
        given = view.get("round")
        if given is not None and given["you"] is not None and self.is_willing and view["phase"] != self.unwilling_in:
            key = (given["round_id"], view["phase"])
            if view["phase"] in {"BINDING", "SEEDING", "OPENING"} and key not in self._done:
                self._done.add(key)
                self._spawn(self._answer_phase(view))
        if self.script is not None and given is not None and given["you"] is not None:
            self._spawn(self._follow(view))

    async def _answer_phase(self, view: View) -> None:
        given = view["round"]
        round_id, seat = given["round_id"], bytes([given["you"]])
        match view["phase"]:
            case "BINDING":
                raw = bytes.fromhex(round_id)
                fields = {"seed_commitment": hashed("client-commit", raw, seat, self.own("seed", round_id)).hex()}
                if view["sealed"]:
                    fields["token_hash"] = hashed("seat-token", raw, seat, self.own("token", round_id)).hex()
                await self.ask("bind", round_id=round_id, **fields)
            case "SEEDING":
                await self.ask("seed", round_id=round_id, seed=self.own("seed", round_id).hex())
            case _:
                cards = self.arrangements.get(round_id)
                parts = {} if cards is None else split(cards)
                if parts and not given["mau_binh"]["opened"][given["you"]]:
                    await self.ask("open", round_id=round_id, nonce=self.own("nonce", round_id).hex(), **parts)

    async def _follow(self, view: View) -> None:
        assert self.script is not None
        await self.script(self, view)

    def _spawn(self, work: Any) -> None:  # noqa: ANN401 - a coroutine
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            error = task.exception()
            if isinstance(error, ConnectionClosed):
                return
            assert error is not None
            self.failures.append(error)
            self._spawn(self._alarm())

    async def _alarm(self) -> None:
        async with self._changed:
            self._changed.notify_all()


def split(cards: list[str]) -> dict[str, Any]:
    """Thirteen cards as an arrangement."""
    return {"back": cards[:5], "middle": cards[5:10], "front": cards[10:]}


async def play_anything(player: Player, view: View) -> None:
    """Make a script that plays a whole round of any game, each step once."""
    given = view["round"]
    if view["phase"] != "PLAYING":
        return
    if "mau_binh" in given:
        await _arrange(player, view)
    elif "tien_len" in given:
        await _play(player, view)
    else:
        await _decide(player, view)


def once(player: Player, *key: Any) -> bool:  # noqa: ANN401 - what names the step
    """Whether a step is done for the first time."""
    name = tuple(map(str, key))
    if name in player._done:  # noqa: SLF001 - of the same file
        return False
    player._done.add(name)  # noqa: SLF001 - of the same file
    return True


async def _arrange(player: Player, view: View) -> None:
    given = view["round"]
    round_id = given["round_id"]
    if given["mau_binh"]["sign_now"] and once(player, round_id, "sign_now"):
        if view["sealed"]:
            cards = player.arrangements[round_id]
            await player.ask("commit", round_id=round_id, commitment=player.commitment(view, cards))
        else:
            await player.ask("arrange", round_id=round_id, **given["mau_binh"]["arrangement"])
        return
    if not once(player, given["round_id"], "arrange"):
        return
    if not view["sealed"]:
        suggestions = (await player.ask("suggest", round_id=given["round_id"]))["suggestions"]
        await player.ask("arrange", round_id=given["round_id"], **suggestions[0]["arrangement"])
        return
    certificate, _ = await asyncio.to_thread(player.open_hand, view)
    cards = await asyncio.to_thread(player.suggested, view, certificate)
    player.arrangements[given["round_id"]] = cards
    await player.ask("commit", round_id=given["round_id"], commitment=player.commitment(view, cards))


async def _play(player: Player, view: View) -> None:
    given = view["round"]
    game = given["tien_len"]
    if game.get("turn") != given["you"] or not once(player, given["round_id"], len(game["played"]), len(game["trick"])):
        return
    legal = game["legal"]
    if legal["may_pass"] and not legal["plays"]:
        await player.ask("pass", round_id=given["round_id"])
    else:
        best = max(legal["plays"], key=lambda one: len(one["cards"]))
        await player.ask("play", round_id=given["round_id"], cards=best["cards"])


async def _decide(player: Player, view: View) -> None:
    given = view["round"]
    game = given["ultimate_texas"]
    if "legal" not in game or not once(player, given["round_id"], game["street"]):
        return
    wanted = "CHECK" if "CHECK" in game["legal"] else "PLAY_1X"
    await player.ask("decide", round_id=given["round_id"], decision=wanted)
