"""No request has a field for the server's seed, a nonce, a key or a deck, so no caller can choose them."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from google.protobuf import descriptor_pool
from google.protobuf.descriptor import Descriptor, FieldDescriptor, FileDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool

from tests.driver.messages import FILES

PROTOS = sorted((Path(__file__).parents[2] / "protos" / "referee" / "v1").glob("*.proto"))
GIVEN = {
    "client_seed": "a seat's own seed, to whose commitment the round is bound",
    "client_seeds": "the same of all seats",
    "seed_signature": "a seat's word for its own seed",
    "seed_signatures": "the same of all seats",
    "seed": "a seat's own seed, where the message is one of a seat's contribution",
    "server_commitment": "part of a certificate that is handed back",
}
"""Fields of requests whose names speak of randomness, and why they may."""
SUSPECT = re.compile(r"seed|entropy|random|nonce|secret|salt|deck|shuffl|private|server_", re.IGNORECASE)
HARMLESS = re.compile(r"deck_root|randomness_suite|seat_|nonce$")
"""Hashes, names and numbers that give nothing away; a seat's own nonce opens its own arrangement."""


def descriptor_of(proto: Path) -> FileDescriptor:
    assert FILES, "all files are imported, and so in the pool"
    return descriptor_pool.Default().FindFileByName(f"referee/v1/{proto.name}")


def file_descriptors() -> Iterator[FileDescriptor]:
    return map(descriptor_of, PROTOS)


def requests() -> dict[str, Descriptor]:
    """Every message that a method of a service takes, by its name."""
    return {
        method.input_type.name: method.input_type
        for file in file_descriptors()
        for service in file.services_by_name.values()
        for method in service.methods
    }


def fields_of(message: Descriptor, seen: frozenset[str] = frozenset()) -> Iterator[tuple[str, FieldDescriptor]]:
    """Every field that can be given with a message, by its path, those of messages within it included."""
    for field in message.fields:
        yield f"{message.name}.{field.name}", field
        inner = field.message_type
        if inner is not None and inner.full_name not in seen:
            yield from fields_of(inner, seen | {message.full_name, inner.full_name})


def odd_fields(message: Descriptor) -> set[str]:
    """List the fields by which a caller might set what only the server may choose."""
    return {
        path
        for path, field in fields_of(message)
        if SUSPECT.search(field.name) and not HARMLESS.search(field.name) and field.name not in GIVEN
    }


def test_no_request_has_a_field_for_the_servers_randomness():
    """Every name in every request that speaks of seeds, nonces, salts or decks is one that a seat gives."""
    assert sum(1 for request in requests().values() for _ in fields_of(request)) > 100
    assert set().union(*map(odd_fields, requests().values())) == set()


@pytest.mark.parametrize("name", ["server_seed", "seed_override", "deck", "entropy", "round_salt", "shuffle_key"])
def test_field_that_gave_it_would_be_seen(name: str):
    """Also where it hides in a message within the request."""
    proto = FileDescriptorProto(name=f"{name}.proto", package=f"made_up_{name}", syntax="proto3")
    inner = proto.message_type.add(name="Terms")
    inner.field.add(name=name, number=1, type=FieldDescriptor.TYPE_BYTES, label=FieldDescriptor.LABEL_OPTIONAL)
    outer = proto.message_type.add(name="OpenRequest")
    outer.field.add(
        name="terms",
        number=1,
        type=FieldDescriptor.TYPE_MESSAGE,
        type_name=f".made_up_{name}.Terms",
        label=FieldDescriptor.LABEL_REPEATED,
    )
    pool = DescriptorPool()
    pool.Add(proto)
    assert odd_fields(pool.FindMessageTypeByName(f"made_up_{name}.OpenRequest")) == {f"Terms.{name}"}


def test_shuffler_is_asked_for_a_round_by_terms_and_seats_alone():
    """Each field of 32 bytes or any bytes in the shuffler's requests is a hash, a commitment, a key or a seat's own."""
    shuffler = [
        name for name in requests() if name.startswith(("Open", "Prepare", "Deal", "Contribute", "Reveal", "Abort"))
    ]
    assert len(shuffler) >= 4
    of_bytes = {
        field.name
        for name in shuffler
        for _, field in fields_of(requests()[name])
        if field.type == FieldDescriptor.TYPE_BYTES
    }
    known = re.compile(
        r"client_|seat_|commitment|round_id|previous_leaf|digest|receipt|certificate|signature|token|^seed$|_key|event_hash"
    )
    assert {name for name in of_bytes if not known.search(name)} == set()


@pytest.mark.parametrize("file", PROTOS, ids=lambda file: file.stem)
def test_no_request_takes_a_message_of_any_type(file: Path):
    """Neither ``Any`` nor a map of names to values lets a field in by another door."""
    descriptor = descriptor_of(file)
    proto = FileDescriptorProto()
    descriptor.CopyToProto(proto)
    assert not any("protobuf/any.proto" in name or "protobuf/struct.proto" in name for name in proto.dependency)
    assert not any(nested.options.map_entry for message in proto.message_type for nested in message.nested_type)
