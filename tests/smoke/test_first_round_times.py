"""The table of first rounds that the frontend authors' page prints."""

from tests.smoke.first_round_times import ROOT, WAYS, Way


def test_page_has_a_time_for_every_client_that_is_timed_and_its_counted_lines() -> None:
    page = (ROOT / "clients" / "README.md").read_text(encoding="utf-8")
    rows = [line.removeprefix("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    cells = {row[0]: row[1:3] for row in rows}
    assert len(WAYS) == 8
    assert [way.name for way in WAYS if float(cells[way.name][0]) <= 0] == []
    assert {way.name: cells[way.name][1] for way in WAYS} == {way.name: way.lines for way in WAYS}


def test_lines_are_counted_without_blank_ones_and_comments() -> None:
    program = "// a client\n\nplay(); // at once\n  /**\n   * why\n   */\nfunction play() {\n}\n# python\n"
    assert Way("one", "itself", lambda _: None, program=lambda: program).lines == "3"
    assert Way("one", "itself", lambda _: None).lines == "-"
