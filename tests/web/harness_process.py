"""The harness as a process of its own, as tests in any language start it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def harness(*options: str) -> Iterator[dict[str, Any]]:
    """Run the harness's command and return the line that it prints."""
    command = [str(Path(sys.executable).parent / "referee-harness"), "--until-eof", *options]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield dict(json.loads(process.stdout.readline()))
        process.communicate(timeout=60)
