"""The driver that plays a case by the law of its game alone: no server, no certificate, no log."""

from collections.abc import Mapping
from typing import Any, Final

from google.rpc import code_pb2
from referee_harness.cases.events import event_of, split_time
from referee_harness.cases.rows import Case, Step, verb_of

from referee.cards import Card, Seat, parse_cards
from referee.games import DealtRound, LeaderBy, play
from referee.rulesets import Catalogue, load_texts
from referee.wire.registry import GAME_MESSAGES
from referee.wire.values import write_violations

START: Final = 1_800_000_000_000


class Alone:
    """A clock, where there is no server."""

    is_harness = False

    def __init__(self) -> None:
        self._now = START

    def now(self) -> int:
        """Return the time."""
        return self._now

    def set_now(self, now: int) -> None:
        """Set the time."""
        self._now = now

    def script(self, deck: Mapping[str, Any], table: str) -> None:
        """Do nothing: the driver deals as its case says."""

    def mark(self, _: object) -> object:
        """Return the same always: nothing is written."""
        return code_pb2.OK

    def leaves(self, _: object) -> list[str]:
        """Return none: there is no log."""
        return []


def _height(card: Card) -> tuple[int, int]:
    """Return what orders cards in Tiến Lên: 3 to A, then 2, and the suits in each rank."""
    rank, suit = divmod(card.number - 1, 4)
    return (rank - 1) % 13, suit


class LawRound:
    """A round of a case whose cards are all chosen; events have the clock's time."""

    number = 0
    header = None

    def __init__(self, case: Case, table: str, world: Alone, catalogue: Catalogue) -> None:
        self.case, self.table, self._world = case, table, world
        self.messages, self.ruleset = GAME_MESSAGES[case.game], catalogue.get(case.head["ruleset"])
        self.dealt_time = world.now()
        head = case.head
        board = parse_cards(head.get("board", ""))
        self._hands = [tuple(parse_cards(hand)) for hand in head["hands"]]
        others = (parse_cards(head["house"]), board[:3], board[3:]) if board else ()
        leads, by = head.get("leader"), LeaderBy.DRAW
        if case.game == "tien_len" and leads is None:
            leads, by = (
                min(range(case.seats), key=lambda seat: min(map(_height, self._hands[seat]))),
                LeaderBy.LOWEST_CARD,
            )
        deal = DealtRound(
            seat_count=case.seats,
            stake=head["stake"],
            sections=(*self._hands, *map(tuple, others)),
            dealt_time=self.dealt_time,
            seat_stakes=tuple(tuple(bet) for bet in head.get("bets", ())),
            bet_unit=self.ruleset.bet_unit,
            leader=None if leads is None else Seat(leads),
            leader_by=None if leads is None else by,
        )
        self._game = self.messages.game
        self._begun = self._game.begin(self.ruleset.rules, deal)
        self._events: list[Any] = []

    def act(self, step: Step) -> Any:  # noqa: ANN401 - an answer of the game
        """Judge an event, or settle."""
        match verb_of(step):
            case "accept":
                return self._accept(self._event(step["accept"], self._world.now()))
            case "report":
                text, since = split_time(step["report"])
                time = self._world.now() if since is None else self.dealt_time + since
                self._events.append(self._event(text, time))
            case "check":
                return self._check(self._event(step["check"], self._world.now()))
            case "settle":
                return self._settle()
            case "ask":
                turn = play(self._game, self._begun, self._events).state.turn
                return self.messages.responses["ListPlays"](turn=turn)
            case _:
                pass
        return None

    def _event(self, text: str, time: int) -> Any:  # noqa: ANN401 - an event of the game
        def hand(seat: int) -> list[int]:
            return [card.number for card in self._hands[seat]]

        message = event_of(self.messages.event, text, hand, seat_secrets=None)
        return self.messages.read(message, time=time, round_id=bytes(32), field="event")

    def _accept(self, event: Any) -> Any:  # noqa: ANN401 - an event of the game and an answer
        played = play(self._game, self._begun, [*self._events, event])
        if not played.violations:
            self._events.append(event)
        number = 0 if played.violations else len(self._events)
        return self.messages.responses["AcceptEvent"](violations=self._written(played.violations), event_number=number)

    def _check(self, event: Any) -> Any:  # noqa: ANN401 - an event of the game and an answer
        state = play(self._game, self._begun, self._events).state
        answer = self.messages.responses["CheckPlay" if self.case.game == "tien_len" else "CheckDecision"]
        return answer(violations=self._written(self._game.check(state, event)))

    def _settle(self) -> Any:  # noqa: ANN401 - an answer of the game
        played = play(self._game, self._begun, self._events)
        violations = played.violations or self._game.check_closing(played.state, self._world.now())
        answer = self.messages.responses["SettleRound"](violations=self._written(violations))
        if not violations:
            outcome = self._game.settle(played.state)
            answer.outcome.MergeFromString(self.messages.write_outcome(outcome, played.state, self.ruleset))
        return answer

    def _written(self, violations: Any) -> Any:  # noqa: ANN401 - violations of the law and of the wire
        return write_violations(violations, load_texts(self.case.game), self.ruleset)
