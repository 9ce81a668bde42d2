"""Written answers about the scenes, to compare with: ``python -m tests.dispute.written_answers`` writes ``answers/``.

Each scene has its JSON, and its page's words in Vietnamese and English. The server's keys differ in each run, so keys,
digests and signatures are written as their kind. The cards of the round are left out: other tests read them.
"""

import json
import re
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

import structlog

from tests.dispute.scenes import SCENES, Played, play

FOLDER: Final = Path(__file__).with_name("answers")
_KINDS: Final = (
    (re.compile(r"[0-9a-f]{8}\+[A-Za-z0-9+/=]{40,}"), "<key>"),
    (re.compile(r"[0-9a-f]{64,}"), "<hex>"),
    (re.compile(r"[A-Za-z0-9+/]{40,}={0,2}"), "<base64>"),
    (re.compile(r"referee dispute [0-9]+\.[0-9.]+[a-z0-9.]*"), "referee dispute <version>"),
)
_BLOCKS: Final = frozenset(
    {"p", "h1", "h2", "h3", "h4", "li", "tr", "pre", "section", "div", "header", "article", "br"}
)
_SKIPPED: Final = frozenset({"style", "script", "svg", "title"})


def plain(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """Return a JSON value with each key, digest and signature in its texts as its kind."""
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    if isinstance(value, list):
        return [plain(member) for member in value]
    return without_keys(value) if isinstance(value, str) else value


def without_keys(text: str) -> str:
    """Return a text with each key, digest and signature as its kind."""
    for pattern, kind in _KINDS:
        text = pattern.sub(kind, text)
    return text


class Words(HTMLParser):
    """The words of a page in one language, a line for each block, without the course of the round."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language
        self._open: list[tuple[str, bool]] = []
        self._words: list[str] = []
        self.lines: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element, which hides its words if it is of the other language or no text."""
        named = dict(attrs)
        is_other = tag != "html" and named.get("lang") not in {None, self._language} and named.get("class") == "t"
        is_story = "story" in (named.get("class") or "").split()
        if tag in _BLOCKS:
            self._end_line()
        if tag not in {"meta", "br", "input", "link", "use", "rect", "path"}:
            self._open.append((tag, is_other or is_story or tag in _SKIPPED))

    def handle_endtag(self, tag: str) -> None:
        """Close an element."""
        if tag in _BLOCKS:
            self._end_line()
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        """Keep words that are shown."""
        if not any(is_hidden for _, is_hidden in self._open):
            self._words.append(data)

    def _end_line(self) -> None:
        line = " ".join("".join(self._words).split())
        self._words.clear()
        self.lines += [line] if line else []


def words_of(page: str, language: str) -> list[str]:
    """Return the lines that a page shows in a language."""
    words = Words(language)
    words.feed(page)
    words.close()
    return words.lines


def answers(played: Played, folder: Path) -> dict[str, str]:
    """Return the answers about a scene, by the ending of their file."""
    page = folder / "page.html"
    done = played.dispute("--json", "--html", page)
    answer = json.loads(done.stdout)
    text = page.read_text(encoding="utf-8")
    shown = [f"[{language}]\n" + "\n".join(words_of(text, language)) + "\n" for language in ("vi", "en")]
    return {
        "json": json.dumps(plain({"exit_code": done.returncode, **answer}), indent=1, ensure_ascii=False) + "\n",
        "txt": without_keys("\n".join(shown)),
    }


def main() -> None:
    """Write the files of all scenes."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    FOLDER.mkdir(exist_ok=True)
    for name in SCENES:
        with tempfile.TemporaryDirectory() as folder:
            for ending, text in answers(play(name, Path(folder)), Path(folder)).items():
                (FOLDER / f"{name}.{ending}").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
