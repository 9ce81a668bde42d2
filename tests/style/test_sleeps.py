"""No test waits for a fixed time: what it waits for is asked for in a loop with a bound, as ``tests.waiting`` does."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
MODULES: Final = {"time", "asyncio", "anyio"}
EXCEPTIONS: Final = {
    "tests/server/cosigning/test_cosigning.py": "twenty calls wait for a cosignature, and nothing counts them",
    "tests/server/limits/test_limits.py": "a call takes longer than its request may take to come",
    "tests/web/test_gateway_process.py": "a certificate that cannot be read is not taken at the next look",
}
"""Files with a wait of a fixed length, and why: what is tested there is that time itself, or that nothing happens."""


def fixed_waits(source: str) -> Iterator[int]:
    """Yield the lines of a source that wait for a constant time, or a browser for any, and are in no loop."""
    waiting: list[tuple[ast.AST, bool]] = [(ast.parse(source), False)]
    while waiting:
        node, is_in_loop = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            is_in_loop = False
        if isinstance(node, ast.While | ast.For | ast.AsyncFor):
            is_in_loop = True
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=module), attr="sleep"), args=[ast.Constant(value=seconds)]
            ) if module in MODULES and seconds and not is_in_loop:
                yield node.lineno
            case ast.Call(func=ast.Attribute(attr="wait_for_timeout")) if not is_in_loop:
                yield node.lineno
        waiting += [(child, is_in_loop) for child in ast.iter_child_nodes(node)]


def test_wait_of_a_fixed_length_is_found_and_a_loop_that_asks_is_none() -> None:
    assert list(fixed_waits("import time\n\ndef test():\n    time.sleep(0.5)\n")) == [4]
    assert list(fixed_waits("def test(page):\n    page.wait_for_timeout(PAUSE_MS)\n")) == [2]
    assert list(fixed_waits("while not ask():\n    time.sleep(0.02)\n")) == []
    assert list(fixed_waits("async def go():\n    await asyncio.sleep(0)\n    await asyncio.sleep(pause)\n")) == []


def test_no_test_waits_for_a_fixed_time() -> None:
    files = sorted(path for path in (ROOT / "tests").rglob("*.py") if "bench" not in path.parts)
    assert len(files) > 300
    found = {str(path.relative_to(ROOT)): list(fixed_waits(path.read_text("utf-8"))) for path in files}
    assert {name: lines for name, lines in found.items() if lines and name not in EXCEPTIONS} == {}
    assert [name for name in EXCEPTIONS if not found.get(name)] == [], "an exception without a wait"
