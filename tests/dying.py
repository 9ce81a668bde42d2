"""A process that kills itself on the way, as the system does when memory runs out."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any


def die_after(steps: int) -> None:
    """Kill this process when it has forced or moved something to the disk for the last of these times; 0 for never."""
    left = steps

    def dying(act: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any) -> Any:  # noqa: ANN401 - as of the function
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return act(*arguments)

        return step

    os.fsync = dying(os.fsync)
    Path.replace = dying(Path.replace)  # type: ignore[method-assign] # the process dies in it
