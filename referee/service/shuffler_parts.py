"""ShufflerParts, which the servicers of the shuffler share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from referee.dealing.commitment import SEED_SIZE
from referee.dealing.header import Header
from referee.evidence.ed25519 import Signer
from referee.service.terms import HeaderMaker
from referee.service.verifying import RoundVerifier
from referee.storage import Reader, Writer


@dataclass(frozen=True, slots=True, kw_only=True)
class ShufflerParts:
    """Parts of the shuffler: log, keys, clock, and source of random bytes."""

    header_maker: HeaderMaker
    verifier: RoundVerifier
    referee_keys: Sequence[bytes]
    reader: Reader
    writer: Writer
    signer: Signer
    sealing_key: bytes
    clock: Callable[[], int]
    entropy: Callable[[int], bytes]
    on_ended: Callable[[], None]
    has_witnesses: bool = False
    fixture_seed: Callable[[Header], bytes] | None = None
    """Function that gives the server's seeds under suite 250, whose decks are scripted; None to draw random seeds."""

    def seed_for(self, header: Header) -> bytes:
        """Return a new server's seed for a round that is being opened: random, or that of ``fixture_seed``."""
        return self.entropy(SEED_SIZE) if self.fixture_seed is None else self.fixture_seed(header)
