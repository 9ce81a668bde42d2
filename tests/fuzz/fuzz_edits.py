"""The strategy that draws edits of a log's tree."""

import contextlib
import copy
from typing import Any, Final

from hypothesis import strategies as st

from tests.fuzz.fuzz_changes import Edit, Path, Tree, apply, at, places
from tests.fuzz.fuzz_log import DOCUMENTS, NOTES, build
from tests.fuzz.fuzz_signers import STRANGERS

LARGEST: Final = 2**53 - 1
ODD: Final[tuple[Any, ...]] = (
    *(0, 1, -1, 53, 255, 256, 2**32, LARGEST, LARGEST + 1, -LARGEST, 2**70, 1.5, True, None),
    *(
        "",
        "x",
        "TIMEOUT",
        "LEAVE",
        "DEALT",
        "OPERATOR",
        "00" * 32,
        "FF" * 32,
        "00" * 64,
        "ệ",
        "\x7f",
        "log",
        "0" * 8_200,
    ),
    *([], {}, [0], [[]], [1, 1], ["", ""], {"seat": 0}, [0, 1], [3, 2, 1]),
)
"""Values put in the place of others."""
NAMES: Final = ("another", "seen", "seat", "sealed", "leader", "opens_section", "nonce", "leader_by", "receipt")
SECTIONS: Final = (*["leaves"] * 5, *DOCUMENTS, *NOTES, "log_receipts", "seeds", "exports")
"""Members of a tree that edits change, the leaves most often."""


@st.composite
def edits_of(draw: st.DrawFn, tree: Tree) -> list[Edit]:
    """Draw one to four edits of a tree, each of the tree that the former left."""
    edits: list[Edit] = []
    for _ in range(draw(st.sampled_from((1, 1, 1, 2, 2, 3, 4)))):
        edit = draw(_edit(tree))
        edits += edit
        tree = apply(tree, edit)
    return edits


@st.composite
def _edit(draw: st.DrawFn, tree: Tree) -> list[Edit]:
    """Draw one edit, sometimes with the request that what follows from it be derived again."""
    kind = draw(st.integers(0, 19))
    filled = [name for name in SECTIONS if tree.get(name)]
    if kind == 0:
        return [draw(_whole(tree))]
    if kind == 19:
        return [["set", ["bundle"], draw(_bundle(tree))]]
    section = draw(st.sampled_from(filled))
    place = draw(st.integers(0, len(tree[section]) - 1))
    if kind == 1:
        other = draw(st.integers(0, len(tree[section]) - 1))
        path = [section, place]
        return [draw(st.sampled_from((["del", path], ["dup", path], ["move", path, [section, other]])))]
    leaf = tree[section][place]
    if kind in (2, 3) and isinstance(leaf, dict):
        return [draw(_envelope([section, place], leaf))]
    inside = [section, place, "payload"] if isinstance(leaf, dict) and "payload" in leaf else [section, place]
    found = places(at(tree, inside), tuple(inside)) or [inside]
    path = draw(st.sampled_from(found))
    edit = draw(_splice(tree, path)) if kind in (4, 5) else draw(_value(path, at(tree, path)))
    follows = section == "leaves" and isinstance(leaf, dict) and draw(st.integers(0, 2)) > 0
    return [edit, ["set", [section, place, "follows"], 1]] if follows else [edit]


@st.composite
def _whole(draw: st.DrawFn, tree: Tree) -> Edit:
    """Draw an edit of what is said of the whole log."""
    now, size = tree["now"], draw(st.integers(0, len(tree["leaves"]) + 1))
    times = (0, now - 10**7, now - 121_000, now - 1, now + 61_000, now + 10**10)
    edits = (
        ["set", ["now"], draw(st.sampled_from(times))],
        ["set", ["checkpoint", "size"], size],
        ["set", ["checkpoint", "patches"], [draw(_patch())]],
        ["set", ["tiles"], [draw(_file_edit())] if draw(st.booleans()) else []],
        ["set", ["witnessed"], [{"size": size, "lines": [["log.example/1", "log.example/1"]]}]],
        ["copy", ["checkpoint"], ["outgrown", 0]],
    )
    return draw(st.sampled_from(edits))


@st.composite
def _bundle(draw: st.DrawFn, tree: Tree) -> Tree:
    """Draw a round whose bundle is verified, and an edit of that."""
    spec: Tree = {"round": draw(st.integers(0, 3)), "edits": []}
    if draw(st.integers(0, 3)):
        bundle: Tree = {}
        with contextlib.suppress(Exception):  # of an edited log there may be none
            bundle = build(tree | {"bundle": spec})["bundle"]
        if found := places(bundle):
            path = draw(st.sampled_from(found))
            spec["edits"].append(draw(_value(path, at(bundle, path))))
    return spec


