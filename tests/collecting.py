"""Collection of tests, which each worker does for all of them, without what costs it a third of its time.

Doctests are looked for in files that have a prompt. The garbage collector rests until all tests are collected, and then
leaves out what they are made of, which a test that calls it would wait for.
"""

import gc
from collections.abc import Generator
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule

PROMPT = b">>> "


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    collectors = yield
    return [one for one in collectors if not isinstance(one, DoctestModule) or PROMPT in file_path.read_bytes()]
