"""The keys that an auditor trusts, and those that a log's root named after them."""

from collections.abc import Sequence
from dataclasses import dataclass

from referee.audit.source import LogSource
from referee.evidence.note import Note, NoteError
from referee.evidence.vkey import VerifierKey
from referee.log import Checkpoint, CheckpointError
from referee.log.keys import is_signed, log_keys


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustedKeys:
    """The log's key and the root's, as C2SP verifier key text that the auditor has from elsewhere.

    Raise KeyTextError for any other text. ``named_root`` is the root key that the log's keeper names; only the message
    about a wrong root key uses it.
    """

    log: str
    root: str
    named_root: str = ""

    def __post_init__(self) -> None:
        """Read both keys."""
        VerifierKey.parse(self.root)
        VerifierKey.parse(self.log)

    @property
    def log_key(self) -> VerifierKey:
        """The log's key."""
        return VerifierKey.parse(self.log)

    @property
    def root_key(self) -> VerifierKey:
        """The root's key."""
        return VerifierKey.parse(self.root)

    def of_log(self, source: LogSource, notes: Sequence[bytes]) -> tuple[VerifierKey, ...]:
        """Return the log keys to trust: the given key alone if it signed every note, else all that the root named.

        If the root did not name the given key, return the given key alone.
        """
        log = self.log_key
        if all(is_signed(note, [log]) for note in notes):
            return (log,)
        try:
            claimed = Checkpoint.parse(Note.parse(source.checkpoint).text).size
        except (CheckpointError, NoteError):
            return (log,)
        named = log_keys(source.leaves(0, claimed), root=self.root_key)
        return named if log in named else (log,)
