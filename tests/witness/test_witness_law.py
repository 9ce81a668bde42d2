"""What a witness cosigns, and what it refuses with which status, in the specification's order."""

import base64
import hashlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from referee.evidence.merkle import EMPTY_ROOT
from referee.evidence.note import Note, NoteSignature, cosign_note
from referee.log import Checkpoint
from referee.log.cosignature import Quorum, merged, read_cosignatures
from referee.log.submission import SIZE_TYPE, AddCheckpoint, parse_size
from referee.witness import WitnessState
from referee.witness.state import SeenCheckpoint, WitnessStateError
from referee.witness.trust import TrustError, read_trusted
from tests.log.signed_note import sign_note
from tests.named_signer import NamedSigner
from tests.witness.booths import Booth, PaperLog


def vouched(booth: Booth, log: PaperLog, size: int, answer: bytes) -> bool:
    """Whether an answer holds a cosignature of the log's head of this size."""
    note = Note.parse(log.note(size))
    lines = read_cosignatures(answer, note, booth.witness.key)
    return Quorum((booth.witness.key,), needed=1).attest(merged(note, lines)).is_quorate


def test_growing_log_is_cosigned_at_every_size(booth: Booth, log: PaperLog):
    """From nothing to 40 leaves, in steps of 1 to 8; the time is the witness's own."""
    old = 0
    for step in (1, 1, 2, 3, 1, 8, 5, 7, 1, 4, 7):
        answer = booth.ask(log.submission(old, old + step))
        assert (answer.status, vouched(booth, log, old + step, answer.body)) == (200, True)
        old += step
    line = Note.parse(b"text\n\n" + answer.body).signatures[0]
    assert int.from_bytes(line.signature[:8], "big") == booth.now
    assert booth.last_size(log) == 40


@pytest.mark.parametrize("size", range(1, 20))
def test_every_pair_of_sizes_is_proved(open_booth: Callable[..., Booth], log: PaperLog, size: int):
    for old in range(1, size):
        booth = open_booth(log.vkey, folder=f"w{old}")
        assert booth.ask(log.submission(0, old)).status == 200
        assert booth.ask(log.submission(old, size)).status == 200


def test_same_head_is_cosigned_again_with_a_new_time(booth: Booth, log: PaperLog):
    """A log that lost the answer asks again; an unchanged one shows that it is watched."""
    first = booth.ask(log.submission(0, 5)).body
    booth.now += 60
    second = booth.ask(log.submission(5, 5))
    assert second.status == 200
    assert second.body != first
    assert vouched(booth, log, 5, second.body)


def test_empty_log_is_cosigned(booth: Booth, log: PaperLog):
    assert booth.ask(log.submission(0, 0)).status == 200
    assert booth.ask(log.submission(0, 3)).status == 200


@pytest.mark.parametrize("old", [0, 1, 4, 6, 7])
def test_other_old_size_is_answered_with_the_one_cosigned_last(booth: Booth, log: PaperLog, old: int):
    booth.ask(log.submission(0, 5))
    answer = booth.ask(log.submission(old, 7))
    assert (answer.status, answer.media_type, parse_size(answer.body)) == (409, SIZE_TYPE, 5)


def test_log_that_went_back_learns_how_far_it_was(booth: Booth, log: PaperLog):
    booth.ask(log.submission(0, 9))
    answer = booth.ask(log.submission(4, 4))
    assert (answer.status, parse_size(answer.body)) == (409, 9)
    assert booth.last_size(log) == 9


def test_fork_of_one_size_is_refused_and_keeps_nothing(booth: Booth, log: PaperLog):
    booth.ask(log.submission(0, 5))
    before = booth.state.last(log.origin)
    answer = booth.ask(PaperLog(history="second").submission(5, 5))
    assert (answer.status, answer.media_type) == (409, "text/plain; charset=utf-8")
    assert booth.state.last(log.origin) == before


@pytest.mark.parametrize("size", [6, 8, 13, 100])
def test_fork_that_grew_is_refused_and_keeps_nothing(booth: Booth, log: PaperLog, size: int):
    booth.ask(log.submission(0, 5))
    before = booth.state.last(log.origin)
    assert booth.ask(PaperLog(history="second").submission(5, size)).status == 422
    assert booth.state.last(log.origin) == before


