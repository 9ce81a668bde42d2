"""The rules of a ruleset as a page shows them, written from its data: a house's variant as well.

Sections in reading order, each of rows with a label and a value in both languages; a row may have example cards.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from referee_table import sentences
from referee_table.glossary import GLOSSARY
from referee_table.sentences import Data, Text, say

MOST_FEATURES: Final = 3
"""How many differences the sentence of a ruleset names."""
_LADDER: Final = {
    "HIGH_CARD": "AS QD 9C 6H 3S",
    "PAIR": "KS KD 9C 6H 3S",
    "TWO_PAIR": "KS KD 9C 9H 3S",
    "THREE_OF_A_KIND": "8S 8D 8C JH 3S",
    "STRAIGHT": "5S 6D 7C 8H 9S",
    "FLUSH": "2H 6H 9H JH KH",
    "FULL_HOUSE": "QS QD QC 5H 5S",
    "FOUR_OF_A_KIND": "9S 9D 9C 9H 4S",
    "STRAIGHT_FLUSH": "5D 6D 7D 8D 9D",
    "LOW_STRAIGHT_FLUSH": "AD 2D 3D 4D 5D",
    "ROYAL_FLUSH": "TS JS QS KS AS",
    "FOUR_ACES": "AS AC AD AH 7S",
}
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
_CLOCKS: Final = {
    "ready": say("Sẵn sàng sau người đầu tiên", "To be ready after the first"),
    "arranging": say("Xếp bài", "Arranging"),
    "opening": say("Mở bài (bàn kín)", "Opening (sealed table)"),
    "showdown_chi": say("So mỗi chi", "Showing each chi"),
    "street": say("Mỗi vòng cược", "Each street"),
    "turn": say("Mỗi lượt", "Each turn"),
}


def difference(data: Data, alike: Sequence[Data]) -> Text | None:
    """Return a sentence on how a ruleset differs from those of its game, or what marks the only one."""
    written = [(feature(data), feature) for feature in sentences.FEATURES.get(data["game"], ())]
    apart = [text for text, feature in written if len({feature(one)["en"] for one in alike}) > 1]
    chosen = (apart or [text for text, _ in written])[:MOST_FEATURES]
    if not chosen:
        return None
    return {language: _sentence("; ".join(one[language] for one in chosen)) for language in ("vi", "en")}


def rules_of(law: Any) -> dict[str, Any]:  # noqa: ANN401 - a Law, which imports this module
    """Return the rules of a law as pages read them."""
    sections = [one for one in _SECTIONS.get(law.game, lambda _law: [])(law) if one["rows"]]
    given = {"ruleset": law.id, "title": law.shown["title"], "sections": [*sections, _clocks(law)]}
    given["terms"] = [
        {"code": code, "name": say(one["vi"], one["en"]), "means": one["means"]}
        for code, one in GLOSSARY["terms"].items()
        if law.game in one["games"]
    ]
    given["data"] = _bare({name: value for name, value in law.data.items() if name != "names"})
    return given | ({"differs": law.shown["differs"]} if "differs" in law.shown else {})


def _mau_binh(law: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - a Law
    data = law.data
    values = [
        _row(_joined(law.name("category", one["category"]), law.name("chi", one["chi"])), _units(one["units"]))
        for one in data["values"]["special"]
    ]
    others = _row(say("Mọi chi khác", "Any other chi"), _units(data["values"]["ordinary"]))
    four_aces = data["four_aces_sweep"]
    extra = [_row(law.name("reason", "FOUR_ACES_SWEEP"), _units(four_aces["units"]))] if "units" in four_aces else []
    return [
        _section(
            "AIM",
            say("Cách chơi", "The game"),
            [
                _row(
                    say("Mười ba lá", "Thirteen cards"),
                    say(
                        "xếp thành chi đầu 5 lá, chi giữa 5 lá, chi cuối 3 lá, mạnh đến yếu",
                        "are arranged as a back of five, a middle of five and a front of three, strong to weak",
                    ),
                ),
                _row(say("So bài", "Showdown"), say("từng chi với từng người", "chi by chi, with each other seat")),
            ],
        ),
        _ladder(law),
        _section("VALUES", say("Giá trị chi thắng", "What a won chi is worth"), [*values, *extra, others]),
        _section(
            "SWEEPS",
            say("Sập, lủng, thoát", "Sweeps, fouls, leaving"),
            [
                _row(law.name("reason", "SWEEP"), sentences.sweep(data)),
                _row(law.name("reason", "FOUL"), sentences.foul(data)),
                _row(say("thoát bàn", "leaving"), sentences.leaving(data)),
                *_said(law, "WINNER_SWEEP", sentences.winner_sweep(data)),
            ],
        ),
        _instant_wins(law),
        _commission(law),
    ]


def _tien_len(law: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - a Law
    data = law.data
    chops = [
        _row(
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
        _section(
            "AIM",
            say("Cách chơi", "The game"),
            [
                _row(
                    say("Thứ tự", "Order"), say("3 nhỏ nhất, 2 lớn nhất; ♠ < ♣ < ♦ < ♥", "3 low, 2 high; ♠ < ♣ < ♦ < ♥")
                ),
                _row(say("Đi đầu", "To lead"), sentences.lead(data)),
                _row(say("Về nhất", "To win"), say("hết bài trước", "be the first without cards")),
                _row(say("Bỏ lượt", "Passing"), say("nghỉ đến hết vòng", "sits out the rest of the trick")),
            ],
        ),
        _section(
            "KINDS",
            say("Các bộ", "What can be played"),
            [_row(law.name("kind", kind), say("", ""), cards) for kind, cards in _KINDS.items()],
        ),
        _section(
            "CHOPS", say("Chặt", "Chops"), [*chops, _row(law.name("reason", "CHOP_CHAIN"), sentences.chain(data))]
        ),
        _section("CHOP_PRICES", say("Giá chặt", "What a chop is paid"), _prices(law, data["chop_prices"])),
        _section(
            "LEFTOVERS",
            say("Thối", "Cards left"),
            [
                *_prices(law, data["leftover_prices"]),
                *_said(law, "UNTOUCHED", sentences.untouched(data)),
                *_said(law, "LEAVING", sentences.price_of_leaving(data)),
            ],
        ),
        _section(
            "THREE_OF_SPADES",
            say("3 bích", "The three of spades"),
            [
                _row(law.name("reason", name.upper()), _units(data[name]["units"]))
                for name in ("last_three_of_spades", "stopped_three_of_spades")
                if data[name].get("applies", True)
            ],
        ),
        _instant_wins(law),
        _commission(law),
        _section("TIME", say("Hết giờ", "Out of time"), [_row(say("Lượt", "Turn"), sentences.out_of_time(data))]),
    ]


def _ultimate_texas(law: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - a Law
    data = law.data
    streets = [
        _row(law.name("street", name.upper()), say(f"Play {_multiples(one)}", f"Play {_multiples(one)}"))
        for name, one in data["streets"].items()
    ]
    category = law.name("category", data["qualifying"]["category"])
    qualifying = {
        language: f"{category[language]} {word}" for language, word in (("vi", "trở lên"), ("en", "or better"))
    }
    tables = [
        _section(
            table.upper(),
            say(f"{title} trả", f"{title} pays"),
            [_row(law.name("category", one["hand"]), _odds(one["odds"])) for one in data[table]],
        )
        for table, title in (("blind", "Blind"), ("trips", "Trips"))
    ]
    return [
        _section(
            "AIM",
            say("Cách chơi", "The game"),
            [
                _row(say("Bài", "Hand"), sentences.hand_rule(data)),
                _row(say("Đối thủ", "Opponent"), say("mỗi người đấu với nhà cái", "everybody plays the house")),
                _row(say("Nhà cái đủ bài", "The house qualifies"), qualifying),
                _row(say("Ante trả", "Ante pays"), _odds(data["ante"]["odds"])),
                _row(say("Play trả", "Play pays"), _odds(data["play"]["odds"])),
            ],
        ),
        _section("STREETS", say("Các vòng", "Streets"), streets),
        _section(
            "LIMITS",
            say("Giới hạn cược", "Limits of the bets"),
            [
                _row(say(title, title), limits)
                for bet, title in (("ante", "Ante"), ("trips", "Trips"))
                if (limits := sentences.limits(data, bet))["en"]
            ],
        ),
        *tables,
        _ladder(law),
    ]


_SECTIONS: Final = {"mau_binh": _mau_binh, "tien_len": _tien_len, "ultimate_texas": _ultimate_texas}


def _ladder(law: Any) -> dict[str, Any]:  # noqa: ANN401 - a Law
    """Return the hands from the strongest down."""
    order = reversed(law.data["ranking"]["rules"]["order"])
    rows = [_row(law.name("category", one), say("", ""), _LADDER.get(one, "")) for one in order]
    return _section("LADDER", say("Thứ hạng, mạnh đến yếu", "Hands, strong to weak"), rows)


def _commission(law: Any) -> dict[str, Any]:  # noqa: ANN401 - a Law
    rows = _said(law, "COMMISSION", sentences.commission(law.data))
    return _section("COMMISSION", law.name("reason", "COMMISSION"), rows)


def _said(law: Any, reason: str, sentence: Text) -> list[dict[str, Any]]:  # noqa: ANN401 - a Law
    """Return a row for a reason to pay; none where the ruleset has no such rule."""
    return [_row(law.name("reason", reason), sentence)] if sentence["en"] else []


def _instant_wins(law: Any) -> dict[str, Any]:  # noqa: ANN401 - a Law
    rows = [_row(law.name("pattern", one["pattern"]), _units(one["units"])) for one in law.data["instant_wins"]]
    return _section("INSTANT_WINS", law.name("reason", "INSTANT_WIN"), rows)


def _clocks(law: Any) -> dict[str, Any]:  # noqa: ANN401 - a Law
    clocks = dict(law.data.get("clocks", {})) | ({"turn": law.data["turn"]} if "turn" in law.data else {})
    rows = [
        _row(_CLOCKS.get(name, say(name, name)), say(f"{one['seconds']} giây", f"{one['seconds']} s"))
        for name, one in clocks.items()
        if "seconds" in one
    ]
    return _section("CLOCKS", say("Đồng hồ", "Clocks"), rows)


def _prices(law: Any, prices: Data) -> list[dict[str, Any]]:  # noqa: ANN401 - a Law
    return [
        _row(law.name("price", name.upper()), _units(units)) for name, units in prices.items() if isinstance(units, int)
    ]


def _section(code: str, title: Text, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "code": code,
        "title": {language: _sentence(text, end="") for language, text in title.items()},
        "rows": rows,
    }


def _row(label: Text, value: Text, cards: str = "") -> dict[str, Any]:
    row: dict[str, Any] = {"label": label, "value": value}
    return row | ({"cards": cards.split()} if cards else {})


def _joined(first: Text, second: Text) -> Text:
    return say(f"{first['vi']}, {second['vi']}", f"{first['en']}, {second['en']}")


def _units(units: int) -> Text:
    return say(f"{units} cược", f"{units} stake" if units == 1 else f"{units} stakes")


def _odds(odds: str) -> Text:
    return say(odds.replace("/", " : "), odds.replace("/", " : "))


def _multiples(street: Data) -> str:
    return " / ".join(f"{one}x" for one in street["multiples"])


def _sentence(text: str, end: str = ".") -> str:
    return f"{text[:1].upper()}{text[1:]}{end}"


def _bare(value: Any) -> Any:  # noqa: ANN401 - TOML
    """Return data without where it comes from."""
    if isinstance(value, Mapping):
        return {name: _bare(one) for name, one in value.items() if name not in {"source", "quote", "reason"}}
    return [_bare(one) for one in value] if isinstance(value, list) else value
