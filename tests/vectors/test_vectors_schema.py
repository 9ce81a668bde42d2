"""Every row and every payload is what its schema says, and the README names every file."""

import base64
import json
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from tests.vectors.reading import FOLDER, read

SCHEMAS = {
    path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted((FOLDER / "schema").glob("*.json"))
}
REGISTRY: Registry[Any] = Registry().with_resources(
    [(name, Resource.from_contents(schema)) for name, schema in SCHEMAS.items()]
)
FILES = sorted(str(path.relative_to(FOLDER).with_suffix("")) for path in FOLDER.glob("*/*.jsonl"))
LEAF_KINDS = ("open", "deal", "unseal", "settle", "abort", "reveal", "key", "start")


def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(SCHEMAS[f"{name}.json"], registry=REGISTRY)


def is_payload(kind: str, value: object) -> bool:
    return bool(validator(f"payload.{kind}").is_valid(value))


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas_are_schemas(name: str) -> None:
    Draft202012Validator.check_schema(SCHEMAS[name])
    assert SCHEMAS[name]["$id"] == name


@pytest.mark.parametrize("name", FILES)
def test_rows_are_what_their_schema_says(name: str) -> None:
    checked = validator(name.replace("/", "."))
    for row in read(name):
        assert [error.message[:300] for error in checked.iter_errors(row)] == [], row["id"]


@pytest.mark.parametrize("name", FILES)
def test_ids_are_unique_and_every_row_says_why_and_whence(name: str) -> None:
    rows = read(name)
    assert len({row["id"] for row in rows}) == len(rows)
    assert all(row["why"] and row["source"] for row in rows)


def test_every_file_has_a_schema_and_every_schema_a_file() -> None:
    named = {f"{name.replace('/', '.')}.json" for name in FILES}
    assert named == {name for name in SCHEMAS if not name.startswith("payload.")}


def test_readme_names_every_file_and_no_other() -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([a-z_]+/[a-z0-9_]+)\.jsonl`", text))
    assert named == set(FILES)


def test_rows_with_another_member_or_without_one_are_refused() -> None:
    """Schemas are closed."""
    for name in FILES:
        checked = validator(name.replace("/", "."))
        row = read(name)[0]
        assert not checked.is_valid({**row, "another": 1}), name
        assert not checked.is_valid({member: value for member, value in row.items() if member != "why"}), name


def payloads(leaf: str) -> tuple[str, Any]:
    envelope = json.loads(leaf)
    assert is_payload("envelope", envelope)
    kind = re.fullmatch(r"application/vnd\.referee\.([a-z]+)\.v1\+json", envelope["payloadType"])
    assert kind is not None
    return kind[1], json.loads(base64.b64decode(envelope["payload"]))


def test_payloads_of_honest_leaves_are_what_their_schemas_say() -> None:
    sound = [row for name in ("healthy", "cosigned", "chance") for row in read(f"audit/{name}")]
    texts = [leaf for row in sound for leaf in row["leaves"]]
    texts += [row["envelope"] for name in ("leaves", "seat_leaves") for row in read(f"dealing/{name}")]
    seen = set()
    for text in texts:
        kind, payload = payloads(text)
        assert [error.message[:300] for error in validator(f"payload.{kind}").iter_errors(payload)] == []
        seen.add(kind)
    assert seen == set(LEAF_KINDS)


def test_payloads_of_sealed_rounds_are_what_their_schemas_say() -> None:
    """Their rows have one change each, which leaves the members as they are."""
    for row in read("audit/seats"):
        for leaf in row["leaves"]:
            kind, payload = payloads(leaf)
            assert is_payload(kind, payload), row["id"]


def test_certificates_and_receipts_are_what_their_schemas_say() -> None:
    texts = [row["certificate"] for name in ("certificates", "sealed_certificates") for row in read(f"dealing/{name}")
             if not row["fault"]]  # fmt: skip
    texts += [row["receipt"] for row in read("transcript/receipts") if row["holds"]]
    for text in texts:
        kind, payload = payloads(text)
        assert is_payload(kind, payload)


def test_receipted_events_are_what_their_schema_says() -> None:
    rows = [row for row in read("transcript/receipted_events") if row["id"] != "order"]
    assert [row["is_file"] for row in rows] == [is_payload("receipted_event", json.loads(row["file"])) for row in rows]


def test_events_are_what_their_schema_says() -> None:
    assert all(
        is_payload("game_event", json.loads(row["event"])) for row in read("transcript/events") if row["is_event"]
    )


def test_refused_members_are_refused_by_the_schemas_too() -> None:
    """Inputs refused for their members, not for their spelling or for other leaves."""
    spelling = {
        "descending",
        "ruleset_twice",
        "others",
        "white_space",
        "order",
        "round_id",
        "commitments",
        "tokens",
        "places",
        "leader",
        "open_order",
        "unsound",
    }
    rows = [row for row in read("dealing/refused_leaves") if row["id"].partition(".")[2] not in spelling]
    assert len(rows) > 20
    for row in rows:
        assert not is_payload(row["kind"], json.loads(row["payload"])), row["id"]
