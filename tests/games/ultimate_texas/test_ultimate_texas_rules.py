"""What the two files say, and which house variants are refused."""

import re
from fractions import Fraction

import msgspec
import pytest

from referee.cards import HOUSE, Seat, parse_cards
from referee.games import DealError, RoundNotOverError, play
from referee.games.ultimate_texas import GAME, Decision, Event, State, UltimateTexasRules, ViolationCode, begin, settle
from referee.games.ultimate_texas.rules import HandRule
from referee.games.ultimate_texas.stakes import check_stakes, max_units
from referee.money import AmountError
from referee.rulesets import Language, Ruleset, RulesetError, get, load_texts, parse_ruleset
from referee.verdict import Violation
from tests.builtin import rules_as
from tests.games.rounds import open_texas, texas_deal


def _variant(ruleset: Ruleset, old: str, new: str) -> Ruleset:
    """Change one place of the ruleset's file."""
    text = ruleset.source.decode()
    assert text.count(old) == 1, "the test names one place of the file"
    return parse_ruleset(text.replace(old, new).encode(), file="house.toml")


def test_rulesets_differ_in_the_hand_rule_alone(casino: Ruleset, two_plus_three: Ruleset):
    one, other = rules_as(UltimateTexasRules, casino), rules_as(UltimateTexasRules, two_plus_three)
    assert (one.hands.rule, other.hands.rule) == (HandRule.BEST_OF_SEVEN, HandRule.TWO_PLUS_THREE)
    tables = [name for name in UltimateTexasRules.__struct_fields__ if name != "hands"]
    assert [getattr(one, name) for name in tables] == [getattr(other, name) for name in tables]
    assert casino.names == two_plus_three.names
    assert (casino.bet_unit, two_plus_three.bet_unit) == (2, 2)


def test_paytables_are_those_of_the_seed(casino: Ruleset):
    """Read from the seed's table, strong to weak: Trips 50 40 30 8 7 4 3, Blind 500 50 10 3 3:2 1."""
    rules = rules_as(UltimateTexasRules, casino)
    assert list(rules.trips_units.values()) == [50, 40, 30, 8, 7, 4, 3]
    blind = [(500, 1), (50, 1), (10, 1), (3, 1), (3, 2), (1, 1)]
    assert blind == [tuple(ratio) for ratio in rules.blind_ratios.values()]
    line = re.compile(r"\| ([^|]+) \| (\d+) : 1 \| (?:(\d+) : (\d)|\N{EN DASH}) \|")
    quoted = [line.fullmatch(row.quote) for row in rules.trips]
    assert all(quoted), "each row quotes its line of the sheet's table"
    assert [match and f"{match[2]}/1" for match in quoted] == [row.odds for row in rules.trips]
    paid = [match for match in quoted if match and match[3]]
    assert [f"{match[3]}/{match[4]}" for match in paid] == [row.odds for row in rules.blind]


def test_most_a_seat_can_win_is_what_a_royal_flush_after_4x_pays(casino: Ruleset):
    """Play 4, Ante 1, Blind 500: 505 Antes, so 1,010 for each bet unit of 2. Trips 50."""
    most = max_units(rules_as(UltimateTexasRules, casino), bet_unit=2)
    assert most == (1_010, 50)
    state = _played(casino, [(2, 1)], [Event(Seat(0), Decision.PLAY_4X, 1)])
    over = _opened(state, ("AS KS",), "2H 2C", "QS JS TS 2D 3C")
    assert most.ante + most.trips == sum(one.amount for one in settle(over).transfers)


def test_most_a_seat_can_lose_counts_where_little_is_paid(casino: Ruleset):
    """Without paytables a seat wins 5 Antes at most and loses 6."""
    text = re.sub(r"\[\[(blind|trips)\]\]\n(\w+ = .*\n)+", "", casino.source.decode())
    text = text.replace("bet_unit = 2", "bet_unit = 2\nblind = []\ntrips = []")
    rules = rules_as(UltimateTexasRules, parse_ruleset(text.encode(), file="house.toml"))
    assert max_units(rules, bet_unit=2) == (12, 1)
    assert rules.most_antes == 6


def test_without_a_blind_table_a_seat_wins_its_play_bet_and_ante_at_most(casino: Ruleset):
    """At 5:1 on the play bet a seat wins 20 Antes and its Ante; the Blind pushes and adds nothing."""
    text = re.sub(r"\[\[blind\]\]\n(\w+ = .*\n)+", "", casino.source.decode()).replace(
        "bet_unit = 2", "bet_unit = 2\nblind = []"
    )
    table = text.index("[play]")
    text = text[:table] + text[table:].replace('odds = "1/1"', 'odds = "5/1"', 1)
    assert rules_as(UltimateTexasRules, parse_ruleset(text.encode(), file="house.toml")).most_antes == 21


