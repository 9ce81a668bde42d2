"""The page as a project: its build is current, few bytes reach the first board, two languages, pinned packages."""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.web_table.web_table_guest import RULESETS, Guest
from tests.web_table.web_table_packages import WEB, installed, run

LARGEST: Final = 130_000
"""Bytes over the wire to the first board, headers and all."""
SOURCES: Final = WEB / "src"
SHARED_LISTS: Final = [SOURCES / "words" / "words.ts"]
GAME_LISTS: Final = sorted(path.parent / "words.ts" for path in SOURCES.glob("*/game.ts"))
MOST_TEXTS: Final = 270
"""Texts of a language, of all games together."""
VIETNAMESE: Final = re.compile("[ăâđêôơưàảãáạằẳẵắặầẩẫấậèẻẽéẹềểễếệìỉĩíịòỏõóọồổỗốộờởỡớợùủũúụừửữứựỳỷỹýỵ]", re.IGNORECASE)


@pytest.fixture(scope="module")
def npm() -> str:
    """Install the project's pinned packages and return the path of npm; skip if that is not possible."""
    return installed("the page is not built again")


def files(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every file by its path in the folder."""
    found = {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    assert found
    return found


def words(lists: Sequence[Path]) -> dict[str, tuple[str, str]]:
    """Return the strings of some lists of words, Vietnamese and English, by their keys."""
    text = "".join(path.read_text(encoding="utf-8") for path in lists)
    literal = r'"((?:[^"\\]|\\.)*)"'
    entries = re.findall(rf"^  (\w+): \[\s*{literal},\s*{literal},?\s*\],$", text, re.MULTILINE)
    assert entries
    assert len(entries) == len(re.findall(r"^  \w+: \[", text, re.MULTILINE))
    assert len(entries) == len({key for key, _, _ in entries})
    return {key: (vietnamese, english) for key, vietnamese, english in entries}


def users() -> dict[str, set[str]]:
    """Return the folders of the page whose sources have each literal, by the literal; those of attributes aside."""
    folders: dict[str, set[str]] = {}
    for path in [*SOURCES.rglob("*.svelte"), *SOURCES.rglob("*.ts")]:
        if path not in SHARED_LISTS + GAME_LISTS:
            for literal in re.findall(r"(?<![=\w])[\"'](\w+)[\"']", path.read_text(encoding="utf-8")):
                folders.setdefault(literal, set()).add(path.relative_to(SOURCES).parts[0])
    return folders


@pytest.mark.slow("builds or checks a Node project")
def test_committed_page_is_what_its_sources_build(npm: str, tmp_path: Path) -> None:
    built = run(npm, "run", "build", "--", "--outDir", str(tmp_path / "dist"))
    assert built.returncode == 0, built.stdout + built.stderr
    assert files(tmp_path / "dist") == files(WEB / "dist")


@pytest.mark.slow("builds or checks a Node project")
def test_type_check_and_formatting_pass(npm: str) -> None:
    checked = run(npm, "run", "check")
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.slow("builds or checks a Node project")
def test_unit_tests_of_the_page_pass(npm: str) -> None:
    """Each file of ``test`` is run: one that named none of its tests would be a test that nobody runs."""
    files_of_tests = sorted((WEB / "test").glob("*.test.ts"))
    written = sum(len(re.findall(r"^test\(", path.read_text("utf-8"), re.MULTILINE)) for path in files_of_tests)
    tested = run(npm, "test")
    assert tested.returncode == 0, tested.stdout[-5000:] + tested.stderr[-5000:]
    assert int(re.findall(r"^# pass (\d+)$", tested.stdout, re.MULTILINE)[0]) >= written > 0


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


def test_packages_are_pinned_and_from_no_named_registry() -> None:
    package = json.loads((WEB / "package.json").read_text(encoding="utf-8"))
    versions = {**package["dependencies"], **package["devDependencies"]}
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in versions.values())
    lock = json.loads((WEB / "package-lock.json").read_text(encoding="utf-8"))
    assert all("resolved" not in entry for entry in lock["packages"].values())


def test_licences_of_all_bundled_packages_are_in_the_page() -> None:
    """The page's script holds code of each package that it depends on, so their notices go where it goes."""
    package = json.loads((WEB / "package.json").read_text(encoding="utf-8"))
    notices = (WEB / "dist" / "licenses.md").read_text(encoding="utf-8")
    named = re.findall(r"^## (\S+) - (\S+) \((\S+)\)$", notices, re.MULTILINE)
    assert {(name, version) for name, version, _ in named} >= {*package["dependencies"].items()}
    assert {licence for _, _, licence in named} == {"MIT"}
    assert notices.count("Permission is hereby granted") == len(named)


def test_every_string_has_both_languages_with_the_same_placeholders() -> None:
    strings = [string for path in (*SHARED_LISTS, *GAME_LISTS) for string in words([path]).items()]
    for key, (vietnamese, english) in strings:
        assert vietnamese.strip(), key
        assert english.strip(), key
        holes = [sorted(re.findall(r"\{(\w+)\}", text)) for text in (vietnamese, english)]
        assert holes[0] == holes[1], key


def test_every_string_is_used() -> None:
    folders = users()
    assert [key for key in words(SHARED_LISTS) if key not in folders] == []
    for path in GAME_LISTS:
        assert [key for key in words([path]) if path.parent.name not in folders.get(key, ())] == []


def test_words_of_one_game_are_in_its_folder() -> None:
    """The lists that games share have no key that one game's folder alone uses, and none that a game has too."""
    folders, shared = users(), words(SHARED_LISTS)
    games = {path.parent.name for path in GAME_LISTS}
    assert len(games) == 3
    assert [key for key in shared if len(folders.get(key, ())) == 1 and folders[key] <= games] == []
    for path in GAME_LISTS:
        assert words([path]).keys() & shared.keys() == set()


def test_components_hold_no_vietnamese_outside_the_word_list() -> None:
    """Comments and the labels of the two language buttons are exempt."""
    names = ("Tiếng Việt", "Ngôn ngữ / Language")
    found = []
    for path in (WEB / "src").rglob("*.svelte"):
        text = re.sub(
            r"/\*.*?\*/|//.*|<!--.*?-->", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
        )
        for name in names:
            text = text.replace(name, "")
        found += [f"{path.name}: {line.strip()}" for line in text.splitlines() if VIETNAMESE.search(line)]
    assert found == []


def test_card_faces_contain_no_text_elements() -> None:
    """A card looks the same whatever fonts are installed."""
    faces = list((WEB / "src" / "cards").glob("*.svelte"))
    assert faces
    for path in faces:
        assert "<text" not in path.read_text(encoding="utf-8")


def test_page_loads_nothing_from_elsewhere() -> None:
    allowed = ("http://www.w3.org/",)
    built = files(WEB / "dist")
    assert built
    for name, data in built.items():
        for address in re.findall(r"https?://[\w./-]+", data.decode("utf-8", errors="ignore")):
            assert address.startswith(allowed) or name.endswith((".js", ".md")), f"{name}: {address}"


def test_texts_of_a_language_are_few_and_in_one_file_a_game_and_one_shared() -> None:
    assert len(words(SHARED_LISTS)) + sum(len(words([path])) for path in GAME_LISTS) <= MOST_TEXTS


def test_words_are_those_that_players_say() -> None:
    """What is a translation, or has another word here, is not said again."""
    said = "\n".join(pair[0] for pair in words([*SHARED_LISTS, *GAME_LISTS]).values()).lower()
    promises = (SOURCES / "proof" / "promises.ts").read_text(encoding="utf-8")
    for gone in ("niêm phong", "hạt của", "lá trong sổ", "byte", "sức máy", "thối", "lịch sử"):
        assert gone not in said, gone
    assert not re.search(r"\bcheck\b", said)
    assert not re.search(r"(?<!cửa )\b(sổ|hạt)\b", said + promises)
