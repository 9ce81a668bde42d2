"""Half of all decks given up at tables whose keys are all young: counted where everybody can see it."""

from referee.audit import Code
from referee.audit.page.text import report_lines
from referee.finding import Severity
from referee.v1 import shuffler_pb2, ultimate_texas_pb2
from tests.service.house import House

TABLES = 50


def test_decks_given_up_by_young_keys_are_noted(house: House) -> None:
    """Two rounds a table with new keys at each: the first is settled, the second lapses after a seed."""
    for number in range(TABLES):
        name = f"club.felt-{number}"
        table = house.table("ultimate_texas", seats=1, name=name).play()
        table.accept(0, decision=ultimate_texas_pb2.DECISION_PLAY_4X)
        table.open_section()
        table.settle()
        table.reveal()
        lapsed = house.table("ultimate_texas", seats=2, name=name).open()
        lapsed.contribute(0)
        house.clock.now = lapsed.header.deal_deadline_time + 1
        lapsed.abort(shuffler_pb2.ABORT_REASON_SEED_MISSING)
    report = house.audit()
    log = report.given_up.log
    assert (log.ended, log.seeded, log.given_up, log.young) == (100, 100, 50, 50)
    assert report.given_up.tenants["club"] == log
    noted = [finding for finding in report.findings if finding.severity is Severity.NOTE]
    of_many = [finding.code for finding in noted if finding.number == 71]
    assert of_many == [Code.GIVEN_UP_BY_YOUNG_KEYS] * 2 + [Code.ROUNDS_GIVEN_UP] * 2  # of the tenant and of the log
    line = "given up: 50 of 100 rounds with a seed (50.0 %), 0 by an unopened arrangement, 50 where every key was young"
    assert line in list(report_lines(report))


def test_a_table_that_gives_up_one_round_in_twenty_is_noted(house: House) -> None:
    for number in range(20):
        table = house.table("ultimate_texas", seats=1, keyed=False, name="felt").play()
        if number:
            table.accept(0, decision=ultimate_texas_pb2.DECISION_PLAY_4X)
            table.open_section()
            table.settle()
        else:
            house.clock.now = table.header.round_deadline_time + 1
            table.abort()
        table.reveal()
    (finding,) = [one for one in house.audit().findings if one.number == Code.ROUNDS_GIVEN_UP.number]
    assert (finding.code, finding.number, finding.table_id) == (Code.ROUNDS_GIVEN_UP, 71, "felt")


def test_an_arrangement_that_is_never_opened_counts_as_given_up(house: House) -> None:
    """The seat committed, saw all hands at the showdown and let its clock run out; the round settles as its foul."""
    table = house.sealed(seats=2, name="felt")
    hands = [list(table.open_hand(seat).hand.cards) for seat in range(2)]
    for seat, hand in enumerate(hands):
        table.commit(seat, hand)
    table.open_section()
    table.accept(0, **table.arrangement(0, hands[0]))
    house.clock.now += 30_000
    reported = table.ask(table.event(1, timeout=True))
    assert [(fault.code, fault.seat) for fault in reported.violations] == [("NOT_OPENED", 1)]
    assert table.settle().outcome.seats[1].fouled
    table.reveal()
    report = house.audit()
    share = report.given_up.tables["felt"]
    assert (share.ended, share.seeded, share.given_up, share.unopened, share.young) == (1, 1, 1, 1, 1)
    line = "given up: 1 of 1 rounds with a seed (100.0 %), 1 by an unopened arrangement, 1 where every key was young"
    assert line in list(report_lines(report))