def test_stakes_below_nothing_leave_others_no_more_to_bet(casino: Ruleset):
    """The largest Ante that one seat may bet: 2^53 - 1 over 1,010 for each bet unit of 2."""
    rules, largest = rules_as(UltimateTexasRules, casino), (2**53 - 1) // 1_010 * 2

    def codes(*stakes: tuple[int, int]) -> list[str]:
        found = check_stakes(rules, seat_count=len(stakes), stake=2, seat_stakes=stakes, bet_unit=2)
        return [fault.code for fault in found]

    assert codes((largest, 0)) == []
    assert codes((largest + 2, 0)) == ["STAKES_TOO_HIGH"]
    assert codes((largest, 0), (2, 0)) == ["STAKES_TOO_HIGH"]
    assert codes((largest, 0), (0, 0)) == ["ANTE_TOO_LOW"]
    assert codes((largest + 2, 0), (-2, 0)) == ["ANTE_TOO_LOW", "STAKES_TOO_HIGH"]
    assert codes((largest, 20), (2, -20)) == ["TRIPS_TOO_LOW", "STAKES_TOO_HIGH"]


def test_knobs_are_data(two_plus_three: Ruleset):
    """A house that plays 4x alone before the flop, qualifies with three of a kind and pays 2:1 on a flush."""
    house = _variant(two_plus_three, "multiples = [3, 4]", "multiples = [4]")
    house = _variant(house, '[qualifying]\ncategory = "PAIR"', '[qualifying]\ncategory = "THREE_OF_A_KIND"')
    house = _variant(house, 'odds = "3/2"', 'odds = "2/1"')
    refused = play(
        GAME, begin(rules_as(UltimateTexasRules, house), texas_deal([(2, 0)])), [Event(Seat(0), Decision.PLAY_3X, 0)]
    )
    assert [violation.code for violation in refused.violations] == [ViolationCode.PLAY_NOT_OFFERED]
    state = _played(house, [(2, 0)], [Event(Seat(0), Decision.PLAY_4X, 0)])
    outcome = settle(_opened(state, ("AH 3H",), "QD JS", "5H 9H KH QC 2D"))
    assert not outcome.house_qualifies
    assert [(one.reason, one.amount) for one in outcome.transfers] == [("BLIND", 4), ("PLAY", 8)]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("minimum = 1", "minimum = 0", "Expected `int` >= 1"),
        ("maximum = 6", "maximum = 7", "Expected `int` <= 6"),
        ("minimum = 1\nmaximum = 6", "minimum = 3\nmaximum = 2", "seats.minimum 3 is more than seats.maximum 2"),
        ('order = "ANY"', 'order = "SOME"', "'SOME' is not allowed"),
        ("multiples = [3, 4]", "multiples = [4, 3]", "the smallest first"),
        ("multiples = [3, 4]", "multiples = [4, 4]", "once"),
        ("multiples = [2]", "multiples = []", "one at least"),
        ("multiples = [2]", "multiples = [5]", "5 is not allowed"),
        ('odds = "3/2"', 'odds = "6/4"', "lowest terms"),
        ('odds = "3/2"', 'odds = "1.5"', "are no odds"),
        ('[ante]\nodds = "1/1"', '[ante]\nodds = "1.0"', "are no odds"),
        ('odds = "3/2"', 'odds = "4/3"', "a stake of one bet_unit (2) does not pay a whole amount at 4/3"),
        ("bet_unit = 2", "bet_unit = 1", "a stake of one bet_unit (1) does not pay a whole amount at 3/2"),
        ('odds = "7/1"', 'odds = "7/2"', "Trips is any whole amount"),
        ('category = "PAIR"', 'category = "FOUR_ACES"', "qualifying names FOUR_ACES"),
        ('"ROYAL_FLUSH",\n]', "]", "blind names ROYAL_FLUSH, which the ranking does not list"),
        ('hand = "FLUSH"\nodds = "3/2"', 'hand = "STRAIGHT"\nodds = "3/2"', "once, from strong to weak"),
        ('FOLD = { vi = "bỏ bài", en = "fold" }\nTIMEOUT', "TIMEOUT", "names lacks decision.FOLD"),
        ("shortest_seconds = 90", "shortest_seconds = 89", "its clocks need 90"),
        ("[qualifying]", "[qualifying]\nkicker = 1", "unknown field `kicker`"),
        ('rule = "BEST_OF_SEVEN"', "", "missing required field `rule`"),
    ],
)
def test_contradiction_is_refused(old: str, new: str, reason: str):
    with pytest.raises(RulesetError, match=re.escape(reason)):
        _variant(get("ultimate_texas.casino"), old, new)


def test_words_say_the_facts_in_both_languages():
    texts = load_texts("ultimate_texas")
    fault = Violation(code=ViolationCode.ALREADY_PLAYED, seat=Seat(0), found=4)
    assert texts.say(fault, Language.EN) == "Seat 0 has already played 4x; it decides nothing more in this round."
    assert texts.say(fault, Language.VI) == "Ghế 0 đã tố 4x Ante, không thể tố thêm trong ván này."


