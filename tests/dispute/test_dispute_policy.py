"""``referee dispute --policy``: the cosignatures on what a person holds count by a policy's witnesses and quorum."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from referee.evidence.note import Note
from referee.evidence.vkey import Algorithm
from referee.log.cosignature import cosign, merged
from referee.server.keys.private_key import KeySigner
from tests.command import referee
from tests.dispute.scenes import DAY_MS, Played, play
from tests.log.test_log_policy import LOG

SIGNERS: Final = [KeySigner(f"witness.example/{n}", bytes([n] * 32), Algorithm.COSIGNATURE_V1) for n in range(1, 4)]
POLICY: Final = (
    "".join(f"witness W{n} {signer.verifier_key}\n" for n, signer in enumerate(SIGNERS, start=1))
    + "group g 2 W1 W2 W3\nquorum g\n"
)


@pytest.fixture(scope="module")
def dropped(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Play the round with the dropped move, whose player kept a checkpoint."""
    return play("dropped_move", tmp_path_factory.mktemp("dropped"))


def answer(played: Played, folder: Path, note: bytes, policy: str = POLICY) -> dict[str, Any]:
    """Answer the quarrel with another checkpoint held, by a policy."""
    file, kept = folder / "policy", folder / "kept"
    file.write_text(policy, encoding="utf-8")
    kept.write_bytes(note)
    done = played.dispute("--held", kept, "--policy", file, "--json")
    assert done.returncode in {0, 1}, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def cosigned(played: Played, *signers: KeySigner) -> bytes:
    """Return the kept checkpoint with these witnesses' cosignatures."""
    note = Note.parse((played.held / "checkpoint").read_bytes())
    lines = [cosign(note, name=one.name, signer=one, time=played.now // 1000) for one in signers]
    return merged(note, lines).format()


def held(found: dict[str, Any]) -> tuple[str, str]:
    """Return the weight of the kept checkpoint and what it proves, in English."""
    place = [one["file"] for one in found["exhibits"]].index("kept")
    return found["exhibits"][place]["weight"], found["proofs"][place]["en"]


def codes(found: dict[str, Any]) -> set[str]:
    """Return the codes of all findings."""
    return {one["code"] for one in found["findings"]}


def test_cosignatures_of_a_quorum_that_a_person_holds_count(dropped: Played, tmp_path: Path) -> None:
    found = answer(dropped, tmp_path, cosigned(dropped, *SIGNERS[:2]))
    assert codes(found) == {"MOVE_DROPPED"}
    weight, proof = held(found)
    assert weight == "AGREES"
    assert proof.endswith("; a quorum of the witnesses had cosigned that checkpoint by 2027-01-15 08:01:31 UTC")
    assert "CLOCKS" not in {one["code"] for one in found["unprovable"]}


@pytest.mark.parametrize("count", [0, 1])
def test_fewer_than_the_quorum_are_a_finding_that_names_nobody(dropped: Played, tmp_path: Path, count: int) -> None:
    found = answer(dropped, tmp_path, cosigned(dropped, *SIGNERS[:count]))
    assert codes(found) == {"MOVE_DROPPED", "QUORUM_UNMET"}
    assert f"valid cosignatures of {count} of these witnesses, which is no quorum" in held(found)[1]
    assert [one["party"] for one in found["suspects"]] == ["operator", "frontend"]


def test_cosignature_that_its_witness_did_not_make_counts_nothing(dropped: Played, tmp_path: Path) -> None:
    stranger = KeySigner("witness.example/2", bytes(32), Algorithm.COSIGNATURE_V1)
    note = cosigned(dropped, SIGNERS[0], stranger)
    assert "valid cosignatures of 1 of these" in held(answer(dropped, tmp_path, note))[1]


def test_cosignature_of_a_future_time_counts_nothing(dropped: Played, tmp_path: Path) -> None:
    note = Note.parse((dropped.held / "checkpoint").read_bytes())
    late = (dropped.now + 2 * DAY_MS) // 1000
    lines = [cosign(note, name=one.name, signer=one, time=late) for one in SIGNERS]
    assert "valid cosignatures of 0 of these" in held(answer(dropped, tmp_path, merged(note, lines).format()))[1]


@pytest.mark.parametrize("command", ["dispute", "verify"])
def test_policy_for_another_log_is_refused(dropped: Played, tmp_path: Path, command: str) -> None:
    file = tmp_path / "policy"
    file.write_text(LOG + POLICY, encoding="utf-8")
    bundle = tmp_path / "round.json"
    assert referee("export", dropped.table, 1, "--data", dropped.data, "--out", bundle).returncode == 0
    keys = dict(zip(("--log-key", "--root-key"), _keys(dropped), strict=True))
    given = [text for pair in keys.items() for text in pair]
    done = referee(command, bundle, "--policy", file, *given)
    assert (done.returncode, "does not name this log" in " ".join(done.stderr.split())) == (2, True)


def _keys(played: Played) -> tuple[str, str]:
    folder = played.data / "keys"
    return (folder / "log.pub").read_text().strip(), (folder / "root.pub").read_text().strip()
