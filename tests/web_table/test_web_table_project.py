"""The page as a project: built from its sources, few bytes to the first board, a folder a game, two languages."""

import json
import re
import sys
from pathlib import Path
from typing import Final

import pytest

from referee.games import GAMES
from tests import node_project
from tests.table.table_process import WEB
from tests.table.test_table_words import named_games
from tests.web_table.web_table_guest import RULESETS, Guest

LARGEST: Final = 130_000
"""Bytes over the wire to the first board, headers and all."""
SRC: Final = WEB / "src"
SHARED: Final = SRC / "words" / "words.ts"
LISTS: Final = {path.parent.name: path.parent / "words.ts" for path in sorted(SRC.glob("*/game.ts"))}
"""The words of each game, by its folder."""
MOST_TEXTS: Final = 270
"""Texts of a language, of all games together."""
VIETNAMESE: Final = re.compile("[ăâđêôơưàảãáạằẳẵắặầẩẫấậèẻẽéẹềểễếệìỉĩíịòỏõóọồổỗốộờởỡớợùủũúụừửữứựỳỷỹýỵ]", re.IGNORECASE)


def files(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every file by its path in the folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def words(path: Path) -> dict[str, tuple[str, str]]:
    """Return the strings of a list of words, Vietnamese and English, by their keys."""
    text = path.read_text(encoding="utf-8")
    literal = r'"((?:[^"\\]|\\.)*)"'
    entries = re.findall(rf"^  (\w+): \[\s*{literal},\s*{literal},?\s*\],$", text, re.MULTILINE)
    assert 0 < len(entries) == len(re.findall(r"^  \w+: \[", text, re.MULTILINE)) == len({key for key, _, _ in entries})
    return {key: (vietnamese, english) for key, vietnamese, english in entries}


def users() -> dict[str, set[str]]:
    """Return the folders of the page whose sources have each literal, by the literal; those of attributes aside."""
    folders: dict[str, set[str]] = {}
    for path in [*SRC.rglob("*.svelte"), *SRC.rglob("*.ts")]:
        if path not in {SHARED, *LISTS.values()}:
            for literal in re.findall(r"(?<![=\w])[\"'](\w+)[\"']", path.read_text(encoding="utf-8")):
                folders.setdefault(literal, set()).add(path.relative_to(SRC).parts[0])
    return folders


@pytest.mark.slow("builds or checks a Node project")
def test_committed_page_is_what_its_sources_build_and_its_own_checks_and_tests_pass(tmp_path: Path) -> None:
    if why := node_project.install(WEB):
        pytest.skip(f"the page is not built again: {why}")
    for command in (("build", "--", "--outDir", str(tmp_path / "dist")), ("check",), ("test",)):
        done = node_project.run(WEB, "npm", "run", *command)
        assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    assert files(tmp_path / "dist") == files(WEB / "dist")
    sources = [path.read_text("utf-8") for path in sorted((WEB / "test").glob("*.test.ts"))]
    written = sum(len(re.findall(r"^test\(", source, re.MULTILINE)) for source in sources)
    assert int(re.findall(r"^# pass (\d+)$", done.stdout, re.MULTILINE)[0]) >= written > 0


@pytest.mark.slow("drives a browser")
def test_few_bytes_reach_the_first_board(table, invite, record_property) -> None:
    """As Chromium counts what came over the wire, from the door to the first cards that are arranged, streams aside."""
    guest: Guest = invite("Lan")
    session = guest.page.context.new_cdp_session(guest.page)
    received: list[int] = []
    session.send("Network.enable")
    session.on("Network.loadingFinished", lambda event: received.append(int(event["encodedDataLength"])))
    guest.host(table.url, RULESETS["mau_binh"], bots=1)
    guest.deal()
    record_property("bytes to the first board", sum(received))
    sys.stdout.write(f"bytes to the first board: {sum(received)}\n")
    assert len(received) > 3
    assert 0 < sum(received) <= LARGEST


def test_packages_are_pinned_and_their_licences_are_in_the_page() -> None:
    package = json.loads((WEB / "package.json").read_text(encoding="utf-8"))
    versions = {**package["dependencies"], **package["devDependencies"]}
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in versions.values())
    lock = json.loads((WEB / "package-lock.json").read_text(encoding="utf-8"))
    assert all("resolved" not in entry for entry in lock["packages"].values())
    notices = (WEB / "dist" / "licenses.md").read_text(encoding="utf-8")
    named = re.findall(r"^## (\S+) - (\S+) \((\S+)\)$", notices, re.MULTILINE)
    assert {(name, version) for name, version, _ in named} >= {*package["dependencies"].items()}
    assert {licence for _, _, licence in named} == {"MIT"}
    assert notices.count("Permission is hereby granted") == len(named)


def test_every_text_is_in_two_languages_and_used_where_it_is_listed() -> None:
    """A game's list has what its folder alone uses; the shared one has no key of one game, and no key twice."""
    folders, shared = users(), words(SHARED)
    assert LISTS.keys() == set(GAMES)
    lists = {game: words(path) for game, path in LISTS.items()}
    for key, texts in [*shared.items(), *(entry for listed in lists.values() for entry in listed.items())]:
        assert all(text.strip() for text in texts), key
        assert len({tuple(sorted(re.findall(r"\{(\w+)\}", text))) for text in texts}) == 1, key
    assert [key for key in shared if not folders.get(key) or folders[key] <= {"words"}] == []
    assert [key for key in shared if len(folders[key]) == 1 and folders[key] <= lists.keys()] == []
    for game, listed in lists.items():
        assert [key for key in listed if game not in folders.get(key, ())] == []
        assert listed.keys() & shared.keys() == set()
    assert len(shared) + sum(map(len, lists.values())) <= MOST_TEXTS


def test_words_are_those_that_players_say_and_stand_in_the_lists_alone() -> None:
    """What is a translation, or has another word here, is not said again. Components have labels of languages alone."""
    said = "\n".join(pair[0] for path in (SHARED, *LISTS.values()) for pair in words(path).values()).lower()
    for gone in ("niêm phong", "hạt của", "lá trong sổ", "byte", "sức máy", "thối", "lịch sử"):
        assert gone not in said, gone
    promises = (SRC / "proof" / "promises.ts").read_text(encoding="utf-8")
    assert not re.search(r"(?<!cửa )\b(sổ|hạt)\b|\bcheck\b", said + promises.partition("export")[2])
    for path in SRC.rglob("*.svelte"):
        comments = re.compile(r"/\*.*?\*/|//.*?$|<!--.*?-->|Tiếng Việt|Ngôn ngữ / Language", re.DOTALL | re.MULTILINE)
        assert not VIETNAMESE.search(comments.sub("", path.read_text(encoding="utf-8"))), path
    for path in (SRC / "cards").glob("*.svelte"):
        assert "<text" not in path.read_text(encoding="utf-8"), "a card looks the same whatever fonts are installed"


def test_a_game_is_a_folder_with_one_registration_and_nothing_else_names_it() -> None:
    """The list of games finds registrations by their place; nothing else reaches into a game's folder."""
    sources = [path for path in SRC.rglob("*") if path.is_file()]
    assert len(sources) > 80
    for path in sources:
        folder = path.relative_to(SRC).parts[0]
        text = path.read_text("utf-8")
        assert named_games(text) <= {folder} & GAMES.keys(), path
        assert set(re.findall(r'from "\.{1,2}/(\w+)/', text)) & GAMES.keys() <= {folder}, path
