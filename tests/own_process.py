"""Functions of the tests that are called in a process of their own, in which no other test is at work."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

SECONDS: Final = 240
_ROOT: Final = Path(__file__).parents[1]
_CALL: Final = "import json, sys, {module}; json.dump({module}.{function}(), sys.stdout)"
T = TypeVar("T")


def answer_of(function: Callable[[], T]) -> T:
    """Call a function of a module, which takes nothing and returns what JSON can hold, in a new process."""
    script = _CALL.format(module=function.__module__, function=function.__name__)
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=_ROOT, stdout=subprocess.PIPE, text=True, timeout=SECONDS, check=True)
    answer: T = json.loads(done.stdout)
    return answer
