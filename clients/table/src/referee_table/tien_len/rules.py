"""The rules of Tiến Lên as a page shows them, written from the data of a ruleset."""

from typing import Any, Final

from referee_table import sentences
from referee_table.laws import Law
from referee_table.rows import commission, instant_wins, prices, row, said, section, units
from referee_table.sentences import say

_KINDS: Final = {
    "SINGLE": "7D",
    "PAIR": "7S 7D",
    "TRIPLE": "7S 7C 7D",
    "RUN": "4S 5D 6C 7H",
    "PAIR_RUN_3": "4S 4D 5C 5H 6S 6D",
    "QUAD": "9S 9C 9D 9H",
    "PAIR_RUN_4": "4S 4D 5C 5H 6S 6D 7C 7H",
}

_CHOPPED: Final = {
    "TWO": say("một heo", "one two"),
    "PAIR_OF_TWOS": say("đôi heo", "a pair of twos"),
    "PAIR_RUN_3": say("3 đôi thông nhỏ hơn", "smaller three pairs in a row"),
    "QUAD": say("tứ quý nhỏ hơn", "a smaller four of a kind"),
    "PAIR_RUN_4": say("4 đôi thông nhỏ hơn", "smaller four pairs in a row"),
}


def sections(law: Law) -> list[dict[str, Any]]:
    """Return the sections of the rules of a ruleset."""
    data = law.data
    chops = [
        row(
            law.name("kind", kind.upper()),
            {
                language: ", ".join(_CHOPPED.get(one, say(one, one))[language] for one in data["chops"][kind])
                for language in ("vi", "en")
            },
        )
        for kind in data["chops"]
        if isinstance(data["chops"][kind], list)
    ]
    return [
        section(
            "AIM",
            say("Cách chơi", "The game"),
            [
                row(
                    say("Thứ tự", "Order"), say("3 nhỏ nhất, 2 lớn nhất; ♠ < ♣ < ♦ < ♥", "3 low, 2 high; ♠ < ♣ < ♦ < ♥")
                ),
                row(say("Đi đầu", "To lead"), sentences.lead(data)),
                row(say("Về nhất", "To win"), say("hết bài trước", "be the first without cards")),
                row(say("Bỏ lượt", "Passing"), say("nghỉ đến hết vòng", "sits out the rest of the trick")),
            ],
        ),
        section(
            "KINDS",
            say("Các bộ", "What can be played"),
            [row(law.name("kind", kind), say("", ""), cards) for kind, cards in _KINDS.items()],
        ),
        section("CHOPS", say("Chặt", "Chops"), [*chops, row(law.name("reason", "CHOP_CHAIN"), sentences.chain(data))]),
        section("CHOP_PRICES", say("Giá chặt", "What a chop is paid"), prices(law, data["chop_prices"])),
        section(
            "LEFTOVERS",
            say("Còn bài", "Cards left"),
            [
                *prices(law, data["leftover_prices"]),
                *said(law, "UNTOUCHED", sentences.untouched(data)),
                *said(law, "LEAVING", sentences.price_of_leaving(data)),
            ],
        ),
        section(
            "THREE_OF_SPADES",
            say("3 bích", "The three of spades"),
            [
                row(law.name("reason", name.upper()), units(data[name]["units"]))
                for name in ("last_three_of_spades", "stopped_three_of_spades")
                if data[name].get("applies", True)
            ],
        ),
        instant_wins(law),
        commission(law),
        section("TIME", say("Hết giờ", "Out of time"), [row(say("Lượt", "Turn"), sentences.out_of_time(data))]),
    ]