@st.composite
def _patch(draw: st.DrawFn) -> list[Any]:
    """Draw bytes to leave out and to put in at an offset."""
    text = draw(st.sampled_from(("", "00", "20", "22", "5c", "ff", "41", "0a", "5b" * 300, "7b7d", "31")))
    return [draw(st.integers(0, 3_000)), draw(st.sampled_from((0, 0, 1, 1, 2, 40, 5_000))), text]


@st.composite
def _file_edit(draw: st.DrawFn) -> list[Any]:
    if draw(st.integers(0, 4)) == 0:
        return [draw(st.integers(0, 1))]
    return [draw(st.integers(0, 2)), *draw(_patch())]


@st.composite
def _envelope(draw: st.DrawFn, path: Path, leaf: Tree) -> Edit:  # noqa: PLR0911 - a line a member
    """Draw an edit of an envelope around its payload, of a note or of a log receipt."""
    name = draw(
        st.sampled_from(("by", "type", "signature", "patches", "payload_patches", "size", "lines", "root", "index"))
    )
    if name in ("patches", "payload_patches"):
        return ["set", [*path, name], [draw(_patch())]]
    if name == "by":
        return ["set", [*path, name], draw(st.sampled_from((*STRANGERS, "")))]
    if name == "type":
        kinds = ("open", "deal", "unseal", "settle", "abort", "reveal", "key", "start", "certificate", "event", "odd")
        return ["set", [*path, name], f"application/vnd.referee.{draw(st.sampled_from(kinds))}.v1+json"]
    if name in ("size", "index") and name in leaf:
        return ["set", [*path, name], draw(st.integers(-1, 30))]
    if name == "lines" and name in leaf:
        line = [*path, name, draw(st.integers(0, 2))]
        return draw(st.sampled_from((["del", line], ["dup", line], draw(_value([*line, 2], 1_700_000_000)))))
    if name == "root":
        return ["set", [*path, name], "ab" * 32]
    return draw(st.sampled_from((["set", [*path, "by"], ""], ["set", [*path, "signature"], "00" * 64])))


@st.composite
def _splice(draw: st.DrawFn, tree: Tree, path: Path) -> Edit:
    """Draw a copy of, or an exchange with, the value of the same name, or another of the same type, elsewhere."""
    value = at(tree, path)
    found = [one for one in places(tree["leaves"], ("leaves",)) if one != path]
    named = [one for one in found if one[-1] == path[-1] and type(at(tree, one)) is type(value)]
    is_named = bool(named) and draw(st.booleans())
    alike = named if is_named else [one for one in found if type(at(tree, one)) is type(value)]
    if not alike:
        return ["del", path]
    other = draw(st.sampled_from(alike))
    return ["swap", path, other] if draw(st.integers(0, 2)) == 0 else ["copy", other, path]


@st.composite
def _value(draw: st.DrawFn, path: Path, value: object) -> Edit:
    """Draw an edit of one value by what it is."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.sampled_from((["del", path], ["dup", path], ["set", path, draw(st.sampled_from(ODD))])))
    if isinstance(value, int):
        steps = (1, -1, 1_000, -1_000, 121_000, -121_000)
        near = (*[value + step for step in steps], value * 2, -value, 1 - value)
        return ["set", path, draw(st.sampled_from(near) | st.integers(0, 60))]
    if isinstance(value, str):
        if not value:
            return ["set", path, draw(st.sampled_from(("0", "00" * 32, "00" * 64, "A")))]
        place = draw(st.integers(0, len(value) - 1))
        other = value[:place] + draw(st.sampled_from("0123456789abcdefXZ+/=")) + value[place + 1 :]
        return ["set", path, draw(st.sampled_from((other, other, other, value[:-1], value + "0", value.upper(), "")))]
    if isinstance(value, list):
        last = [*path, len(value)]
        ends = [["set", path, value[1:]], ["set", path, value[:-1]], ["set", path, value[::-1]], ["set", path, []]]
        grown = [["set", last, copy.deepcopy(value[0])]] if value else [["set", last, draw(st.sampled_from(ODD))]]
        return draw(st.sampled_from(ends + grown))
    return ["set", [*path, draw(st.sampled_from(NAMES))], draw(st.sampled_from(ODD))]