def test_proof_with_any_bit_flipped_is_refused(open_booth: Callable[..., Booth], log: PaperLog):
    asked = AddCheckpoint.parse(log.submission(7, 21))
    booth = open_booth(log.vkey)
    booth.ask(log.submission(0, 7))
    for place, node in enumerate(asked.proof):
        for bit in range(0, 256, 37):
            changed = bytearray(node)
            changed[bit // 8] ^= 1 << bit % 8
            proof = (*asked.proof[:place], bytes(changed), *asked.proof[place + 1 :])
            again = AddCheckpoint(old_size=7, proof=proof, checkpoint=asked.checkpoint)
            assert booth.ask(again.format()).status == 422
    for proof in (asked.proof[1:], asked.proof[:-1], (*asked.proof, asked.proof[0]), ()):
        again = AddCheckpoint(old_size=7, proof=proof, checkpoint=asked.checkpoint)
        assert booth.ask(again.format()).status == 422
    assert booth.ask(asked.format()).status == 200


@pytest.mark.parametrize(("old", "size"), [(0, 3), (5, 5)])
def test_proof_where_there_is_none_to_give_is_refused(booth: Booth, log: PaperLog, old: int, size: int):
    if old:
        booth.ask(log.submission(0, old))
    asked = AddCheckpoint(old_size=old, proof=(bytes(32),), checkpoint=log.note(size))
    assert booth.ask(asked.format()).status == 422


def test_unknown_origin_is_not_found(booth: Booth):
    stranger = PaperLog(origin="log.example/2")
    assert booth.ask(stranger.submission(0, 1)).status == 404


def test_two_logs_cannot_share_an_origin(open_booth: Callable[..., Booth], log: PaperLog):
    """Another key under the name is forbidden; where both keys are trusted there is still one history."""
    other = PaperLog(history="second", key="other")
    booth = open_booth(log.vkey)
    assert booth.ask(log.submission(0, 3)).status == 200
    assert booth.ask(other.submission(0, 3)).status == 403
    both = open_booth(log.vkey, other.vkey, folder="both")
    assert both.ask(log.submission(0, 3)).status == 200
    assert both.ask(other.submission(0, 3)).status == 409
    assert both.ask(other.submission(3, 3)).status == 409
    assert both.ask(other.submission(3, 4)).status == 422
    assert both.ask(PaperLog(key="other").submission(3, 4)).status == 200  # one history, and a key that changed


def test_signatures_by_others_are_passed_over_and_forged_ones_forbidden(booth: Booth, log: PaperLog):
    note = Note.parse(log.note(2))
    stranger = NoteSignature("somebody", b"abcd", bytes(64))
    forged = NoteSignature(note.signatures[0].name, note.signatures[0].key_id, bytes(64))

    def status(*lines: NoteSignature) -> int:
        submission = AddCheckpoint(old_size=0, proof=(), checkpoint=Note(note.text, lines).format())
        return int(booth.ask(submission.format()).status)

    assert status(stranger) == 403
    assert status(forged) == 403
    assert status(note.signatures[0], forged) == 403
    assert status(stranger, note.signatures[0]) == 200


def test_cosignature_is_not_the_logs_signature(booth: Booth, log: PaperLog):
    """A witness's line by the log's own key does not stand for the log's."""
    text = Checkpoint(log.origin, 0, EMPTY_ROOT).body
    note = cosign_note(Note(text, ()), name=log.origin, signer=NamedSigner(log.key), time=1)
    assert booth.ask(AddCheckpoint(old_size=0, proof=(), checkpoint=note.format()).format()).status == 403


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("log.example/1\n0\n" + base64.b64encode(bytes(32)).decode() + "\n", 422),
        ("log.example/1\n0\n" + base64.b64encode(bytes(32)).decode() + "\nextension\n", 400),
        ("log.example/1\n1\n" + base64.b64encode(bytes(32)).decode() + "\nextension\n", 400),
        ("log.example/1\n01\n" + base64.b64encode(bytes(32)).decode() + "\n", 400),
        ("log.example/1\n1\n" + base64.b64encode(bytes(31)).decode() + "\n", 400),
        ("log.example/1\n-1\n" + base64.b64encode(bytes(32)).decode() + "\n", 400),
        ("log.example/1\n", 400),
    ],
)
def test_signed_text_that_is_no_checkpoint_is_refused(booth: Booth, log: PaperLog, body: str, status: int):
    note = sign_note(body, name=log.origin, signer=NamedSigner(log.key))
    assert booth.ask(AddCheckpoint(old_size=0, proof=(), checkpoint=note.format()).format()).status == status
    assert booth.state.last(log.origin) is None