def test_unfinished_round_is_not_settled(casino: Ruleset):
    state = _opened(
        begin(rules_as(UltimateTexasRules, casino), texas_deal([(2, 0)])), ("AS AH",), "KS KH", "2C 3C 4C 5D 9D"
    )
    with pytest.raises(RoundNotOverError, match="still to decide: 0"):
        settle(state)


def test_round_with_closed_cards_is_not_settled(casino: Ruleset):
    state = _played(casino, [(2, 0)] * 2, [Event(Seat(seat), Decision.PLAY_4X, 0) for seat in range(2)])
    with pytest.raises(DealError, match="sections that are not open: 0, 1, 2, 3, 4"):
        settle(state)


def _played(ruleset: Ruleset, stakes: list[tuple[int, int]], events: list[Event]) -> State:
    """Make a lawful round with no card open."""
    played = play(GAME, begin(rules_as(UltimateTexasRules, ruleset), texas_deal(stakes)), events)
    assert played.violations == ()
    return played.state


def _opened(state: State, hands: tuple[str, ...], house: str, board: str) -> State:
    opened = tuple(parse_cards(hand) for hand in hands)
    return open_texas(state, hands=opened, house=parse_cards(house), board=parse_cards(board))


def test_every_price_of_a_file_is_among_those_proved_whole(casino: Ruleset):
    """Ante 1, play bets of 1 to 4 Antes at 1:1, and the Blind's table."""
    assert list(rules_as(UltimateTexasRules, casino).payouts) == [1, 1, 2, 3, 4, 500, 50, 10, 3, Fraction(3, 2), 1]


def test_stakes_may_reach_the_largest_amount_and_no_more(casino: Ruleset):
    """With Trips at 1,001:1 an Ante and Trips exist that can win 2^53 - 1; a seat without Trips adds nothing to it."""
    rules = rules_as(UltimateTexasRules, casino)
    rules = msgspec.structs.replace(
        rules, trips=(msgspec.structs.replace(rules.trips[0], odds="1001/1"), *rules.trips[1:])
    )
    trips = next(trips for trips in range(1_010) if (2**53 - 1 - 1_001 * trips) % 1_010 == 0)
    units = (2**53 - 1 - 1_001 * trips) // 1_010

    def codes(*stakes: tuple[int, int]) -> list[str]:
        found = check_stakes(rules, seat_count=len(stakes), stake=2, seat_stakes=stakes, bet_unit=2)
        return [fault.code for fault in found]

    assert codes((2 * units, trips)) == []
    assert codes((2 * units - 2, trips), (2, 0)) == []
    assert codes((2 * units, trips + 1)) == ["STAKES_TOO_HIGH"]
    assert codes((2 * units, trips), (2, 0)) == ["STAKES_TOO_HIGH"]


def test_winners_are_the_seats_that_beat_the_house(casino: Ruleset):
    """Aces win, a low hand loses, the house's own king ties, and aces that were folded win nothing."""
    decisions = [(seat, Decision.PLAY_4X) for seat in (0, 1, 2)]
    decisions += [(3, Decision.CHECK), (3, Decision.CHECK), (3, Decision.FOLD)]
    events = [Event(Seat(seat), decision, time) for time, (seat, decision) in enumerate(decisions)]
    state = _played(casino, [(2, 0)] * 4, events)
    over = settle(_opened(state, ("AS AC", "3S 4C", "KD 2H", "AD AH"), "KH 2C", "7S 8D TC JH 5C"))
    assert [seat.result for seat in over.seats] == ["WON", "LOST", "TIED", "FOLDED"]
    assert over.winners == (0,)


def test_bet_that_would_have_to_be_rounded_is_not_paid(casino: Ruleset):
    """A flush pays 3:2 on the Blind; at an Ante of one no whole amount."""
    deal = texas_deal([(1, 0)], bet_unit=1)
    rules = rules_as(UltimateTexasRules, casino)
    state = play(GAME, begin(rules, deal), [Event(Seat(0), Decision.PLAY_4X, 0)]).state
    with pytest.raises(AmountError, match="a bet of 1 at 3/2 does not pay a whole amount"):
        settle(_opened(state, ("AS 9S",), "2H 2C", "QS JS 5S 2D 3C"))


def test_bet_of_one_pays_one(casino: Ruleset):
    deal = texas_deal([(1, 0)], bet_unit=1)
    state = play(GAME, begin(rules_as(UltimateTexasRules, casino), deal), [Event(Seat(0), Decision.PLAY_4X, 0)]).state
    outcome = settle(_opened(state, ("AS AC",), "2H 2C", "QS JS 5S 7D 3C"))
    assert [(one.payer, one.payee, one.amount) for one in outcome.transfers] == [(HOUSE, 0, 1), (HOUSE, 0, 4)]
