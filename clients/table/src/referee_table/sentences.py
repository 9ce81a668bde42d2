"""Sentences of a ruleset's data in both languages, for every kind that a field of it can have."""

from collections.abc import Mapping
from typing import Any

Text = dict[str, str]
Data = Mapping[str, Any]


def say(vi: str, en: str) -> Text:
    """Return a text in both languages."""
    return {"vi": vi, "en": en}


def sweep(data: Data) -> Text:
    """Say what losing all three chi costs."""
    given = data["sweep"]
    match given["kind"]:
        case "BY_EVERY_SEAT":
            times = given["multiplier"]
            return say(f"sập cả làng: trả gấp {times}", f"all three chi lost to everybody: {times} times")
        case "BETWEEN_TWO_TIMES":
            times = given["multiplier"]
            return say(f"sập 3 chi một nhà: trả gấp {times}", f"all three chi lost to a seat: {times} times")
        case "BETWEEN_TWO_PLUS":
            units = given["units"]
            return say(f"sập 3 chi một nhà: trả thêm {units} chi", f"all three chi lost to a seat: {units} more")
        case _:
            return say("không có sập", "no sweep")


def foul(data: Data) -> Text:
    """Say what a foul costs."""
    given = data["foul"]
    match given["kind"]:
        case "SWEPT":
            return say("lủng: thua cả ba chi và bị sập", "a foul loses all three chi as a sweep")
        case "LOSES_CHI":
            return say("lủng: thua cả ba chi, không tính sập", "a foul loses all three chi, without a sweep")
        case _:
            return say(
                f"lủng: đền mỗi nhà {given['units']} chi", f"a foul pays {given['units']} to every seat that did not"
            )


def leaving(data: Data) -> Text:
    """Say what leaving costs, before the show and during it."""
    before = say(
        "thoát trước khi so chi: thua cả ba chi, không tính sập", "leaving before the show loses all three chi"
    )
    if data["leaving"]["before_showdown"] == "SWEPT":
        before = say(
            "thoát trước khi so chi: thua cả ba chi và bị sập", "leaving before the show loses all three chi as a sweep"
        )
    during = say("thoát khi đang so chi: bài đã xếp vẫn tính", "leaving in the show: the arrangement still counts")
    if data["leaving"]["in_showdown"] == "LOSES_LATER_CHI":
        during = say("thoát khi đang so chi: thua các chi sau", "leaving in the show loses the chi after it")
    return say(f"{before['vi']}; {during['vi']}", f"{before['en']}; {during['en']}")


def instant_wins(data: Data) -> Text:
    """Say how many hands win at the deal and what they pay."""
    units = [one["units"] for one in data["instant_wins"]]
    if not units:
        return say("không có thắng trắng", "no instant wins")
    span = str(units[0]) if min(units) == max(units) else f"{min(units)}-{max(units)}"
    return say(f"{len(units)} kiểu thắng trắng ăn {span}", f"{len(units)} instant wins pay {span}")


def special_front(data: Data) -> Text:
    """Say what three of a kind in front is worth, the special value that players know best."""
    worth = next(
        (
            one["units"]
            for one in data["values"]["special"]
            if (one["chi"], one["category"]) == ("FRONT", "THREE_OF_A_KIND")
        ),
        data["values"]["ordinary"],
    )
    return say(f"sám chi cuối ăn {worth} chi", f"three of a kind in front wins {worth}")


def arranging(data: Data) -> Text:
    """Say how long seats arrange."""
    seconds = data["clocks"]["arranging"]["seconds"]
    return say(f"{seconds} giây xếp bài", f"{seconds} seconds to arrange")


def hand_rule(data: Data) -> Text:
    """Say which cards make a hand with a board."""
    if data["hands"]["rule"] == "TWO_PLUS_THREE":
        return say("đúng 2 lá tẩy và 3 lá chung", "exactly two hole cards and three of the board")
    return say("5 lá tốt nhất trong 7 lá", "the best five of seven cards")


