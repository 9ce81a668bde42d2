"""What is made once for all workers of a run of the tests."""

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Hold a folder's lock for the block: one process of this machine at a time."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return the folder that the first worker to come has made; nobody changes it."""
    is_worker = "PYTEST_XDIST_WORKER" in os.environ
    shared = factory.getbasetemp().parent if is_worker else factory.getbasetemp()
    made = shared / f"made-{name}"
    with alone_in(shared):
        if not made.exists():
            unfinished = factory.mktemp(name) / "unfinished"
            make(unfinished)
            unfinished.rename(made)
    return made


def copy_of_one(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder of this worker's own, copied from one that the first worker to come has made."""
    copy = factory.mktemp(name) / "copy"
    shutil.copytree(made_once(factory, name, make), copy)
    return copy
