"""Who paid whom and why, line by line, and the total.

Every line is a transfer of the settled round under the ruleset's own name for its reason; the nets are sums
that the referee's answer already has, and are shown beside.
"""

from collections.abc import Mapping
from typing import Any, Final

from rich.text import Text

from referee_terminal.faces import row
from referee_terminal.shedding import Look
from referee_terminal.words import text_of

HOUSE: Final = 255


def names_of(last: Mapping[str, Any], look: Look) -> dict[int, str]:
    """Return the names by seat, the house included."""
    named = {seat: str(one["name"]) for seat, one in enumerate(last.get("seats") or ()) if one}
    return {**named, HOUSE: look.say("house")}


def session_of(person: Mapping[str, Any], look: Look) -> str:
    """Return how many rounds a person has played and won in the room, with the best and the worst of them."""
    stats = person.get("stats") or {}
    if not stats.get("rounds"):
        return ""
    best, worst = f"{stats['best_minor']:+,}", f"{stats['worst_minor']:+,}"
    return look.say("stats", rounds=stats["rounds"], won=stats["won"], best=best, worst=worst)


def draw(last: Mapping[str, Any], look: Look) -> Text:
    """Draw a finished round: how it ended, each seat's cards and net, every transfer."""
    text, names = Text(), names_of(last, look)
    text.append(f"{look.say('round', number=last['number'])} · {look.say(str(last['end']))}\n\n", "bold")
    for seat, one in enumerate(last.get("seats") or ()):
        if not one or "net_minor" not in one:
            continue
        net = int(one["net_minor"])
        style = "green" if net > 0 else "red" if net < 0 else ""
        text.append(f"{names[seat]:<14} ")
        text.append(f"{net:>+10,}  ", style)
        notes = [text_of(one.get("instant_win_name"), look.language)]
        notes += [look.say("fouled")] if one.get("fouled") else []
        notes += [text_of(value.get("name"), look.language) for value in one.get("values") or ()]
        notes += [text_of(one[key].get("name"), look.language) for key in ("value",) if one.get(key)]
        notes += [text_of(one.get("result_name"), look.language)]
        text.append(" · ".join(note for note in notes if note), "dim")
        text.append("\n")
        cards = one.get("hole") or one.get("left") or ()
        if cards:
            text.append(" " * 15)
            text.append_text(row(cards, four_colours=look.four_colours))
            text.append("\n")
    if last.get("house"):
        text.append(f"{names[HOUSE]:<14} {last.get('house_net_minor', 0):>+10,}  ")
        text.append_text(row(last["house"], four_colours=look.four_colours))
        qualified = look.say("qualifies" if last.get("house_qualified") else "not_qualified")
        given = [text_of((last.get("house_value") or {}).get("name"), look.language), qualified]
        text.append(f"  {' · '.join(one for one in given if one)}\n", "dim")
    if last.get("board"):
        text.append(f"{look.say('board'):<14} {'':>10}  ")
        text.append_text(row(last["board"], four_colours=look.four_colours))
        text.append("\n")
    text.append("\n")
    transfers = last.get("transfers") or ()
    for one in transfers:
        reason = text_of(one.get("reason_name", one.get("reason")), look.language)
        subject = text_of(one.get("subject_name"), look.language)
        text.append(
            look.say(
                "pays",
                payer=names.get(one["payer"], one["payer"]),
                payee=names.get(one["payee"], one["payee"]),
                amount=f"{one['amount_minor']:,}",
                reason=f"{reason} ({subject})" if subject else reason,
            )
            + "\n"
        )
    if last.get("pairs"):
        text.append(f"\n{look.say('between_two')}: ", "dim")
        pairs = [f"{names[one['payer']]} → {names[one['payee']]} {one['amount_minor']:,}" for one in last["pairs"]]
        text.append(" · ".join(pairs) + "\n", "dim")
    if last["end"] == "SETTLED" and not transfers:
        text.append(look.say("nobody_pays") + "\n", "dim")
    return text
