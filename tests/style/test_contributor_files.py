"""The files that guide contributors do what they say, and no file of code has more lines than allowed."""

import configparser
import re
import subprocess
from pathlib import Path
from typing import Final

import yaml

ROOT = Path(__file__).parents[2]


def hooks() -> list[dict[str, str]]:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    return [hook for repository in config["repos"] for hook in repository["hooks"]]


def test_pre_commit_runs_only_tools_that_make_check_runs():
    """Each hook's tool is in the recipe of ``make check``, so that a commit and CI cannot disagree."""
    recipe = (ROOT / "Makefile").read_text("utf-8").partition("\ncheck:")[2].partition("\n\n")[0]
    recipe = recipe.replace("$(BIN)", ".venv/bin")
    named = re.compile(r"\.venv/bin/(\w[\w-]*(?: -m [\w.]+| format| check)?)")
    tools = {tool for hook in hooks() for tool in named.findall(hook["entry"])}
    assert {"ruff format", "ruff check", "lint-imports", "codespell"} <= tools
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


MOST: Final = 400
SUFFIXES: Final = (".py", ".ts", ".svelte", ".mjs", ".js", ".go", ".rb")
GENERATED: Final = re.compile(r"_pb2|_pb\.|/dist/|/gen/")
EXCEPTIONS: Final = {
    "tests/audit/audit_builder.py": "builds each kind of leaf with the same secrets",
    "tests/audit/audit_watched.py": "a log and all that its witnesses said of it",
}
"""Files that may be longer, each with the reason: lists of cases."""


def long_files() -> dict[str, int]:
    """Return the tracked files of code with more lines than allowed."""
    listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=True, cwd=ROOT).stdout  # noqa: S607 - the checkout's own git
    paths = [path for path in listed.split("\0") if path.endswith(SUFFIXES) and not GENERATED.search(path)]
    assert len(paths) > len(EXCEPTIONS)
    lines = {path: len((ROOT / path).read_bytes().splitlines()) for path in paths if (ROOT / path).is_file()}
    return {path: count for path, count in lines.items() if count > MOST}


def test_no_file_of_code_is_too_long() -> None:
    assert {path: count for path, count in long_files().items() if path not in EXCEPTIONS} == {}


def test_every_exception_is_needed() -> None:
    assert sorted(EXCEPTIONS) == sorted(path for path in long_files() if path in EXCEPTIONS)


def test_no_file_of_the_product_is_excepted() -> None:
    assert all(path.startswith("tests/") for path in EXCEPTIONS)
