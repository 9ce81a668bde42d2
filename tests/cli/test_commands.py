"""The ``referee`` command as a person or a script uses it: its output and exit codes."""

import json
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from operator import itemgetter
from pathlib import Path

import pytest

from referee.cards import Card
from referee.evidence.dsse import Envelope
from referee.evidence.merkle import leaf_hash, verify_inclusion
from referee.evidence.vkey import VerifierKey
from referee.log import LogReceipt, ReceiptError, open_checkpoint
from tests.command import PLAIN, referee

SECONDS = 90


def referee_process(*arguments):
    """Run the command as a process of its own and return it finished."""
    command = [sys.executable, "-m", "referee", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, env=PLAIN, check=False)


@pytest.fixture(scope="module")
def demo(demo_log):
    """Return the demo's output and the data folder it left."""
    return demo_log.printed, demo_log.data


def test_demo_shows_every_ruleset_and_a_clean_audit(demo):
    """A newcomer sees each game's table, the settlement and what was proved."""
    output, _ = demo
    for title in (
        "Mậu Binh (maubinh.com)",
        "Mậu Binh cổ điển",
        "Mậu Binh tính chi (2020)",
        "Tiến Lên Miền Nam",
        "Ultimate Texas Hold'em (5 lá tốt nhất trong 7 lá)",
        "Ultimate Texas Hold'em (2 lá bài tẩy + 3 lá bài chung)",
    ):
        assert title in output
    assert "SETTLE is leaf" in output
    assert "audit" in output