def trips(data: Data) -> Text:
    """Say what the best hand pays on Trips."""
    best = data["trips"][0]["odds"].replace("/", ":")
    return say(f"Trips trả đến {best}", f"Trips pays up to {best}")


def chain(data: Data) -> Text:
    """Say who pays a chain of chops."""
    if data["chops"]["chain"] == "LAST_VICTIM_PAYS_ALL":
        return say("chặt chồng: người bị chặt cuối trả hết", "the last one chopped pays a whole chain")
    return say("chặt chồng: ai bị chặt nấy trả", "everybody chopped pays their own part of a chain")


def out_of_time(data: Data) -> Text:
    """Say what a seat does that is out of time."""
    if data["turn"]["out_of_time"] == "PASS_OR_LOWEST_SINGLE":
        return say("hết giờ: bỏ lượt, hoặc đánh lá nhỏ nhất", "out of time: passes, or leads the lowest card")
    return say("hết giờ: coi như rời bàn", "out of time: as if the seat had left")


def last_card(data: Data) -> Text:
    """Say what going out with the three of spades is worth."""
    if not data["last_three_of_spades"].get("applies", True):
        return say("3♠ như mọi lá khác", "the 3♠ is a card like any other")
    units = data["last_three_of_spades"]["units"]
    return say(f"kết 3♠ ăn {units}", f"going out with the 3♠ wins {units}")


def commission(data: Data, unit: str) -> Text:
    """Say what the house takes of what a seat won; empty where it takes nothing."""
    given = data.get("commission", {"kind": "NONE"})
    if given["kind"] == "NONE":
        return say("", "")
    part, cap = f"{given['permille'] / 10:g} %", given["cap_units"]
    return say(
        f"Nhà Cái lấy {part.replace('.', ',')} tiền thắng, làm tròn xuống, nhiều nhất {cap} {unit}",
        f"the house takes {part} of what is won, rounded down, at most {cap} stakes",
    )


def winner_sweep(data: Data) -> Text:
    """Say what winning everything from everybody is worth; empty without such a rule."""
    times = data.get("winner_sweep", {}).get("multiplier")
    if times is None:
        return say("", "")
    return say(
        f"ăn cả ba chi của mọi nhà: được gấp {times}; nhà lủng, thoát hay không mở bài đền phần đó thay nhà khác",
        f"all three chi won from everybody: paid {times} times; who fouled, left or kept the cards shut pays what that"
        " adds for the others in their place",
    )


def untouched(data: Data) -> Text:
    """Say what a loser pays that has played no card; empty without such a rule."""
    units = data.get("leftover", {}).get("untouched_units")
    if units is None:
        return say("", "")
    return say(
        f"cóng, chưa đánh lá nào: {units} cược, nếu hơn tiền còn bài",
        f"no card played: {units} stakes, where that is more than the cards left",
    )


def price_of_leaving(data: Data) -> Text:
    """Say what a seat that left pays; empty where it pays like any other."""
    times = data.get("leaving", {}).get("multiplier")
    if times is None:
        return say("", "")
    return say(
        f"rời bàn: trả gấp {times} tiền còn bài hay 3♠",
        f"a seat that left pays {times} times for cards left or the 3♠",
    )


def lead(data: Data) -> Text:
    """Say who leads where no winner does."""
    if data.get("lead", {}).get("first") == "LOWEST_CARD":
        return say(
            "người về nhất ván trước; nếu không có, ai có lá nhỏ nhất, và phải đánh lá ấy trước",
            "the last winner; without one, who was dealt the lowest card, which the first play holds",
        )
    return say("người về nhất ván trước; nếu không có thì bốc thăm", "the last winner; without one, a seat drawn")


def limits(data: Data, bet: str) -> Text:
    """Say between which amounts a bet lies; empty without limits."""
    smallest, largest = (data.get("limits", {}).get(f"{end}_{bet}") for end in ("smallest", "largest"))
    if smallest is None:
        return say("", "")
    return say(f"{smallest} đến {largest}", f"{smallest} to {largest}")
