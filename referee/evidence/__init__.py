"""Evidence: tagged hashes, HKDF, Merkle trees, canonical JSON, signed envelopes and the text of keys.

The law of this room: everything is a pure function of bytes, one value has one encoding, and what is read back must
encode to the bytes that were read. It knows no cards, no games, no clock and no private key.
"""