def test_audit_of_the_demo_is_clean_and_machine_readable(demo):
    """Exit code 0, and JSON with what was counted."""
    _, data = demo
    done = referee("audit", "--data", data, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["findings"] == []
    assert report["rounds"]["settled"] == report["checked"]["replayed"] == report["checked"]["redealt"] > 0


def test_audit_takes_keys_known_from_elsewhere(demo):
    """The keys that ``referee keys`` prints are those that the audit asks for; another log's are refused."""
    _, data = demo
    keys = dict(line.split("\t") for line in referee("keys", "--data", data).stdout.splitlines())
    assert list(keys) == ["root", "log", "shuffler", "referee"]
    good = referee("audit", "--data", data, "--log-key", keys["log"], "--root-key", keys["root"])
    assert good.returncode == 0
    wrong = referee("audit", "--data", data, "--log-key", keys["root"], "--root-key", keys["root"], "--json")
    assert wrong.returncode == 1
    assert [finding["code"] for finding in json.loads(wrong.stdout)["findings"]] == ["CHECKPOINT_REFUSED"]


def test_audit_finds_a_leaf_edited_in_place(demo, tmp_path):
    """One byte of one settlement changed in the database: exit code 1 and the finding."""
    _, data = demo
    copy = tmp_path / "data"
    shutil.copytree(data, copy)
    edit_a_leaf(copy)
    done = referee("audit", "--data", copy, "--json")
    assert done.returncode == 1
    assert "ROOT_MISMATCH" in json.loads(done.stdout)["finding_counts"]


def test_serve_refuses_a_damaged_log(demo, tmp_path):
    """A log whose leaves do not give its root is not served, and the operator is given what to do."""
    _, data = demo
    copy = tmp_path / "data"
    shutil.copytree(data, copy)
    edit_a_leaf(copy)
    done = referee_process("serve", "--data", copy, "--listen", "127.0.0.1:0")
    assert done.returncode == 2
    assert "restore" in done.stderr


def edit_a_leaf(folder):
    """Flips one byte in the middle of the last leaf of the database."""
    with sqlite3.connect(folder / "log.sqlite3") as connection:
        (position, leaf) = connection.execute("select position, data from leaf order by position desc").fetchone()
        edited = leaf[:60] + bytes([leaf[60] ^ 1]) + leaf[61:]
        connection.execute("update leaf set data = ? where position = ?", (edited, position))
    connection.close()


def test_audit_of_no_log_says_so(tmp_path):
    """Exit code 2, which a script can distinguish from findings."""
    done = referee("audit", "--data", tmp_path)
    assert done.returncode == 2
    assert "no log" in done.stderr


def test_audit_of_a_service_that_does_not_answer_says_so():
    """Exit code 2."""
    done = referee("audit", "127.0.0.1:1")
    assert done.returncode == 2
    assert "UNAVAILABLE" in done.stderr


def test_replay_of_a_round_proves_both_equalities(demo):
    """Inputs, results and the deck dealt again."""
    _, data = demo
    done = referee("replay", "demo.mau_binh.classic", 1, "--data", data)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "✓ replay(inputs) == transcript" in done.stdout
    assert "✓ redeal(OPEN, DEAL, REVEAL) == the cards of the inputs" in done.stdout


def test_replay_shows_cards_as_cards_and_times_as_times(demo):
    _, data = demo
    done = referee("replay", "demo.tien_len.mien_nam", 1, "--data", data)
    assert re.search(r"dealt \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC", done.stdout)
    transcript = json.loads(referee("replay", "demo.tien_len.mien_nam", 1, "--data", data, "--json").stdout)
    plays = [event for event in map(itemgetter("event"), transcript["inputs"]["events"]) if event["kind"] == "PLAY"]
    for play in plays:
        assert f"PLAY {' '.join(Card(number).glyph for number in play['cards'])}" in done.stdout
    assert '"cards"' not in done.stdout


def test_replay_names_the_board_and_the_house(demo):
    """Whose cards they are and who pays can be read without the numbers of sections and of the house."""
    _, data = demo
    done = referee("replay", "demo.ultimate_texas.casino", 1, "--data", data)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [re.split(" {2,}", line.strip()) for line in done.stdout.splitlines()]
    named = {cell for row in rows for cell in row[:2]}  # a section; who pays and who gets
    assert named >= {"seat 0", "house", "flop", "turn, river"}
    assert not named & {"section 3", "255"}


def test_replay_shows_the_first_difference(demo, tmp_path):
    """A transcript with another amount: exit code 1, given and found side by side."""
    _, data = demo
    printed = referee("replay", "demo.mau_binh.chi_2020", 1, "--data", data, "--json")
    assert printed.returncode == 0
    transcript = printed.stdout.strip()
    amount = json.loads(transcript)["results"]["transfers"][0]["amount"]
    file = tmp_path / "transcript.json"
    file.write_text(transcript.replace(f'"amount":{amount}', f'"amount":{amount + 1}', 1), encoding="ascii")
    done = referee("replay", "--file", file)
    assert done.returncode == 1
    assert "results.transfers[0].amount" in done.stdout
    assert str(amount + 1) in done.stdout


def test_an_exported_round_proves_each_of_its_leaves(demo, tmp_path):
    """The bundle is self-contained: every leaf's proof leads to the root of the checkpoint in it."""
    _, data = demo
    file = tmp_path / "round.json"
    done = referee("export", "demo.tien_len.mien_nam", 1, "--data", data, "--out", file)
    assert done.returncode == 0, done.stderr
    bundle = json.loads(file.read_text())
    checkpoint = open_checkpoint(
        bundle["checkpoint"].encode(), origin=bundle["origin"], keys=[VerifierKey.parse(bundle["log_key"])]
    )
    kinds = []
    for leaf in bundle["leaves"]:
        data_of_leaf = leaf["leaf"].encode()
        verify_inclusion(
            leaf_hash(data_of_leaf),
            index=leaf["index"],
            size=checkpoint.size,
            proof=[bytes.fromhex(node) for node in leaf["proof"]],
            root=checkpoint.root,
        )
        kinds.append(Envelope.parse(data_of_leaf).payload_type.removeprefix("application/vnd.referee."))
    assert [kind.partition(".")[0] for kind in kinds] == ["key"] * 3 + ["open", "deal", "settle", "reveal"]
    assert referee("export", "no-such-table", "--data", data).returncode == 2


def test_a_proof_of_a_round_is_written_beside_its_leaf(demo, tmp_path):
    """The tlog-proof holds for the settlement in the file beside it, and for no other leaf."""
    _, data = demo
    keys = dict(line.split("\t") for line in referee("keys", "--data", data).stdout.splitlines())
    file = tmp_path / "round.tlog-proof"
    done = referee("export", "demo.tien_len.mien_nam", 1, "--proof", "--data", data, "--out", file)
    assert done.returncode == 0, done.stderr
    leaf = (tmp_path / "round.leaf").read_bytes()
    assert Envelope.parse(leaf).payload_type == "application/vnd.referee.settle.v1+json"
    log_key = VerifierKey.parse(keys["log"])
    receipt = LogReceipt.parse(file.read_bytes(), leaf=leaf)
    assert receipt.verify(leaf, origin=log_key.name, keys=[log_key]).size > receipt.index
    with pytest.raises(ReceiptError):
        receipt.verify(leaf + b" ", origin=log_key.name, keys=[log_key])
    assert referee("export", "demo.tien_len.mien_nam", 1, "--proof", "--data", data).stdout == file.read_text()


def test_replay_of_no_round_says_so(demo):
    """Exit code 2."""
    _, data = demo
    done = referee("replay", "no-such-table", "--data", data)
    assert done.returncode == 2
    assert "no-such-table" in done.stderr


def test_serve_says_where_it_listens_and_stops_on_sigterm(tmp_path):
    """A script reads one JSON line; SIGTERM ends it with exit code 0; another process audits it meanwhile."""
    command = [sys.executable, "-m", "referee", "serve", "--data", str(tmp_path / "data"), "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        ready = json.loads(process.stdout.readline())
        done = referee("audit", ready["address"])
        process.send_signal(signal.SIGTERM)
        assert process.wait(SECONDS) == 0
    assert done.returncode == 0, done.stdout + done.stderr


def test_serve_on_a_taken_port_fails_loudly(tmp_path):
    """The second server says so and ends with exit code 2."""
    command = [sys.executable, "-m", "referee", "serve", "--data", str(tmp_path / "one"), "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        address = json.loads(process.stdout.readline())["address"]
        done = referee_process("serve", "--data", tmp_path / "two", "--listen", address)
        process.terminate()
        process.wait(SECONDS)
    assert done.returncode == 2
    assert address.rpartition(":")[2] in done.stderr


def test_serve_refuses_an_unknown_service(tmp_path):
    """The message names those there are."""
    done = referee_process("serve", "--data", tmp_path, "--services", "poker")
    assert done.returncode == 2
    assert "shuffler" in done.stderr


def test_rulesets_are_listed_shown_and_checked(tmp_path):
    """What is shown is the file; a bad file of one's own is refused with its name and reason."""
    listed = referee("rulesets", "list")
    assert listed.returncode == 0
    assert "mau_binh.classic" in listed.stdout
    shown = referee("rulesets", "show", "mau_binh.classic")
    source = Path(__file__).parents[2] / "referee" / "rulesets" / "mau_binh.classic.toml"
    assert shown.stdout == source.read_text(encoding="utf-8")
    bad = tmp_path / "house.toml"
    bad.write_text(shown.stdout.replace("bet_unit", "bet_units", 1), encoding="utf-8")
    checked = referee("rulesets", "check", tmp_path)
    assert checked.returncode == 2
    assert "house.toml" in checked.stderr


def test_a_key_file_that_others_can_read_is_refused(tmp_path):
    """The message says how to mend it."""
    assert referee("keys", "--data", tmp_path, "--make").returncode == 0
    (tmp_path / "keys" / "log.key").chmod(0o644)
    done = referee("keys", "--data", tmp_path)
    assert done.returncode == 2
    assert "chmod 600" in done.stderr


def test_a_key_that_went_missing_is_not_made_anew(tmp_path):
    """Losing one key must be seen, not papered over."""
    assert referee("keys", "--data", tmp_path, "--make").returncode == 0
    (tmp_path / "keys" / "sealing.key").unlink()
    done = referee("keys", "--data", tmp_path)
    assert done.returncode == 2
    assert "sealing.key" in done.stderr
