"""Frontends that play real rounds of the three games while things break, and remember every answer.

Each plays at tables of its own, one or two rounds a table, by the short path or with commitments, with receipts or on
its own word. A settlement that was answered is asked for again now and then and must be the same.
"""

import random
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Final, Self

import grpc

from referee.cards import Seat
from referee.dealing.commitment import client_commitment
from referee.rulesets import load_builtin
from referee.v1 import (
    log_pb2,
    mau_binh_pb2,
    money_pb2,
    shuffler_pb2,
    tien_len_pb2,
    ultimate_texas_pb2,
)
from tests.chaos.ledger import Ledger, status_of
from tests.chaos.retrying import CHANNEL, Retrying
from tests.driver.messages import request_of, round_of, terms_of
from tests.service.advised import open_cards, suggested_event
from tests.service.courses import take
from tests.service.house import as_dealt
from tests.service.opening import deal_round, open_round, opening
from tests.service.stubs import Stubs

RULESETS: Final = ("mau_binh.classic", "tien_len.mien_nam", "ultimate_texas.casino")
_BET_UNITS: Final = {ruleset.id: ruleset.bet_unit for ruleset in load_builtin()}
_STAKE: Final = 1000
_ASK_AGAIN: Final = 0.25


class UnlawfulError(Exception):
    """The referee found fault with a round that was played by its own words; the codes of the faults."""


class Frontend(Stubs):
    """One caller on one channel."""

    def __init__(self, channel: grpc.Channel, ledger: Ledger, *, name: str, luck: random.Random) -> None:
        super().__init__(channel)
        self._ledger = ledger
        self._luck = luck
        self._name = name
        self._tables = 0

    def play(self, ruleset: str = "") -> None:
        """One or two rounds at a new table; grpc.RpcError where one was given up."""
        self._tables += 1
        ruleset = ruleset or self._luck.choice(RULESETS)
        table, game = f"{self._name}-{self._tables}", ruleset.partition(".")[0]
        plays: dict[str, Callable[[Any, shuffler_pb2.DealRoundResponse], None]] = {
            "mau_binh": self._play_mau_binh,
            "tien_len": self._play_tien_len,
            "ultimate_texas": self._play_ultimate_texas,
        }
        play, stub = plays[game], getattr(self, game)
        seats = self._luck.choice((2, 3))
        for number in range(1, self._luck.choice((1, 1, 2)) + 1):
            opened, dealt = self._deal(table, number, ruleset, seats)
            message = round_of(game, header=opened.header, certificates=[dealt.certificate])
            play(message, dealt)
            request = request_of(game, "SettleRound", round=message)
            settled = _lawful(stub.SettleRound(request))
            acknowledged = self._ledger.acknowledge("SETTLE", table, number, settled.log_receipt)
            self._ledger.settle(acknowledged, game, request)
            if self._luck.random() < _ASK_AGAIN:
                again = stub.SettleRound(request).log_receipt
                if (again.leaf, again.leaf_index) != (acknowledged.leaf, acknowledged.index):
                    self._ledger.fault(f"round {number} of {table} was settled twice")
        self._ledger.see(self.checkpoint())
        self.log.GetTableRound(log_pb2.GetTableRoundRequest(table_id=table))

    def _deal(
        self, table: str, number: int, ruleset: str, seats: int
    ) -> tuple[shuffler_pb2.OpenRoundResponse, shuffler_pb2.DealRoundResponse]:
        stakes = [money_pb2.SeatStake(bet_minor=_STAKE)] * seats if ruleset.startswith("ultimate") else []
        terms = terms_of(
            table,
            round={"table_id": table, "round_number": number},
            ruleset_id=ruleset,
            seat_count=seats,
            stake_minor=_BET_UNITS[ruleset] if stakes else _STAKE,
            seat_stakes=stakes,
        )
        seeds = [self._luck.randbytes(32) for _ in range(seats)]
        request = opening(terms)
        if self._luck.random() < 0.5:
            prepared = self.shuffler.PrepareRound(shuffler_pb2.PrepareRoundRequest(terms=terms))
            commitments = [
                client_commitment(round_id=prepared.round_id, seat=Seat(seat), seed=seed)
                for seat, seed in enumerate(seeds)
            ]
            request = opening(prepared.header, commitments=commitments)
        opened = open_round(self.shuffler, request)
        self._ledger.acknowledge("OPEN", table, number, opened.log_receipt)
        dealt = deal_round(self.shuffler, opened, seeds)
        self._ledger.acknowledge("DEAL", table, number, dealt.log_receipt)
        return opened, dealt

    def _accept(self, game: str, message: Any, event: Any) -> Any:  # noqa: ANN401 - a round and an event of any game
        """Have an event accepted, and keep it; return the answer, or None if the event is late."""
        accepted = getattr(self, game).AcceptEvent(request_of(game, "AcceptEvent", round=message, event=event))
        if _is_late(accepted):
            return None
        take(message, _lawful(accepted).event, receipt=accepted.receipt)
        return accepted

    def _play_mau_binh(self, message: mau_binh_pb2.MauBinhRound, dealt: shuffler_pb2.DealRoundResponse) -> None:
        if not self.mau_binh.PreviewRound(request_of("mau_binh", "PreviewRound", round=message)).violations:
            return  # an instant win has ended it
        has_receipts = self._luck.random() < 0.5
        for hand in dealt.hands:
            event = mau_binh_pb2.MauBinhEvent(seat=hand.seat, arrange=as_dealt(hand.cards))
            if not has_receipts:
                event.time = dealt.dealt_time
                message.events.append(event)
            elif self._accept("mau_binh", message, event) is None:
                break  # what is in counts

    def _play_tien_len(self, message: tien_len_pb2.TienLenRound, dealt: shuffler_pb2.DealRoundResponse) -> None:
        while (event := suggested_event(self.advice, message)) is not None:
            if self._luck.random() < 0.2 and self._accept("tien_len", message, event) is not None:
                continue
            event.time = max([dealt.dealt_time, *(one.time for one in message.events[-1:])])
            message.events.append(event)  # late where the turn began at a time reported long ago

    def _play_ultimate_texas(
        self, message: ultimate_texas_pb2.UltimateTexasRound, _dealt: shuffler_pb2.DealRoundResponse
    ) -> None:
        state = self.ultimate_texas.PreviewRound(request_of("ultimate_texas", "PreviewRound", round=message)).state
        while state.HasField("turn"):
            seat = state.seats[state.turn]
            decision = self._luck.choice(list(seat.legal_decisions))
            event = ultimate_texas_pb2.UltimateTexasEvent(seat=seat.seat, decision=decision)
            accepted = self._accept("ultimate_texas", message, event)
            if accepted is None:
                event.decision = ultimate_texas_pb2.DECISION_TIMEOUT
                accepted = self._accept("ultimate_texas", message, event)
            state = accepted.state
            if accepted.HasField("opens_section"):
                section = open_cards(self.shuffler, message)
                name, slot = f"UNSEAL {len(message.events)}", message.header.round
                self._ledger.acknowledge(name, slot.table_id, slot.round_number, section.log_receipt)


