"""A real Referee server for tests of frontends: scripted decks, a clock that tests move, faults on request.

Everything that a frontend meets is real, services, keys, log, proofs and refusals, but two things: the
test sets the cards, and the time. So its rounds carry randomness suite 250, an audit says L0 of them, and no other
server takes its rounds or serves its log.

>>> with Harness() as harness:
...     harness.script({"wins": {"0": "sảnh rồng"}}, table_id="t-1")
...     harness.grpc.startswith("127.0.0.1:")
True
"""

from referee_harness.clock import Clock
from referee_harness.faults import Fault
from referee_harness.harness import Harness
from referee_harness.refusal import HarnessError
from referee_harness.script import Script

__all__ = ["Clock", "Fault", "Harness", "HarnessError", "Script"]
