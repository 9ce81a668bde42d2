r"""The logs that a witness knows and the keys of each, as lines of text (C2SP tlog-policy).

A line is ``log <verifier key> [<url>]``; blank lines and lines with ``#`` are skipped. The key's name is the log's
origin. An origin with two keys is one log that changes its key; a key on two lines is an error.

>>> trusted = read_trusted("log PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW\n# no more\n")
>>> [(origin, len(keys)) for origin, keys in trusted.items()]
[('PeterNeumann', 1)]
"""

from collections.abc import Mapping
from typing import TypeAlias

from referee.evidence.vkey import Algorithm, KeyTextError, VerifierKey

Trusted: TypeAlias = Mapping[str, tuple[VerifierKey, ...]]
"""The keys of each origin."""


class TrustError(ValueError):
    """A malformed list of logs."""


def read_trusted(text: str) -> Trusted:
    """Parse a list of logs; raise TrustError for a malformed line, with its number, or for a bad key."""
    lines = enumerate(map(str.strip, text.splitlines()), 1)
    entries = [(number, line, line.split()) for number, line in lines if line and not line.startswith("#")]
    for number, line, words in entries:
        if words[0] != "log" or len(words) not in {2, 3}:
            raise TrustError(f"line {number}: {line[:100]!r} is not: log <verifier key> [<url>]")
    trusted: dict[str, tuple[VerifierKey, ...]] = {}
    listed: set[bytes] = set()
    for _, _, words in entries:
        try:
            key = VerifierKey.parse(words[1])
        except KeyTextError as error:
            raise TrustError(str(error)) from None
        if key.algorithm is not Algorithm.ED25519:
            raise TrustError(f"{key.text} is a witness's key; a log signs with type 0x01")
        if key.public_key in listed:
            raise TrustError(f"the public key of {key.text} is listed twice")
        listed.add(key.public_key)
        trusted[key.name] = (*trusted.get(key.name, ()), key)
    return trusted
