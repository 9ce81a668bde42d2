"""A defect in a game's law is named by function and event, and what the law may raise passes as it is."""

import dataclasses
import pickle
from types import SimpleNamespace
from typing import Any, Never

import pytest

from referee.games import GAMES, AnyGame, DealError, LawError, under_ruleset
from referee.games.law_error import guarded
from referee.games.lead import Leading

STATE = SimpleNamespace(event_count=2)


def failing(error: BaseException) -> Any:  # noqa: ANN401 - a function of a law
    """Return a function that raises this error."""

    def law(*_: object, **__: object) -> Never:
        """Fail."""
        raise error

    return law


def defect_of(name: str, *args: object) -> LawError:
    """Return the error of a guarded function that fails in its own code."""
    with pytest.raises(LawError) as caught:
        guarded(failing(ZeroDivisionError()), game="boc", name=name, lawful=(DealError,))(*args)
    return caught.value


@pytest.mark.parametrize(
    ("name", "args", "event"),
    [
        ("check", (STATE, "event"), 3),
        ("apply", (STATE, "event"), 3),
        ("needs", (STATE, "event"), 3),
        ("minimum_seen", (STATE, "event"), 3),
        ("settle", (STATE,), 2),
        ("opens", (SimpleNamespace(event_count=0), STATE), 0),
        ("begin", ("rules", STATE), 0),
        ("check", (SimpleNamespace(event_count="2"), STATE), 0),
        ("fault_kind", (), 0),
    ],
)
def test_event_is_the_one_that_the_call_is_about(name: str, args: tuple[object, ...], event: int) -> None:
    """The next one where the function gets the state before it; 0 where it gets no state."""
    error = defect_of(name, *args)
    assert (error.game, error.function, error.event, error.fault, error.ruleset) == (
        *("boc", name, event, "ZeroDivisionError"),
        "",
    )
    assert isinstance(error.__cause__, ZeroDivisionError)


def test_words_name_the_event_and_the_ruleset_where_they_are_known() -> None:
    after = "; this is a defect of the game's package, and the round is as it was"
    assert str(defect_of("settle")) == f"the law of boc failed in settle: ZeroDivisionError{after}"
    error = defect_of("settle", STATE)
    error.ruleset = "boc.classic 1.0.0"
    message = f"the law of boc failed in settle at event 2 under boc.classic 1.0.0: ZeroDivisionError{after}"
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - as the audit's processes send it
    assert (str(error), str(again)) == (message, message)
    assert error.args == ("boc", "settle", 2, "ZeroDivisionError", "")


@pytest.mark.parametrize(
    "error", [DealError("a card twice"), RecursionError(), defect_of("check"), KeyboardInterrupt()]
)
def test_what_a_law_may_raise_passes_as_it_is(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught:
        guarded(failing(error), game="boc", name="begin", lawful=(DealError,))()
    assert caught.value is error


def test_function_is_guarded_once_and_keeps_its_name() -> None:
    law = failing(KeyError())
    once = guarded(law, game="boc", name="settle", lawful=())
    assert guarded(once, game="another", name="begin", lawful=()) is once
    assert (once.__name__, once.__doc__) == ("law", "Fail.")
    assert guarded(lambda state: state, game="boc", name="settle", lawful=())("state") == "state"


def test_ruleset_is_named_by_the_block_that_knows_it_first() -> None:
    with pytest.raises(LawError) as caught, under_ruleset("boc.classic", "2"), under_ruleset("boc.house", "1"):
        raise defect_of("settle")
    assert caught.value.ruleset == "boc.house 1"


FUNCTIONS = ("check_stakes", "begin", "check", "apply", "clock", "check_closing", "settle", "encode_results")


@pytest.mark.parametrize("name", [*FUNCTIONS, "minimum_seen", "fault_kind", "groups"])
def test_each_function_of_a_game_is_guarded(name: str) -> None:
    game: AnyGame = dataclasses.replace(GAMES["tien_len"], **{name: failing(KeyError())})
    with pytest.raises(LawError, match=f"the law of tien_len failed in {name}: KeyError"):
        getattr(game, name)("any")


@pytest.mark.parametrize("name", ["opens", "unseal", "needs", "opens_at_deal"])
def test_each_function_of_later_cards_is_guarded(name: str) -> None:
    game = GAMES["mau_binh"]
    game = dataclasses.replace(game, later=dataclasses.replace(game.later, **{name: failing(KeyError())}))
    with pytest.raises(LawError, match=f"the law of mau_binh failed in {name}: KeyError"):
        getattr(game.later, name)("any", "any")


def test_each_function_of_the_lead_is_guarded() -> None:
    names = [field.name for field in dataclasses.fields(Leading)]
    game = dataclasses.replace(GAMES["tien_len"], lead=Leading(**dict.fromkeys(names, failing(KeyError()))))
    for name in names:
        with pytest.raises(LawError, match=f"the law of tien_len failed in {name}: KeyError"):
            getattr(game.lead, name)("any")