def test_old_size_above_the_checkpoints_is_a_bad_request(booth: Booth, log: PaperLog):
    booth.ask(log.submission(0, 5))
    assert booth.ask(AddCheckpoint(old_size=5, proof=(), checkpoint=log.note(4)).format()).status == 400


@pytest.mark.parametrize("text", [b"", b"old 0\n", b"old 0\n\n", b"old 0\n\nno note", b"\xff\xfe\n\n"])
def test_text_that_is_no_submission_is_a_bad_request(booth: Booth, text: bytes):
    assert booth.ask(text).status == 400


def test_nothing_is_answered_before_it_is_kept(booth: Booth, log: PaperLog):
    booth.ask(log.submission(0, 5))
    assert booth.steps == ["JUDGED", "SIGNED", "KEPT"]
    booth.steps.clear()
    booth.ask(log.submission(4, 6))
    assert booth.steps == []


def test_of_submissions_at_once_one_history_is_cosigned(tmp_path: Path, booth: Booth, log: PaperLog):
    """Two connections to one file, both past the checks before either is kept: the second is sent the first's size."""
    other_state = WitnessState(tmp_path / "witness.sqlite3")
    together = threading.Barrier(2, timeout=10)
    logs = [log, PaperLog(history="second")]

    def wait(step: str) -> None:
        if step == "SIGNED":
            together.wait()

    witnesses = [booth.opened(state, wait) for state in (booth.state, other_state)]
    with ThreadPoolExecutor(2) as threads:
        answers = list(
            threads.map(
                lambda pair: pair[0].add_checkpoint(pair[1].submission(0, 5)), zip(witnesses, logs, strict=True)
            )
        )
    other_state.close()
    assert sorted(answer.status for answer in answers) == [200, 409]
    won = next(place for place, answer in enumerate(answers) if answer.status == 200)
    last = booth.state.last(log.origin)
    assert last is not None
    assert last.root == Checkpoint.parse(Note.parse(logs[won].note(5)).text).root


def test_monitor_sees_what_was_cosigned_last(booth: Booth, log: PaperLog):
    digest = hashlib.sha256(log.origin.encode()).hexdigest()
    assert booth.witness.checkpoint(digest).status == 404
    booth.ask(log.submission(0, 5))
    booth.ask(log.submission(5, 8))
    shown = Note.parse(booth.witness.checkpoint(digest).body)
    assert Checkpoint.parse(shown.text).size == 8
    assert Quorum((booth.witness.key,), needed=1).attest(shown).is_quorate
    assert [line.name for line in shown.signatures] == [log.origin, booth.name]
    assert booth.witness.checkpoint("0" * 64).status == 404


def test_state_outlives_its_process(tmp_path: Path, booth: Booth, log: PaperLog):
    booth.ask(log.submission(0, 5))
    booth.state.close()
    again = WitnessState(tmp_path / "witness.sqlite3")
    assert again.last(log.origin).size == 5  # type: ignore[union-attr]
    again.close()
    with pytest.raises(WitnessStateError):
        again.last(log.origin)


def test_record_moves_from_what_was_seen_and_from_nothing_else(booth: Booth):
    one, two, three = (SeenCheckpoint(size, bytes([size]) * 32, b"note") for size in (1, 2, 3))
    assert booth.state.move("o", None, one)
    assert not booth.state.move("o", None, two)
    assert not booth.state.move("o", two, three)
    assert not booth.state.move("o", SeenCheckpoint(1, b"x" * 32, b"note"), three)
    assert booth.state.move("o", one, two)
    assert booth.state.last("o") == two
    assert booth.state.last("p") is None


def test_logs_are_read_from_a_policys_lines(log: PaperLog):
    other = PaperLog(origin="log.example/2", key="other")
    text = f"# known logs\n\n  log\t{log.vkey}  https://log.example/\nlog {other.vkey}\n"
    assert {origin: [key.text for key in keys] for origin, keys in read_trusted(text).items()} == {
        log.origin: [log.vkey],
        other.origin: [other.vkey],
    }


@pytest.mark.parametrize(
    "line", ["log", "log not-a-key", "witness w {key}", "log {key} url more", "log {key}\nlog {key}"]
)
def test_line_that_is_no_log_is_refused(log: PaperLog, line: str):
    with pytest.raises(TrustError):
        read_trusted(line.format(key=log.vkey))
