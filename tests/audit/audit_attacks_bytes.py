"""Leaves that hold whatever bytes a holder of the keys can sign: each gives a finding, and the audit goes on."""

from functools import partial
from typing import Final

import msgspec

from referee.audit import Code
from referee.dealing import leaf as leaves
from tests.audit.audit_attack import log_attack
from tests.audit.audit_builder import SHUFFLER, LogBuilder, Parts, sign

NUMBER: Final = 69
DEEP: Final = 5_000
any_bytes = partial(log_attack, number=NUMBER)


@any_bytes(Code.NOT_CANONICAL, "a leaf is no envelope but noise", steps="")
def noise_as_a_leaf(log: LogBuilder, parts: Parts) -> None:
    log.append(parts)
    log.entries.append(b'\x00\x7f{"payload":"\\ud800')


@any_bytes(Code.NOT_CANONICAL, "a transcript is nested so deeply that a reader which recurses runs out of stack")
def transcript_nested_deeply(_log: LogBuilder, parts: Parts) -> None:
    parts.transcript = b"[" * DEEP + b"]" * DEEP


@any_bytes(Code.NOT_CANONICAL, "a number is so large that a reader which keeps 64 bits overflows")
def number_of_a_hundred_digits(_log: LogBuilder, parts: Parts) -> None:
    parts.transcript = parts.transcript.replace(b'"format":1', b'"format":1' + b"0" * 100)


@any_bytes(Code.TYPE_CONFUSION, "a list of lists is signed as a deal", steps="")
def deal_that_is_a_list(log: LogBuilder, parts: Parts) -> None:
    log.entries += [parts.open_leaf, sign(leaves.DEAL_TYPE, b'[[],{},"",0]', SHUFFLER)]


@any_bytes(Code.CLIENT_SEED_MISMATCH, "a deal has a seed too few, so that what is counted by seats ends early")
def deal_with_a_seed_too_few(_log: LogBuilder, parts: Parts) -> None:
    parts.dealt = msgspec.structs.replace(parts.dealt, client_seeds=parts.dealt.client_seeds[:-1])


@any_bytes(Code.EVENTS_ALTERED, "the events are objects that say nothing, and the results an empty list")
def events_that_say_nothing(_log: LogBuilder, parts: Parts) -> None:
    whole = msgspec.json.decode(parts.transcript)
    for event in whole["inputs"]["events"]:
        event["event"] = {}
    parts.transcript = msgspec.json.encode(whole | {"results": []}, order="sorted")


@any_bytes(Code.NOT_CANONICAL, "an opening of a section that no number in eight bits names, of no event", steps="")
def unseal_of_nothing(log: LogBuilder, parts: Parts) -> None:
    whole = {
        "event_hash": "00" * 32,
        "history": "00" * 32,
        "number": 0,
        "opens_section": 2**53 - 1,
        "receipt_signature": "00" * 64,
        "received_time": 0,
        "round_id": parts.opened.round_id,
        "sections": [2**53 - 1],
        "unsealed_time": 0,
    }
    log.entries += [parts.open_leaf, parts.deal_leaf]
    log.entries.append(sign(leaves.UNSEAL_TYPE, msgspec.json.encode(whole, order="sorted"), SHUFFLER))
