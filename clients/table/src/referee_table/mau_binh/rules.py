"""The rules of Mậu Binh as a page shows them, written from the data of a ruleset."""

from typing import Any, Final

from referee_table import sentences
from referee_table.laws import Law
from referee_table.rows import commission, instant_wins, joined, ladder, row, said, section, units
from referee_table.sentences import say

CHI: Final = "chi"


def sections(law: Law) -> list[dict[str, Any]]:
    """Return the sections of the rules of a ruleset."""
    data = law.data
    values = [
        row(joined(law.name("category", one["category"]), law.name("chi", one["chi"])), units(one["units"], CHI))
        for one in data["values"]["special"]
    ]
    others = row(say("Mọi chi khác", "Any other chi"), units(data["values"]["ordinary"], CHI))
    four_aces = data["four_aces_sweep"]
    extra = [row(law.name("reason", "FOUR_ACES_SWEEP"), units(four_aces["units"], CHI))] if "units" in four_aces else []
    return [
        section(
            "AIM",
            say("Cách chơi", "The game"),
            [
                row(
                    say("Mười ba lá", "Thirteen cards"),
                    say(
                        "xếp thành chi đầu 5 lá, chi giữa 5 lá, chi cuối 3 lá, mạnh đến yếu",
                        "are arranged as a back of five, a middle of five and a front of three, strong to weak",
                    ),
                ),
                row(say("So bài", "Showdown"), say("từng chi với từng nhà", "chi by chi, with each other seat")),
            ],
        ),
        ladder(law),
        section("VALUES", say("Giá trị chi thắng", "What a won chi is worth"), [*values, *extra, others]),
        section(
            "SWEEPS",
            say("Sập, lủng, thoát", "Sweeps, fouls, leaving"),
            [
                row(law.name("reason", "SWEEP"), sentences.sweep(data)),
                row(law.name("reason", "FOUL"), sentences.foul(data)),
                row(say("thoát bàn", "leaving"), sentences.leaving(data)),
                *said(law, "WINNER_SWEEP", sentences.winner_sweep(data)),
            ],
        ),
        instant_wins(law, CHI),
        commission(law, CHI),
    ]
