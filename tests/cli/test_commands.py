"""The ``referee`` command as a person or a script uses it: its output and exit codes."""

import json
import re
import shutil
import sqlite3
from contextlib import closing
from operator import itemgetter
from pathlib import Path

import pytest

from referee.cards import Card
from referee.evidence.dsse import Envelope
from referee.evidence.merkle import leaf_hash, verify_inclusion
from referee.evidence.vkey import VerifierKey
from referee.log import LogReceipt, ReceiptError, open_checkpoint
from tests.cli.printing import printed
from tests.command import referee, refused


@pytest.fixture(scope="module")
def data(demo_log):
    """Return the data folder that the demo left."""
    return demo_log.data


def test_demo_shows_every_ruleset_and_a_clean_audit(demo_log):
    """A newcomer sees each game's table, the settlement and what was proved."""
    titles = (
        *("Mậu Binh (maubinh.com)", "Mậu Binh cổ điển", "Mậu Binh tính chi (2020)", "Tiến Lên Miền Nam"),
        *("Ultimate Texas Hold'em (5 lá tốt nhất trong 7 lá)",),
        *("Ultimate Texas Hold'em (2 lá bài tẩy + 3 lá bài chung)", "SETTLE is leaf", "audit"),
    )
    assert [title for title in titles if title not in demo_log.printed] == []


def test_audit_of_the_demo_is_clean_and_machine_readable(data):
    """JSON with what was counted."""
    report = json.loads(printed("audit", "--data", data, "--json"))
    assert report["findings"] == []
    assert report["rounds"]["settled"] == report["checked"]["replayed"] == report["checked"]["redealt"] > 0


def test_leaf_edited_in_place_is_found_and_not_served(data, tmp_path):
    """One byte of one settlement changed in the database; the operator of the server is given what to do."""
    copy = shutil.copytree(data, tmp_path / "data")
    with closing(sqlite3.connect(copy / "log.sqlite3")) as connection, connection:
        (position, leaf) = connection.execute("select position, data from leaf order by position desc").fetchone()
        edited = leaf[:60] + bytes([leaf[60] ^ 1]) + leaf[61:]
        connection.execute("update leaf set data = ? where position = ?", (edited, position))
    done = referee("audit", "--data", copy, "--json")
    assert (done.returncode, "ROOT_MISMATCH" in json.loads(done.stdout)["finding_counts"]) == (1, True)
    assert "restore" in refused("serve", "--data", copy, "--listen", "127.0.0.1:0")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("audit", "--data", "{folder}"), "no log"),
        (("replay", "no-such-table", "--data", "{data}"), "no-such-table"),
        (("export", "no-such-table", "--data", "{data}"), "no-such-table"),
        (("serve", "--data", "{folder}", "--services", "poker"), "shuffler"),  # one of those that there are
    ],
)
def test_question_about_what_there_is_not_says_so(data, tmp_path, words, message):
    """Exit code 2, which a script can distinguish from findings."""
    assert message in refused(*(word.format(data=data, folder=tmp_path) for word in words))


def test_replay_of_a_round_proves_both_equalities(data):
    """Inputs, results and the deck dealt again."""
    shown = printed("replay", "demo.mau_binh.classic", 1, "--data", data)
    assert "✓ replay(inputs) == transcript" in shown
    assert "✓ redeal(OPEN, DEAL, REVEAL) == the cards of the inputs" in shown


def test_replay_shows_cards_as_cards_and_times_as_times(data):
    shown = printed("replay", "demo.tien_len.mien_nam", 1, "--data", data)
    assert re.search(r"dealt \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC", shown)
    transcript = json.loads(printed("replay", "demo.tien_len.mien_nam", 1, "--data", data, "--json"))
    plays = [event for event in map(itemgetter("event"), transcript["inputs"]["events"]) if event["kind"] == "PLAY"]
    for play in plays:
        assert f"PLAY {' '.join(Card(number).glyph for number in play['cards'])}" in shown
    assert '"cards"' not in shown


def test_replay_names_the_board_and_the_house(data):
    """Whose cards they are and who pays can be read without the numbers of sections and of the house."""
    shown = printed("replay", "demo.ultimate_texas.casino", 1, "--data", data)
    rows = [re.split(" {2,}", line.strip()) for line in shown.splitlines()]
    named = {cell for row in rows for cell in row[:2]}  # a section; who pays and who gets
    assert named >= {"seat 0", "house", "flop", "turn, river"}
    assert not named & {"section 3", "255"}


