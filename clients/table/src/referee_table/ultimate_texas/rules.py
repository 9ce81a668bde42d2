"""The rules of Ultimate Texas Hold'em as a page shows them, written from the data of a ruleset."""

from typing import Any

from referee_table import sentences
from referee_table.laws import Law
from referee_table.rows import ladder, multiples, odds, row, section
from referee_table.sentences import say


def sections(law: Law) -> list[dict[str, Any]]:
    """Return the sections of the rules of a ruleset."""
    data = law.data
    streets = [
        row(law.name("street", name.upper()), say(f"Play {multiples(one)}", f"Play {multiples(one)}"))
        for name, one in data["streets"].items()
    ]
    category = law.name("category", data["qualifying"]["category"])
    qualifying = {
        language: f"{category[language]} {word}" for language, word in (("vi", "trở lên"), ("en", "or better"))
    }
    tables = [
        section(
            table.upper(),
            say(f"{title} trả", f"{title} pays"),
            [row(law.name("category", one["hand"]), odds(one["odds"])) for one in data[table]],
        )
        for table, title in (("blind", "Blind"), ("trips", "Trips"))
    ]
    return [
        section(
            "AIM",
            say("Cách chơi", "The game"),
            [
                row(say("Bài", "Hand"), sentences.hand_rule(data)),
                row(say("Đối thủ", "Opponent"), say("mỗi người đấu với nhà cái", "everybody plays the house")),
                row(say("Nhà cái đủ bài", "The house qualifies"), qualifying),
                row(say("Ante trả", "Ante pays"), odds(data["ante"]["odds"])),
                row(say("Play trả", "Play pays"), odds(data["play"]["odds"])),
            ],
        ),
        section("STREETS", say("Các vòng", "Streets"), streets),
        section(
            "LIMITS",
            say("Giới hạn cược", "Limits of the bets"),
            [
                row(say(title, title), limits)
                for bet, title in (("ante", "Ante"), ("trips", "Trips"))
                if (limits := sentences.limits(data, bet))["en"]
            ],
        ),
        *tables,
        ladder(law),
    ]
