"""``referee dispute`` as a person runs it: its JSON, its page in both languages, and the names of files in both."""

import json
from pathlib import Path

import pytest

from tests.dispute.scenes import SCENES, Played, play
from tests.dispute.written_answers import FOLDER, answers


@pytest.fixture(scope="module")
def dropped(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Play the round with the dropped move."""
    return play("dropped_move", tmp_path_factory.mktemp("dropped"))


@pytest.mark.parametrize("name", SCENES)
def test_answers_about_a_scene_are_those_written_down(name: str, tmp_path: Path, quiet_calls: None) -> None:  # noqa: ARG001
    """Write them by ``python -m tests.dispute.written_answers``."""
    found = answers(play(name, tmp_path), tmp_path)
    assert found == {ending: (FOLDER / f"{name}.{ending}").read_text(encoding="utf-8") for ending in ("json", "txt")}


def test_written_answers_are_those_of_the_scenes() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(SCENES)


def test_no_answer_shows_a_folder_of_this_machine(dropped: Played, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = dropped.dispute("--json", "--html", page)
    for text in (done.stdout, page.read_text(encoding="utf-8")):
        assert "move.receipt.json" in text
        assert str(dropped.held.parent) not in text
        assert str(tmp_path) not in text


def test_files_of_one_name_are_named_with_their_folders(dropped: Played, tmp_path: Path) -> None:
    file = next(dropped.held.glob("*.receipt.json"))
    for owner in ("mai", "nam"):
        (tmp_path / owner).mkdir()
        (tmp_path / owner / file.name).write_bytes(file.read_bytes())
    done = dropped.dispute("--held", tmp_path, "--json")
    assert [one["file"] for one in json.loads(done.stdout)["exhibits"]] == [
        "held/checkpoint",
        "held/move.receipt.json",
        "mai/move.receipt.json",
        "nam/move.receipt.json",
    ]


@pytest.mark.parametrize(("language", "title"), [("vi", "Phân xử một ván"), ("en", "A quarrel about one round")])
def test_page_in_one_language_has_no_word_of_the_other(
    dropped: Played, tmp_path: Path, language: str, title: str
) -> None:
    page = tmp_path / "page.html"
    dropped.dispute("--html", page, "--language", language)
    text = page.read_text(encoding="utf-8")
    assert 'class="t"' not in text
    assert title in text