def test_replay_shows_the_first_difference(data, tmp_path):
    """A transcript with another amount: exit code 1, given and found side by side."""
    transcript = printed("replay", "demo.mau_binh.chi_2020", 1, "--data", data, "--json").strip()
    amount = json.loads(transcript)["results"]["transfers"][0]["amount"]
    file = tmp_path / "transcript.json"
    file.write_text(transcript.replace(f'"amount":{amount}', f'"amount":{amount + 1}', 1), encoding="ascii")
    done = referee("replay", "--file", file)
    assert (done.returncode, str(amount + 1) in done.stdout) == (1, True)
    assert "results.transfers[0].amount" in done.stdout


def test_an_exported_round_proves_each_of_its_leaves(data):
    """The bundle is self-contained: every leaf's proof leads to the root of the checkpoint in it."""
    shown = json.loads(printed("export", "demo.tien_len.mien_nam", 1, "--data", data))
    checkpoint = open_checkpoint(
        shown["checkpoint"].encode(), origin=shown["origin"], keys=[VerifierKey.parse(shown["log_key"])]
    )
    kinds = []
    for leaf in shown["leaves"]:
        content, proof = leaf["leaf"].encode(), [bytes.fromhex(node) for node in leaf["proof"]]
        place = {"index": leaf["index"], "size": checkpoint.size}
        verify_inclusion(leaf_hash(content), **place, proof=proof, root=checkpoint.root)
        kinds.append(Envelope.parse(content).payload_type.removeprefix("application/vnd.referee."))
    assert [kind.partition(".")[0] for kind in kinds] == ["key"] * 3 + ["open", "deal", "settle", "reveal"]


def test_a_proof_of_a_round_is_written_beside_its_leaf(data, keys, tmp_path):
    """The tlog-proof holds for the settlement in the file beside it, and for no other leaf."""
    export = ("export", "demo.tien_len.mien_nam", 1, "--proof", "--data", data)
    file = tmp_path / "round.tlog-proof"
    printed(*export, "--out", file)
    leaf = (tmp_path / "round.leaf").read_bytes()
    assert Envelope.parse(leaf).payload_type == "application/vnd.referee.settle.v1+json"
    log_key = VerifierKey.parse(keys[1])
    receipt = LogReceipt.parse(file.read_bytes(), leaf=leaf)
    assert receipt.verify(leaf, origin=log_key.name, keys=[log_key]).size > receipt.index
    with pytest.raises(ReceiptError):
        receipt.verify(leaf + b" ", origin=log_key.name, keys=[log_key])
    assert printed(*export) == file.read_text()


def test_serve_says_where_it_listens_and_stops_on_sigterm(serve):
    """A script reads one JSON line; SIGTERM ends it with exit code 0; another process audits it meanwhile."""
    server = serve()
    printed("audit", server.ready["address"])
    assert server.stop() == 0


def test_rulesets_are_listed_shown_and_checked(tmp_path):
    """What is shown is the file; a bad file of one's own is refused with its name and reason."""
    assert "mau_binh.classic" in printed("rulesets", "list")
    shown = printed("rulesets", "show", "mau_binh.classic")
    source = Path(__file__).parents[2] / "referee" / "rulesets" / "mau_binh.classic.toml"
    assert shown == source.read_text(encoding="utf-8")
    (tmp_path / "house.toml").write_text(shown.replace("bet_unit", "bet_units", 1), encoding="utf-8")
    assert "house.toml" in refused("rulesets", "check", tmp_path)


def test_a_key_file_that_others_can_read_or_that_is_gone_is_refused(tmp_path):
    """The message says how to mend it; losing one key must be seen, not papered over."""
    printed("keys", "--data", tmp_path, "--make")
    (tmp_path / "keys" / "log.key").chmod(0o644)
    assert "chmod 600" in refused("keys", "--data", tmp_path)
    (tmp_path / "keys" / "log.key").chmod(0o600)
    (tmp_path / "keys" / "sealing.key").unlink()
    assert "sealing.key" in refused("keys", "--data", tmp_path)
