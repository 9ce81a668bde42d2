"""Quorums of groups in groups, against a second reading of the policy, for every set of witnesses that cosigned."""

import itertools
from collections.abc import Iterator
from typing import Final

import pytest

from referee.evidence.note import Note
from referee.evidence.vkey import Algorithm
from referee.log.cosignature import cosign, merged
from referee.log.policy import Policy
from referee.server.keys.private_key import KeySigner
from tests.log.test_log_policy import NESTED
from tests.randomness import random_from

NAMES: Final = ("a", "b", "c", "d", "e")
SIGNERS: Final = {name: KeySigner(f"{name}.example", name.encode() * 32, Algorithm.COSIGNATURE_V1) for name in NAMES}
WITNESSES: Final = "".join(f"witness {name} {SIGNERS[name].verifier_key}\n" for name in NAMES)
HEAD: Final = Note("log.example/1\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n", ())
TIMES: Final = {name: 1_800_000_000 + time for time, name in enumerate("dbace")}
LINES: Final = {
    name: cosign(HEAD, name=f"{name}.example", signer=signer, time=TIMES[name]) for name, signer in SIGNERS.items()
}


def agrees(text: str, name: str, cosigned: set[str]) -> bool:
    """Read the line that defines a name again and decide, as the specification's words say."""
    for line in text.splitlines():
        match line.split():
            case ["witness", defined, *_] if defined == name:
                return name in cosigned
            case ["group", defined, number, *members] if defined == name:
                needed = {"any": 1, "all": len(members)}.get(number) or int(number)
                return len([member for member in members if agrees(text, member, cosigned)]) >= needed
    raise AssertionError(name)


def subsets() -> Iterator[set[str]]:
    """Yield every set of witnesses."""
    for count in range(len(NAMES) + 1):
        yield from map(set, itertools.combinations(NAMES, count))


def policies() -> Iterator[str]:
    """Yield policies in which each witness is in one group, and groups are in groups, until one is left."""
    luck = random_from(1)
    for _ in range(40):
        left, groups = list(NAMES), ""
        luck.shuffle(left)
        for number in itertools.count():
            size = luck.randint(1, min(3, len(left)))
            members, left = left[:size], left[size:]
            needed = luck.choice(["any", "all", str(luck.randint(1, size))])
            groups += f"group g{number} {needed} {' '.join(members)}\n"
            left.insert(luck.randint(0, len(left)), f"g{number}")
            if left == [f"g{number}"] or (number > 3 and luck.random() < 0.3):
                yield f"{WITNESSES}{groups}quorum g{number}\n"
                break


POLICIES: Final = list(policies())


def test_policies_have_groups_in_groups() -> None:
    assert sum(" g" in line.partition(" ")[2][2:] for text in POLICIES for line in text.splitlines()) > 50


@pytest.mark.parametrize("text", POLICIES, ids=range(len(POLICIES)))
def test_every_set_of_cosigners_is_a_quorum_where_the_text_says_so(text: str) -> None:
    """And its time is the latest at which those who had cosigned since were one; no fewer than ``needed`` are one."""
    policy, quorum = Policy.parse(text.encode()), text.splitlines()[-1].split()[1]
    assert policy.quorum is not None
    sizes = []
    for cosigned in subsets():
        attested = policy.quorum.attest(merged(HEAD, [LINES[name] for name in sorted(cosigned)]))
        assert attested.is_quorate == agrees(text, quorum, cosigned), cosigned
        times = [
            TIMES[name]
            for name in cosigned
            if agrees(text, quorum, {other for other in cosigned if TIMES[other] >= TIMES[name]})
        ]
        assert attested.time == max(times, default=0)
        sizes += [len(cosigned)] if attested.is_quorate else []
    assert policy.quorum.needed == min(sizes)


def test_quorum_of_groups_of_the_specifications_example_is_read() -> None:
    """Two of the X witnesses and one of the Y witnesses."""
    policy = Policy.parse(NESTED.format("X-and-Y").encode())
    assert policy.quorum is not None
    assert [one.name for one in policy.witnesses] == ["X1", "X2", "X3", "Y1", "Y2", "Y3"]
    assert policy.quorum.needed == 3
    assert policy.quorum.group is not None
    keys = [one.key.public_key for one in policy.witnesses]
    for cosigned in itertools.product((False, True), repeat=6):
        held = {key for key, is_there in zip(keys, cosigned, strict=True) if is_there}
        assert policy.quorum.group.agrees(held) == (sum(cosigned[:3]) >= 2 and sum(cosigned[3:]) >= 1)
