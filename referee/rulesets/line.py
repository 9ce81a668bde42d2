r"""Line numbers of paths in a TOML file, found by the headers and keys at the start of its lines.

>>> line_of_path(["values", "1", "units"], "[[values]]\nunits = 1\n\n[[values]]\nunits = 2")
5
"""

from collections.abc import Sequence


def line_of_path(path: Sequence[str], text: str) -> int | None:
    """Return the line (from 1) of the deepest part of a path that starts a line; None if no part does.

    A number in the path is an index (from 0) in an array of tables.
    """
    lines = [line.strip() for line in text.splitlines()]
    for length in range(len(path), 0, -1):
        start = _line_of_table(path[:length], lines)
        if start is not None:
            key = _line_of_key(path[length], lines[start:]) if length < len(path) else None
            return start + (key or 0)
    return _line_of_key(path[0], lines) if path else None


def _line_of_table(path: Sequence[str], lines: Sequence[str]) -> int | None:
    """Return the line of a table's header; None if there is none."""
    name = ".".join(part for part in path if not part.isdigit())
    index = next((int(part) for part in reversed(path) if part.isdigit()), 0)
    headers = [number for number, line in enumerate(lines, start=1) if line in {f"[{name}]", f"[[{name}]]"}]
    return headers[index] if index < len(headers) else None


def _line_of_key(key: str, lines: Sequence[str]) -> int | None:
    """Return the first line that sets this key before another table begins; None if there is none."""
    for number, line in enumerate(lines, start=1):
        if line.startswith("["):
            return None
        if line.partition("=")[0].strip() == key:
            return number
    return None
