"""Evidence: tagged hashes, HKDF, Merkle trees, canonical JSON, signed envelopes and the text of keys.

Everything is a pure function of bytes. One value has one encoding: a value that is read must encode to the bytes read.
"""
