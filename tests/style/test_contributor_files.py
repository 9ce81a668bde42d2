"""The files that guide contributors do what they say."""

import configparser
import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]


def hooks() -> list[dict[str, str]]:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    return [hook for repository in config["repos"] for hook in repository["hooks"]]


def test_pre_commit_runs_only_tools_that_make_check_runs():
    """Each hook's tool is in the recipe of ``make check``, so that a commit and CI cannot disagree."""
    recipe = (
        (ROOT / "Makefile")
        .read_text("utf-8")
        .partition("\ncheck:")[2]
        .partition("\n\n")[0]
        .replace("$(BIN)", ".venv/bin")
    )
    tools = {
        tool
        for hook in hooks()
        for tool in re.findall(r"\.venv/bin/(\w[\w-]*(?: -m [\w.]+| format| check)?)", hook["entry"])
    }
    assert {"ruff format", "ruff check", "lint-imports", "python -m tests.style.retired_words"} <= tools
    assert [tool for tool in tools if f".venv/bin/{tool}" not in recipe] == []


def test_pre_commit_fetches_nothing():
    assert [hook["language"] for hook in hooks()] == ["system"] * len(hooks())


def test_editor_and_formatter_agree_on_the_width_of_lines():
    """The width in ``.editorconfig`` is ruff's, and Python is indented by four."""
    editor = configparser.ConfigParser()
    editor.read_string("[top]\n" + (ROOT / ".editorconfig").read_text("utf-8"))
    width = re.search(r"^line-length = (\d+)$", (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    assert width is not None
    assert editor["*"]["max_line_length"] == width[1]
    assert editor["*.py"]["indent_size"] == "4"


def test_templates_name_only_files_that_exist():
    pages = [*(ROOT / ".github").rglob("*.md")]
    assert len(pages) >= 3
    named = {name for page in pages for name in re.findall(r"`((?:[\w./]+/)?[\w]+\.md)`", page.read_text("utf-8"))}
    assert named
    assert [name for name in named if not (ROOT / name).is_file()] == []


def test_measurements_fit_on_a_few_pages():
    """Tables and what they mean; what was tried goes to the decisions."""
    assert len((ROOT / "tests" / "bench" / "RESULTS.md").read_text("utf-8").splitlines()) <= 150
