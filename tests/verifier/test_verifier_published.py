"""A log of the real services, published as tiles by the command, verified from a folder and over HTTP."""

import contextlib
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from referee.rulesets import load_builtin
from referee.storage import open_reader
from tests.command import referee
from tests.demo_log import ROUNDS, DemoLog
from tests.verifier.verifier_project import run
from tests.verifier.verifier_serving import served


class Published(NamedTuple):
    """A published log: its data folder, its tiles, and the options that name its origin and keys."""

    data: Path
    tiles: Path
    terms: tuple[str, ...]


@pytest.fixture(scope="module")
def published(demo_log: DemoLog, tmp_path_factory: pytest.TempPathFactory) -> Published:
    folder = tmp_path_factory.mktemp("published")
    data, tiles, bundle = demo_log.data, folder / "tiles", folder / "round.json"
    done = referee("publish", tiles, "--data", data)
    assert done.returncode == 0, done.stderr
    assert referee("export", "demo.tien_len.mien_nam", 3, "--data", data, "--out", bundle).returncode == 0
    known = json.loads(bundle.read_text(encoding="utf-8"))
    named = ("--origin", known["origin"], "--log-key", known["log_key"], "--root-key", known["root_key"])
    return Published(data, tiles, named)


def verified(project: Path, *arguments: object) -> tuple[int, dict[str, Any]]:
    """Run the verifier and return its exit code and its parsed result."""
    done = run("node", str(project / "build" / "src" / "cli.js"), *map(str, arguments), "--json")
    assert done.returncode in {0, 1}, done.stderr
    return done.returncode, json.loads(done.stdout)


def size_of(data: Path) -> int:
    with contextlib.closing(open_reader(data)) as reader:
        return reader.head().size


def test_published_log_is_verified_from_its_folder_and_over_http(project: Path, published: Published) -> None:
    code, result = verified(project, "--tiles", published.tiles, *published.terms)
    assert (code, result["findings"], result["size"]) == (0, [], size_of(published.data))
    assert {table: counts["revealed"] for table, counts in result["tables"].items()} == {
        f"demo.{ruleset.id}": ROUNDS for ruleset in load_builtin()
    }
    with served(published.tiles) as address:
        code, over_http = verified(project, "--tiles", address, *published.terms)
    assert over_http["as_of"] > result["as_of"], (
        "a service is verified at the verifier's clock, a copy as of its newest time"
    )
    assert (code, over_http | {"as_of": result["as_of"]}) == (0, result)


def test_published_tile_with_one_bit_changed_is_found(project: Path, published: Published) -> None:
    tile = next((published.tiles / "tile" / "0").rglob("*[0-9]"))
    while tile.is_dir():
        tile = next(tile.iterdir())
    whole = tile.read_bytes()
    tile.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    try:
        code, result = verified(project, "--tiles", published.tiles, *published.terms)
    finally:
        tile.write_bytes(whole)
    last = size_of(published.data) - 1
    assert (code, [(one["code"], one["leaf_index"]) for one in result["findings"]]) == (1, [("TILE_MISMATCH", last)])


def test_exported_log_receipt_is_verified_with_its_leaf_and_with_no_other(
    project: Path, published: Published, tmp_path: Path
) -> None:
    proof = tmp_path / "round.tlog-proof"
    done = referee("export", "demo.tien_len.mien_nam", 2, "--proof", "--data", published.data, "--out", proof)
    assert done.returncode == 0, done.stderr
    code, result = verified(project, "--proof", proof, *published.terms)
    assert (code, result["passed"], result["size"]) == (0, True, size_of(published.data))
    leaf = proof.with_suffix(".leaf")
    leaf.write_bytes(leaf.read_bytes().replace(b'"payload":"', b'"payload":"A', 1))
    code, result = verified(project, "--proof", proof, *published.terms)
    assert (code, [one["code"] for one in result["findings"]]) == (1, ["LOG_RECEIPT_REFUSED"])
