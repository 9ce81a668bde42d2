"""Malformed messages led by what they reach: ``python -m tests.chaos.guided RUNS SEED``, where atheris is there.

A message that reaches a branch of the program which none has reached before is kept and changed further, by the same
steps on the wire format. Atheris is no development tool of this project: ``pip install atheris`` for a run of it. It
ends with the first message that does what none may do, and shows its bytes.
"""

import random
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import atheris  # type: ignore[import-not-found, import-untyped, unused-ignore] # no development tool

with atheris.instrument_imports(include=["referee"]):
    import structlog

    from referee.server.clock import system_clock
    from referee.server.settings.advice import AdviceSettings
    from tests.chaos.fault_messages import outcome_of
    from tests.chaos.in_process import InProcess
    from tests.chaos.mutation import Mutator
    from tests.chaos.recording import record
    from tests.driver.running import Clock
    from tests.server.options import server_options

_MOST_BYTES: Final = 60_000


class Guided:
    """One server, and messages for it: a byte that names the method, and the request."""

    def __init__(self, folder: Path, seed: int) -> None:
        clock, chance = Clock(system_clock()), random.Random(seed)  # noqa: S311 - so that a find comes back
        advice = AdviceSettings(seconds=300)
        self.server = InProcess(server_options(data=folder, clock=clock, entropy=chance.randbytes, advice=advice))
        recorded = record(self.server, clock, seed=seed)
        self.methods = sorted(recorded)
        self.corpus = [bytes([self.methods.index(method)]) + one for method, sent in recorded.items() for one in sent]

    def send(self, data: bytes) -> None:
        """One message; AssertionError says what it did that none may do."""
        if data:
            method = self.methods[data[0] % len(self.methods)]
            _, wrong = outcome_of(self.server, method, data[1:])
            assert not wrong, f"{method}: {wrong}: {data[1:].hex()}"

    def change(self, data: bytes, most: int, seed: int) -> bytes:
        """Another message."""
        luck = random.Random(seed)  # noqa: S311 - atheris repeats it by its seed
        method = data[:1] if data and luck.random() < 0.95 else bytes([luck.randrange(len(self.methods))])
        return (method + Mutator([one[1:] for one in luck.sample(self.corpus, 20)], luck).mutate(data[1:]))[:most]


def _drop(_logger: object, _method: str, _event: object) -> Any:  # noqa: ANN401 - a processor's answer
    raise structlog.DropEvent


def main() -> None:
    """Send as many messages as the command line says."""
    runs, seed = int(sys.argv[1]), int(sys.argv[2])
    structlog.configure(processors=[_drop])
    folder = Path(tempfile.mkdtemp(prefix="referee-guided-"))
    guided = Guided(folder / "data", seed)
    corpus = folder / "corpus"
    corpus.mkdir()
    for number, one in enumerate(guided.corpus):
        (corpus / str(number)).write_bytes(one)
    arguments = [sys.argv[0], f"-runs={runs}", f"-seed={seed}", f"-max_len={_MOST_BYTES}", "-timeout=60", str(corpus)]
    atheris.Setup(arguments, guided.send, custom_mutator=guided.change)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