def _is_late(answer: Any) -> bool:  # noqa: ANN401 - answers of any game
    """Whether an event came after its clock had run out, as behind a server that was frozen."""
    return bool(answer.violations) and {one.code for one in answer.violations} == {"DEADLINE_PASSED"}


def _lawful(answer: Any) -> Any:  # noqa: ANN401 - answers of any game
    if answer.violations and not getattr(answer, "event_number", 0):  # an accepted event may have warnings
        raise UnlawfulError(", ".join(sorted({one.code for one in answer.violations})))
    return answer


class Load:
    """Frontends at work until the block ends, ``each`` so many an address."""

    def __init__(
        self, ledger: Ledger, addresses: Sequence[str], *, each: int = 4, retry_seconds: float = 90.0, name: str = "t"
    ) -> None:
        self._ledger = ledger
        self._stop = threading.Event()
        self._hurry = threading.Event()
        self._channels: list[grpc.Channel] = []
        self._threads: list[threading.Thread] = []
        for number, address in enumerate([one for one in addresses for _ in range(each)]):
            raw = grpc.insecure_channel(address, CHANNEL)
            retrying = Retrying(ledger, seconds=retry_seconds, stop=self._hurry, seed=number)
            luck = random.Random(f"{name} {number}")  # noqa: S311 - what is played, never a deal
            frontend = Frontend(grpc.intercept_channel(raw, retrying), ledger, name=f"{name}{number}", luck=luck)
            self._channels.append(raw)
            self._threads.append(threading.Thread(target=self._play, args=(frontend,), daemon=True))

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Finish the running rounds, or abandon them if no server answers."""
        self._stop.set()
        end = time.monotonic() + 30
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))
        self._hurry.set()
        end = time.monotonic() + 90
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))
            if thread.is_alive():
                self._ledger.fault("a caller never came back")
        for channel in self._channels:
            channel.close()

    def more(self, rounds: int, *, within: float = 120.0) -> bool:
        """Whether so many more rounds were settled in this time; said as a fault where not."""
        end, before = time.monotonic() + within, len(self._ledger.settled)
        while len(self._ledger.settled) < before + rounds:
            if time.monotonic() > end:
                self._ledger.fault(f"only {len(self._ledger.settled) - before} rounds in {within:.0f} s")
                return False
            time.sleep(0.05)
        return True

    def _play(self, frontend: Frontend) -> None:
        while not self._stop.is_set():
            try:
                frontend.play()
            except grpc.RpcError as error:
                self._ledger.abandon(status_of(error))
                self._stop.wait(0.05)
            except UnlawfulError as error:
                self._ledger.ended("", f"VIOLATION/{error}", seconds=0)
                self._ledger.abandon(f"VIOLATION/{error}")
            except Exception as error:  # noqa: BLE001 - a frontend that fails got an unexpected answer
                self._ledger.fault(f"a frontend fell over: {error!r}")
                return
