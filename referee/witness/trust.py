r"""Which logs a witness knows: for each origin the keys that may sign its checkpoints, as lines of text.

The law is the part of C2SP tlog-policy that a witness needs: ``log <verifier key> [<url>]``, one a line, blank lines
and lines that begin with ``#`` passed over. The key's name is the log's origin. Two keys of one origin are one log, as
while it changes its key; one key in two lines is an error.

>>> trusted = read_trusted("log PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW\n# no more\n")
>>> [(origin, len(keys)) for origin, keys in trusted.items()]
[('PeterNeumann', 1)]

Source: https://c2sp.org/tlog-policy
"""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from referee.evidence.vkey import Algorithm, KeyTextError, VerifierKey

Trusted: TypeAlias = Mapping[str, tuple[VerifierKey, ...]]
"""The keys of each origin."""


class TrustError(ValueError):
    """A list of logs that cannot be meant."""


def read_trusted(text: str) -> Trusted:
    """The logs that a text lists; TrustError, with the line, where a line is none of a policy's log lines."""
    texts = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] != "log" or len(words) not in {2, 3}:
            msg = f"line {number}: {line.strip()[:100]!r} is not: log <verifier key> [<url>]"
            raise TrustError(msg)
        texts.append(words[1])
    return trusted_of(texts)


def trusted_of(texts: Iterable[str]) -> Trusted:
    """The logs whose verifier keys these texts are; TrustError where one is no log's key, or given twice."""
    trusted: dict[str, tuple[VerifierKey, ...]] = {}
    known: set[bytes] = set()
    for text in texts:
        try:
            key = VerifierKey.parse(text)
        except KeyTextError as error:
            raise TrustError(str(error)) from None
        if key.algorithm is not Algorithm.ED25519:
            msg = f"{key.text} is a witness's key; a log signs with type 0x01"
            raise TrustError(msg)
        if key.public_key in known:
            msg = f"the public key of {key.text} is named twice"
            raise TrustError(msg)
        known.add(key.public_key)
        trusted[key.name] = (*trusted.get(key.name, ()), key)
    return trusted
