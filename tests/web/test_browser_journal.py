"""A page's round goes on after a reload, from the journal in its browser's IndexedDB."""

from typing import Any, Final

import pytest

from tests.web.test_browser import Reached, browser, client, page, reached

__all__ = ["browser", "client", "page", "reached"]

_CLIENT: Final = """
  const { BrowserJournal, connect } = await import("referee-client");
  const journal = new BrowserJournal();
  const client = connect(base, { journal });
"""
BEGIN: Final = f"""async ({{ base, table }}) => {{{_CLIENT}
  const game = client.mauBinh({{ table, ruleset: "mau_binh.classic", seats: 2, stake: 100 }});
  await game.open();
  await game.deal();
  const over = await game.isOver();
  const hand = game.hands.get(0);
  if (!over) {{
    await game.arrange(0, {{ back: hand.slice(0, 5), middle: hand.slice(5, 10), front: hand.slice(10) }});
  }}
  return {{ over, hand: [...hand], unfinished: await client.unfinished() }};
}}"""
GO_ON: Final = f"""async ({{ base, table, over }}) => {{{_CLIENT}
  const game = await client.resume(table);
  const hand = game.hands.get(1);
  if (!over) {{
    await game.arrange(1, {{ back: hand.slice(0, 5), middle: hand.slice(5, 10), front: hand.slice(10) }});
  }}
  const {{ outcome }} = await game.settle();
  await game.reveal();
  const net = outcome.seats.map((seat) => Number(seat.netMinor));
  return {{ hand: [...game.hands.get(0)], net, unfinished: await client.unfinished() }};
}}"""


@pytest.mark.slow("drives a browser")
def test_a_reloaded_page_resumes_its_round_from_its_browser(page: Any, reached: Reached) -> None:  # noqa: ANN401
    """The first seat has arranged before the reload and the second does after it; then nothing is kept any more."""
    place = {"base": reached.gateway, "table": "journal-1"}
    begun = page.evaluate(BEGIN, place)
    assert begun["unfinished"] == ["journal-1"]
    page.reload()
    ended = page.evaluate(GO_ON, place | {"over": begun["over"]})
    assert (ended["hand"], sum(ended["net"]), ended["unfinished"]) == (begun["hand"], 0, [])
