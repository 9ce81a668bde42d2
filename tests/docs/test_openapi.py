"""OpenAPI document of the gateway: one call of each method, made by the document alone, is answered as it says."""

import importlib.util
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import grpc
import pytest
from google.protobuf import json_format
from google.protobuf.message_factory import GetMessageClass
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from referee.server.clock import system_clock
from tests.chaos.recording import record
from tests.driver.messages import METHODS
from tests.web.doors import Door

ROOT: Final = Path(__file__).parents[2]
HEALTH: Final = {"/grpc.health.v1.Health/Check"}
Json = dict[str, Any]


@pytest.fixture(scope="module")
def document() -> Json:
    """Make the document as ``make docs`` does."""
    sys.path.insert(0, str(ROOT / "protos"))  # for the script that reads the protos' comments
    try:
        spec = importlib.util.spec_from_file_location("openapi", ROOT / ".docs" / "openapi.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(ROOT / "protos"))
    made: Json = module.document()
    return json.loads(json.dumps(made))  # as a reader of the file has it


def validator_of(document: Json, content: Json) -> Draft202012Validator:
    """Return the validator of a body; a member that no schema names is an error."""
    strict = json.loads(json.dumps(document))
    for schema in strict["components"]["schemas"].values():
        if "properties" in schema and "required" not in schema:
            schema["additionalProperties"] = False
    registry: Any = Registry().with_resource("urn:openapi", Resource.from_contents(strict, DRAFT202012))
    schema = content["application/json"]["schema"]
    return Draft202012Validator({"$ref": f"urn:openapi{schema['$ref']}"}, registry=registry)


def operations(document: Json) -> Iterator[tuple[str, str, Json]]:
    """Yield path, HTTP method and operation of each call in the document."""
    for path, found in document["paths"].items():
        yield from ((path, verb, operation) for verb, operation in found.items())


@pytest.mark.slow("plays rounds of all games through a server with a gateway")
def test_one_call_of_each_method_is_made_and_answered_as_the_document_says(
    document: Json, serve_web: Callable[..., Door]
) -> None:
    """Requests that real rounds made, as JSON that fits the schema; answers, repeated ones too, fit theirs."""
    door = serve_web()
    with grpc.insecure_channel(f"127.0.0.1:{door.application.port}") as channel:
        recorded = record(channel, system_clock())
    refused = validator_of(document, document["components"]["responses"]["Refused"]["content"])
    statuses: dict[str, int] = {}
    for path, verb, operation in operations(document):
        kind = None if path in HEALTH else GetMessageClass(METHODS[path].input_type)
        body = {} if kind is None else json_format.MessageToDict(kind.FromString(recorded[path][0]))
        if verb == "post":
            validator_of(document, operation["requestBody"]["content"]).validate(body)
            answer = door.http.post(path, json=body)
        else:
            fixed = {one["name"]: one["schema"]["const"] for one in operation["parameters"] if "schema" in one}
            answer = door.http.get(path, params={**fixed, "message": json.dumps(body)})
        responses = operation["responses"]
        if answer.status_code == 200:
            validator_of(document, responses["200"]["content"]).validate(answer.json())
        else:
            refused.validate(answer.json())
        statuses[f"{verb} {path}"] = answer.status_code
    assert {path.partition(" ")[2] for path in statuses} == set(METHODS) | HEALTH
    assert {name: status for name, status in statuses.items() if status != 200} == {}


@pytest.mark.slow("starts a server with a gateway")
def test_refused_call_is_answered_as_the_document_says(document: Json, serve_web: Callable[..., Door]) -> None:
    answer = serve_web().ask("/referee.v1.LogService/GetTableRound", {"tableId": "nobody"})
    assert answer.status_code == 400
    content = document["components"]["responses"]["Refused"]["content"]
    validator_of(document, content).validate(answer.json())
    wrong = answer.json() | {"code": "of tomorrow"}
    assert not validator_of(document, content).is_valid(wrong)


def test_generator_is_short(document: Json) -> None:
    """What a reader has to trust of it fits on four screens; the document has every unary method."""
    assert len((ROOT / ".docs" / "openapi.py").read_text("utf-8").splitlines()) <= 200
    assert set(document["paths"]) == set(METHODS) | HEALTH
