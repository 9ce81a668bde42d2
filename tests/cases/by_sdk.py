"""The driver that plays a case by the SDK for Python, as a frontend does."""

from typing import Any

import grpc
from referee_client import Bet, Card, SeatSecrets, Terms
from referee_harness.cases.events import event_of
from referee_harness.cases.rows import Case, Step, verb_of

from referee.wire.registry import GAME_MESSAGES
from tests.driver.client_over import client_over


class SdkRound:
    """A round of a case, played by the SDK, which verifies every answer."""

    number = 0

    def __init__(self, case: Case, table: str, channel: grpc.Channel) -> None:
        self.case, self.table = case, table
        self._opened: dict[int, list[int]] = {}
        head = case.head
        terms = Terms(
            table=table,
            ruleset=head["ruleset"],
            seats=case.seats,
            currency=head.get("currency", "CHIP"),
            stake=head["stake"],
            bets=[Bet(*bet) for bet in head.get("bets", ())],
        )
        self._secrets = [SeatSecrets.make(seat, keyed=bool(head.get("keyed"))) for seat in range(case.seats)]
        self.round = client_over(channel).game(case.game, terms, secrets=self._secrets)

    @property
    def dealt_time(self) -> int:
        """Time of the deal."""
        return self.round.dealt_time

    @property
    def header(self) -> Any:  # noqa: ANN401 - a header of a round message
        """The round's header."""
        return self.round.message.header

    def act(self, step: Step) -> Any:  # noqa: ANN401, C901 - an answer of each verb
        """Do what a step says by the SDK's method for it."""
        played = self.round
        match verb_of(step):
            case "open":
                played.open(sealed=bool(self.case.head.get("sealed")))
                self.number = played.number
            case "deal":
                played.deal()
            case "hand":
                self._opened[step["hand"]] = [card.number for card in played.open_hand(step["hand"])]
            case "accept":
                return played.accept_event(self._event(step["accept"]))
            case "check":
                return self._check(step["check"])
            case "ask":
                return played.ask(step["ask"])
            case "preview":
                return played.preview()
            case "settle":
                return self._settle()
            case "abort":
                played.abort()
            case "reveal":
                played.reveal()
            case _:
                pass
        return None

    def _event(self, text: str) -> Any:  # noqa: ANN401 - an event of the game
        hands = self._opened | {seat: [card.number for card in cards] for seat, cards in self.round.hands.items()}
        own = [_Own(secrets, self.round.round_id) for secrets in self._secrets]
        kind = type(self.round.event())
        return event_of(kind, text, lambda seat: hands[seat], seat_secrets=own.__getitem__)

    def _check(self, text: str) -> Any:  # noqa: ANN401 - an answer of the game
        event = self._event(text)
        if self.case.game == "mau_binh":
            return self.round.ask("CheckArrangement", seat=event.seat, arrangement=event.arrange)
        return self.round.ask("CheckPlay" if self.case.game == "tien_len" else "CheckDecision", event=event)

    def _settle(self) -> Any:  # noqa: ANN401 - an answer of the game
        """Settle, and return the answer's message; the SDK has replayed the round by the rules."""
        settled = self.round.settle()
        assert settled.violations or settled.is_replayed
        answer = GAME_MESSAGES[self.case.game].responses["SettleRound"]
        return answer(violations=settled.violations, outcome=settled.outcome)


class _Own:
    """What an event needs of a seat's secrets."""

    def __init__(self, secrets: SeatSecrets, round_id: bytes) -> None:
        self._secrets, self._round_id, self.nonce = secrets, round_id, secrets.nonce

    def commitment(self, numbers: list[int]) -> bytes:
        """Commit to thirteen cards."""
        cards = [Card(number) for number in numbers]
        return self._secrets.arrangement_commitment(self._round_id, cards=cards)
