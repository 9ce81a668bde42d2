"""Evidence: tagged hashes, HKDF, Merkle trees, canonical JSON, signed envelopes and the text of keys.

Everything is a pure function of bytes: one value has one encoding, and what is read must encode to the bytes read.
"""
