"""A room as one person sees it: the newest view, what this seat holds, and what the protocol asks of it by itself.

What is asked of every page is done once for each round and phase, unasked: bind, show the seed, fetch a sealed
hand, open the arrangement that the seat is bound to. It may be asked again, after a break, and is answered the same.
"""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from referee_terminal.arranging import Arrangement
from referee_terminal.faces import with_glyphs
from referee_terminal.gateway import Gateway, GatewayError
from referee_terminal.seat import Keeping, binding, commitment
from referee_terminal.session import RefusedError, Session
from referee_terminal.shedding import Hand
from referee_terminal.signing import KINDS, AlreadySignedError, Signing

View = Mapping[str, Any]
SHOWN_SECONDS: Final = 5.0
"""How long an event that was accepted is waited for in a view."""


class NotLawfulError(RuntimeError):
    """The chosen cards are not among the lawful plays."""


class Room:
    """What the terminal knows of the room it is in."""

    def __init__(self, session: Session, keeping: Keeping, gateway: Gateway | None) -> None:
        self._handing_in = asyncio.Lock()
        self._shown = asyncio.Condition()
        self.view: View = {}
        self.arrangement: Arrangement | None = None
        self.hand: Final = Hand()
        self.cards: list[str] = []
        self.is_sent = False
        self._session = session
        self._keeping = keeping
        self._gateway = gateway
        self._certificate = ""
        self._round_id = ""
        self._done: set[str] = set()
        self._doing = asyncio.Lock()

    @property
    def round(self) -> View:
        """The round being played; empty between rounds."""
        given: View = self.view.get("round") or {}
        return given

    @property
    def you(self) -> int | None:
        """The seat of who sits here; None for who watches."""
        seat: int | None = self.round.get("you")
        return seat

    @property
    def names(self) -> dict[int, str]:
        """The names by seat."""
        return {seat: str(one["name"]) for seat, one in enumerate(self.round.get("seats") or ()) if one}

    @property
    def is_on_turn(self) -> bool:
        """Whether the round waits for this seat alone or among others."""
        game, you = self.round, self.you
        if you is None or self.view.get("phase") != "PLAYING":
            return False
        if "tien_len" in game:
            return bool(game["tien_len"].get("turn") == you)
        if "ultimate_texas" in game:
            return bool(game["ultimate_texas"]["seats"][you].get("is_deciding"))
        return not self.is_sent

    @property
    def is_sealed(self) -> bool:
        """Whether the table server knows no hand here."""
        return bool(self.view.get("sealed"))

    def show(self, view: View) -> bool:
        """Whether this view is newer than what was known; it is what is known then."""
        if view.get("room") == self.view.get("room") and view.get("version", 0) <= self.view.get("version", -1):
            return False
        self.view = view
        given = self.round
        if given.get("round_id", "") != self._round_id:
            self._keeping.forget(self._round_id)
            self._round_id = str(given.get("round_id", ""))
            self._certificate, self.cards, self.arrangement, self.is_sent = "", [], None, False
            self.hand.show(())
            self._done.clear()
        if given.get("hand"):
            self._hold(given["hand"])
        mau_binh = given.get("mau_binh")
        if mau_binh and self.you is not None:
            self.is_sent = bool(mau_binh.get("is_final"))
        return True

    def _hold(self, cards: list[str]) -> None:
        self.cards = list(cards)
        if "mau_binh" in self.round and self.arrangement is None:
            self.arrangement = Arrangement(cards)
            if given := self.round["mau_binh"].get("arrangement"):  # what another tab or terminal has laid
                self.arrangement.lay(given)
        self.hand.show(cards)

    async def do_duties(self) -> None:
        """Do what the phase requires of this seat; raise RefusedError or GatewayError if that fails."""
        async with self._shown:
            self._shown.notify_all()
        async with self._doing:
            seat, given = self.you, self.round
            if seat is None or not given.get("round_id"):
                return
            kept = self._keeping.of(self._round_id)
            match self.view["phase"]:
                case "BINDING" if seat not in given.get("bound", ()):
                    bound = binding(self._round_id, seat, kept, is_sealed=self.is_sealed)
                    await self._once("bind", bound)
                case "SEEDING" if seat not in given.get("seeded", ()):
                    signed = Signing(self._keeping, given).seed(is_sealed=self.is_sealed)
                    await self._once("seed", {"seed": kept["seed"], **signed})
                case "PLAYING" if self.is_sealed and not self.cards:
                    await self._fetch(seat, str(kept["token"]))
                case "OPENING" if "bound" in kept:
                    bound_to = kept["bound"]
                    await self._once("open", {**bound_to["rows"], "nonce": bound_to["nonce"]})

    async def _once(self, name: str, fields: Mapping[str, Any]) -> None:
        if name in self._done:
            return
        self._done.add(name)
        try:
            await self.do(name, **fields)
        except RefusedError as error:
            if error.code not in {"WRONG_PHASE", "OTHER_ROUND", "TOO_LATE"}:  # others: the round went on meanwhile
                raise

    async def _fetch(self, seat: int, token: str) -> None:
        if self._gateway is None:
            msg = "no gateway"
            raise GatewayError(msg)
        certificate, cards = await self._gateway.open_hand(
            str(self.round["table"]), int(self.round["number"]), seat, token
        )
        self._certificate = certificate
        self._hold(cards)
        bound = self._keeping.of(self._round_id).get("bound")
        if bound and self.arrangement is not None:
            self.arrangement.lay(bound["rows"])

    async def check(self) -> None:
        """Ask the referee to check the arrangement as it is laid out."""
        laid = self.arrangement
        if laid is None or self.you is None:
            return
        rows = laid.rows
        if self.is_sealed:
            if self._gateway is None:
                return
            given = await self._gateway.check(self.round["header"], self._certificate, self.you, rows)
            violations = [{"text": with_glyphs(one.get("text") or {})} for one in given.get("violations", ())]
            given = {**given, "violations": violations}
        else:
            given = await self._session.command("check", round_id=self._round_id, **rows)
        if laid.rows == rows:  # it may have been changed meanwhile
            laid.given = given

    async def hand_in(self, *, is_final: bool) -> None:
        """Hand in the arrangement as it is laid out; in a sealed room, commit to it.

        One that is not final is handed in so that it counts when the time is up.
        """
        laid = self.arrangement
        if laid is None or self.you is None or self.view.get("phase") != "PLAYING":
            return
        async with self._handing_in:
            if self.is_sealed:
                bound = self._keeping.bind(self._round_id, laid.rows)
                made = commitment(self._round_id, self.you, laid.rows, bound["nonce"])
                await self.do("commit", commitment=made, is_final=is_final)
            else:
                await self.do("arrange", **laid.rows, is_final=is_final)

    async def sign(self) -> None:
        """Sign what the seat has shown, once it is due; on its way, it is not sent twice."""
        if self.is_due and not self._handing_in.locked():
            await self.hand_in(is_final=self.is_sent)

    @property
    def is_due(self) -> bool:
        """Whether a seat with a key has to sign now what it has only shown so far."""
        return bool((self.round.get("mau_binh") or {}).get("sign_now")) and self.view.get("phase") == "PLAYING"

    async def suggest(self) -> Sequence[View]:
        """Show the next suggestion, an arrangement or a play, with its reason if there is one."""
        if self.arrangement is not None:
            if not self.arrangement.has_suggestions:
                self.arrangement.take_suggestions(await self._suggested_arrangements())
            self.arrangement.lay_next()
        elif "tien_len" in self.round:
            given = (await self._session.command("suggest", round_id=self._round_id)).get("suggestions") or ()
            if given:
                self.hand.choose(given[0].get("cards") or ())
                return tuple(given[0].get("reasons") or ())
        return ()

    async def advise(self) -> Sequence[tuple[str, int]]:
        """Return each decision of Ultimate Texas Hold'em with what it is worth, the best first."""
        if not self.is_sealed:
            given = (await self._session.command("suggest", round_id=self._round_id)).get("suggestions") or ()
            return [(str(one["decision"]), int(one["value_minor"])) for one in given]
        if self._gateway is None or self.you is None:
            msg = "no gateway"
            raise GatewayError(msg)
        shown = self.round
        played = {name: shown[name] for name in ("header", "events", "receipt", "signatures") if shown.get(name)}
        played["certificates"] = [self._certificate, *shown.get("certificates", ())]
        answer = await self._gateway.advise(played, self.you)
        options = [
            (str(one["decision"]).removeprefix("DECISION_"), int(one.get("valueMinor", 0)))
            for one in answer.get("options", ())
        ]
        return sorted(options, key=lambda one: -one[1])

    async def _suggested_arrangements(self) -> list[Any]:
        if not self.is_sealed:
            given = (await self._session.command("suggest", round_id=self._round_id)).get("suggestions") or ()
            return [one.get("arrangement", one) for one in given]
        if self._gateway is None or self.you is None:
            return []
        return await self._gateway.suggest(self.round["header"], self._certificate, self.you)

    async def play(self) -> None:
        """Play the chosen cards."""
        legal = (self.round.get("tien_len") or {}).get("legal") or {}
        if self.hand.play_of(legal) is None:
            raise NotLawfulError
        await self.do("play", cards=self.hand.choice)

    async def do(self, name: str, **fields: Any) -> None:  # noqa: ANN401 - JSON
        """Send a command about this round, signed where it makes an event and the seat has a key."""
        signed = self._signed(name, fields)
        answer = await self._session.command(name, round_id=self._round_id, **fields, **signed)
        if signed and "number" in answer:
            await self._made(int(answer["number"]))

    async def _made(self, number: int) -> None:
        """Go on once a signed event is in what the seat was shown; its next signature covers it."""
        given = self.round
        if not given.get("course", {}).get("is_whole", True):
            Signing(self._keeping, given).acknowledge()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SHOWN_SECONDS), self._shown:
                await self._shown.wait_for(lambda: len(self._events()) >= number or not self._is_whole())

    def _events(self) -> Sequence[View]:
        events: Sequence[View] = self.round.get("course", {}).get("events", ())
        return events

    def _is_whole(self) -> bool:
        return bool(self.round.get("course", {}).get("is_whole"))

    def _signed(self, name: str, fields: View) -> View:
        given = self.round
        if name not in KINDS or self.you is None or "course" not in given:
            return {}
        if name in {"arrange", "commit"} and not given["mau_binh"].get("takes_signed"):
            return {}  # it is kept, and signed once it can become an event
        return Signing(self._keeping, given).move(name, fields)

    async def leave(self) -> None:
        """Leave the room, and the round where one is played."""
        fields: dict[str, Any] = {}
        if self._round_id and self.you is not None and self.view.get("phase") != "LOBBY":
            fields["round_id"] = self._round_id
            with contextlib.suppress(AlreadySignedError):  # the seat runs out of time instead
                fields |= self._signed("leave", fields)
        await self._session.command("leave", **fields)
