"""The rules of a ruleset as a page shows them, written from its data: a house's variant as well.

Sections in reading order, each of rows with a label and a value in both languages; a row may have example cards.
"""

from collections.abc import Sequence
from typing import Any, Final

from referee_table.games import GAMES
from referee_table.glossary import terms
from referee_table.laws import Law
from referee_table.rows import row, section, sentence
from referee_table.sentences import Data, Text, say

MOST_FEATURES: Final = 3
"""How many differences the sentence of a ruleset names."""
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
    written = [(feature(data), feature) for feature in GAMES[data["game"]].features]
    apart = [text for text, feature in written if len({feature(one)["en"] for one in alike}) > 1]
    chosen = (apart or [text for text, _ in written])[:MOST_FEATURES]
    if not chosen:
        return None
    return {language: sentence("; ".join(one[language] for one in chosen)) for language in ("vi", "en")}


def rules_of(law: Law) -> dict[str, Any]:
    """Return the rules of a law as pages read them."""
    sections = [one for one in GAMES[law.game].sections(law) if one["rows"]]
    given: dict[str, Any] = {"sections": [*sections, _clocks(law)]}
    given["terms"] = [
        {"code": code, "name": say(one["vi"], one["en"]), "means": one["means"]}
        for code, one in terms(law.game, GAMES[law.game].glossary).items()
    ]
    return given | ({"differs": law.shown["differs"]} if "differs" in law.shown else {})


def _clocks(law: Law) -> dict[str, Any]:
    clocks = dict(law.data.get("clocks", {})) | ({"turn": law.data["turn"]} if "turn" in law.data else {})
    rows = [
        row(_CLOCKS.get(name, say(name, name)), say(f"{one['seconds']} giây", f"{one['seconds']} s"))
        for name, one in clocks.items()
        if "seconds" in one
    ]
    return section("CLOCKS", say("Đồng hồ", "Clocks"), rows)
