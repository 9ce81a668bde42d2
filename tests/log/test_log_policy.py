"""Policies of C2SP tlog-policy: its example, each rule of its text, and what this program does not apply."""

import base64
import hashlib
from typing import Final

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from referee.log.policy import MAX_DEPTH, MAX_POLICY, Policy, PolicyError


def vkey(name: str, *, kind: int = 4, material: bytes | None = None) -> str:
    """Return a verifier key as signed-note spells it, of a private key that follows from its name."""
    private = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(name.encode()).digest())
    typed = bytes([kind]) + (private.public_key().public_bytes_raw() if material is None else material)
    hint = hashlib.sha256(f"{name}\n".encode() + typed).digest()[:4].hex()
    return f"{name}+{hint}+{base64.b64encode(typed).decode()}"


LOG: Final = f"log {vkey('log.example/1', kind=1)} https://log.example\n"
THREE: Final = "".join(f"witness X{n} {vkey(f'x{n}.example')} https://x{n}.example/\n" for n in (1, 2, 3))
MLDSA: Final = f"witness Q1 {vkey('q1.example', kind=6, material=bytes(1312))}\n"
NESTED: Final = (
    f"{LOG}\n{THREE}group X-witnesses 2 X1 X2 X3\n\n"
    + "".join(f"witness Y{n} {vkey(f'y{n}.example')}\n" for n in (1, 2, 3))
    + "group Y-witnesses any Y1 Y2 Y3\n\ngroup X-and-Y all X-witnesses Y-witnesses\nquorum {}\n"
)
"""The policy of the specification's own example, with keys, and without the name of its quorum."""


def parse(text: str) -> Policy:
    """Parse the text of a policy."""
    return Policy.parse(text.encode())


@pytest.mark.parametrize(("quorum", "needed"), [("X-witnesses", 2), ("Y-witnesses", 1)])
def test_groups_of_the_specifications_example_are_read(quorum: str, needed: int) -> None:
    policy = parse(NESTED.format(quorum))
    assert [key.name for key in policy.logs] == ["log.example/1"]
    assert [one.name for one in policy.witnesses] == [f"{quorum[0]}{n}" for n in (1, 2, 3)]
    assert policy.quorum is not None
    assert (policy.quorum.needed, [key.name for key in policy.quorum.witnesses]) == (
        needed,
        [f"{quorum[0].lower()}{n}.example" for n in (1, 2, 3)],
    )


def test_group_of_an_unreachable_group_is_no_list_of_witnesses() -> None:
    """One witness of a group that needs two, one of them unknown, does not make up for the group."""
    policy = parse(THREE + MLDSA + "group g all X1 Q1\ngroup h any g X2\nquorum h\n")
    assert policy.quorum is not None
    assert policy.quorum.needed == 1
    assert [one.name for one in policy.witnesses] == ["X1", "X2"]
    assert policy.quorum.group is not None
    first, second = [{witness.key.public_key} for witness in policy.witnesses]
    assert (policy.quorum.group.agrees(first), policy.quorum.group.agrees(second)) == (False, True)


@pytest.mark.parametrize("depth", [MAX_DEPTH, MAX_DEPTH + 1])
def test_groups_in_one_another_are_read_to_a_depth(depth: int) -> None:
    lines = [f"group g{n} all {f'g{n - 1}' if n else 'X1'}\n" for n in range(depth)]
    text = THREE + "".join(lines) + f"quorum g{depth - 1}\n"
    if depth == MAX_DEPTH:
        assert [one.name for one in parse(text).witnesses] == ["X1"]
    else:
        with pytest.raises(PolicyError, match="17 groups in one another"):
            parse(text)


@pytest.mark.parametrize(
    ("lines", "needed", "names"),
    [
        ("quorum X2\n", 1, ["X2"]),
        ("group g any X1 X3\nquorum g\n", 1, ["X1", "X3"]),
        ("group g all X1 X2 X3\nquorum g", 3, ["X1", "X2", "X3"]),
        ("\t group  g\t2 X1 X2 \n # a comment, \u1ea1\n\n  quorum g \t\n", 2, ["X1", "X2"]),
        ("quorum none\n", 0, []),
    ],
)
def test_quorum_is_a_witness_a_group_or_none(lines: str, needed: int, names: list[str]) -> None:
    policy = parse(THREE + lines)
    assert (0 if policy.quorum is None else policy.quorum.needed, [one.name for one in policy.witnesses]) == (
        needed,
        names,
    )


def test_key_of_an_unknown_type_is_passed_over_and_lowers_no_number() -> None:
    policy = parse(THREE + MLDSA + "group g 2 X1 Q1 X2\nquorum g\n")
    assert policy.quorum is not None
    assert (policy.quorum.needed, policy.skipped) == (2, ("Q1",))
    assert [one.name for one in policy.witnesses] == ["X1", "X2"]
    for unmet in ("quorum Q1\n", "group g all X1 Q1\nquorum g\n"):
        with pytest.raises(PolicyError, match="can be verified here"):
            parse(THREE + MLDSA + unmet)


def test_log_key_as_a_witness_is_passed_over() -> None:
    """A key of type 1 signs checkpoints, not cosignatures."""
    assert parse(THREE + f"witness L {vkey('l.example', kind=1)}\nquorum X1\n").skipped == ("L",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (THREE, "no quorum"),
        (THREE + "quorum X1\nquorum X2\n", "line 5 .*one quorum"),
        (THREE + "quorum X4\n", "line 4 .*not defined"),
        ("group g any X1\n" + THREE + "quorum g\n", "line 1 .*not defined"),
        (THREE + "group X1 any X2\nquorum X1\n", "defined already"),
        (THREE + "group none any X2\nquorum none\n", "defined already"),
        (THREE + "group g any none\nquorum g\n", "not defined"),
        (THREE + "group g 4 X1 X2 X3\nquorum g\n", "4 of 3"),
        (THREE + "group g 0 X1 X2 X3\nquorum g\n", "not all, any or a number"),
        (THREE + "group g any\nquorum g\n", "is no line"),
        (THREE + "group g any X1 X1\nquorum g\n", "listed in a group before"),
        (THREE + "group g any X1\ngroup h any X1\nquorum g\n", "listed in a group before"),
        (THREE + f"witness X9 {vkey('x1.example')}\nquorum X1\n", "named before"),
        (LOG + LOG + "quorum none\n", "named before"),
        ("witness X1\nquorum X1\n", "is no line"),
        (f"witness X1 x2.example+{vkey('x1.example').split('+', 1)[1]}\nquorum X1\n", "line 1"),
        ("witness X1 x1.example\nquorum X1\n", "line 1"),
        ("witness X1 x1.example+00000000+A\nquorum X1\n", "line 1"),
        ("Quorum none\n", "is no line"),
        ("quorum none\r\n", "ends in CR LF"),
        ("\x00", "control character"),
        ("#" * (MAX_POLICY + 1), "is not read"),
    ],
)
def test_text_that_is_no_policy_is_refused_with_its_line(text: str, words: str) -> None:
    with pytest.raises(PolicyError, match=words):
        parse(text)


def test_bytes_that_are_no_utf8_are_names_like_others() -> None:
    policy = Policy.parse(b"witness \xff\xfe " + vkey("x1.example").encode() + b"\nquorum \xff\xfe\n")
    assert [one.key.name for one in policy.witnesses] == ["x1.example"]
