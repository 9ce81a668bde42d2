"""Texts signed as notes."""

from referee.evidence.ed25519 import Signer
from referee.evidence.note import Note, NoteSignature
from referee.evidence.vkey import VerifierKey


def sign_note(text: str, *, name: str, signer: Signer) -> Note:
    """Sign a text as a note with one Ed25519 signature under the key name ``name``."""
    key = VerifierKey(name, signer.public_key)
    return Note(text, (NoteSignature(name, key.key_id, signer.sign(text.encode())),))
