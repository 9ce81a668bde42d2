"""The table of first rounds that the frontend authors' page prints."""

from tests.smoke.first_round_times import ROOT, WAYS


def test_page_has_a_time_for_every_client_that_is_timed() -> None:
    page = (ROOT / "clients" / "README.md").read_text(encoding="utf-8")
    rows = [line.split(" | ")[:2] for line in page.splitlines() if line.startswith("| ")]
    times = {name.removeprefix("| "): seconds for name, seconds in rows}
    assert len(WAYS) == 8
    assert [way.name for way in WAYS if float(times[way.name]) <= 0] == []
