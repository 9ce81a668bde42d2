"""What honest code would have derived from an edited tree: courses of events, or a round under another header.

A SETTLE with ``follows`` gets the receipt, signatures and hash of its events; an UNSEAL with ``follows`` gets the link
of that course; an OPEN with ``follows`` gets the id of its header, and its round is dealt again from its seeds.
"""

import copy
import json
from collections.abc import Callable, Mapping

from referee.transcript.chain import Course, sign_receipt
from tests.audit.audit_builder import signature_of
from tests.fuzz.fuzz_changes import Tree
from tests.fuzz.fuzz_signers import BY_KEY, NAMED
from tests.vectors.dealing.dealing_derivation import derive, number, round_id, tagged

ODD = (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError, AssertionError, StopIteration)
"""What an edited tree may raise where it no longer has the form of a round: then nothing follows."""


def follow(tree: Tree) -> Tree:
    """Return the tree with everything derived that its leaves ask for."""
    asking = [leaf for leaf in tree["leaves"] if isinstance(leaf, dict) and leaf.get("follows")]
    if not asking:
        return tree
    tree = copy.deepcopy(tree)
    leaves = [leaf for leaf in tree["leaves"] if isinstance(leaf, dict) and isinstance(leaf.get("payload"), dict)]
    for leaf in leaves:
        if leaf.get("follows") and "header" in leaf["payload"]:
            _attempt(_deal_again, leaf["payload"], leaves)
    courses: dict[str, Course] = {}
    for leaf in leaves:
        if "inputs" in leaf["payload"]:
            _attempt(_settle_again, leaf, courses)
    for leaf in leaves:
        if leaf.get("follows") and "receipt_signature" in leaf["payload"]:
            _attempt(_unseal_again, leaf["payload"], courses)
    return tree


def _attempt(make: Callable[..., None], *about: object) -> None:
    try:
        make(*about)
    except ODD:
        return


def _settle_again(leaf: Tree, courses: dict[str, Course]) -> None:
    said, inputs = leaf["payload"], leaf["payload"]["inputs"]
    course = Course.begin(round_id=bytes.fromhex(said["round_id"]), deck_root=bytes.fromhex(inputs["deck_root"]))
    for one in inputs["events"]:
        event = one["event"]
        text = json.dumps(event, sort_keys=True, separators=(",", ":")).encode()
        seen = event.get("seen")
        given = {"time": one["time"], "received": one["received"] == 1, "seat": event.get("seat", 0)}
        course = course.append(text, seen=seen if isinstance(seen, int) else None, **given)
    courses.setdefault(said["round_id"], course)
    if not leaf.get("follows"):
        return
    keys = inputs["header"]["seat_keys"]
    signers = [BY_KEY.get(bytes.fromhex(key)) for key in keys]
    inputs["signatures"] = [
        NAMED[name].sign(course.moves[seat]).hex() if name and seat in course.moves else ""
        for seat, name in enumerate(signers)
    ]
    opens = inputs.get("receipt", {}).get("opens_section")
    if course.received:
        receipt = sign_receipt(course.receipt(course.received, opens_section=opens), NAMED[leaf["by"]])
        named = {} if opens is None else {"opens_section": opens}
        inputs["receipt"] = {"number": course.received, "signature": signature_of(receipt), **named}
    else:
        inputs.pop("receipt", None)
    said["results"]["events_hash"] = course.event_hash.hex()


def _unseal_again(said: Tree, courses: Mapping[str, Course]) -> None:
    course, number = courses[said["round_id"]], said["number"]
    link = course.links[number - 1]
    receipt = sign_receipt(course.receipt(number, opens_section=said["opens_section"]), NAMED["log.example/1/referee"])
    found = {"event_hash": link.event_hash.hex(), "history": link.history.hex(), "received_time": link.time}
    said |= found | {"receipt_signature": signature_of(receipt)}


def _deal_again(opened: Tree, leaves: list[Tree]) -> None:
    """Give a round the id of its header, and deal it again from the seeds that its leaves show."""
    header, old = opened["header"], opened["round_id"]
    rid = round_id(header)
    own = [leaf["payload"] for leaf in leaves if leaf["payload"].get("round_id") == old]
    dealt, settled, revealed = (_with(own, name) for name in ("client_seeds", "inputs", "server_seed"))
    seeds = [bytes.fromhex(seed) for seed in dealt["client_seeds"]]
    secret = bytes.fromhex(revealed["server_seed"])
    deal = derive(header, secret, seeds)
    sections, root, commitment = (
        [one["cards"] for one in deal["sections"]],
        deal["deck_root"],
        deal["server_commitment"],
    )
    committed = [tagged("client-commit", rid, number(seat, 1), seed).hex() for seat, seed in enumerate(seeds)]
    before = [card for section in settled.get("inputs", {}).get("sections", []) for card in section]
    after = [card for section in sections for card in section]
    moved = dict(zip([*before, *sorted(set(range(1, 53)) - set(before))], after, strict=True))
    for said in own:
        said["round_id"] = rid.hex()
    opened |= {"server_commitment": commitment.hex()}
    opened["client_commitments"] = [
        new if text else "" for new, text in zip(committed, opened["client_commitments"], strict=True)
    ]
    dealt |= {"mix": deal["mix"].hex(), "deck_root": root.hex()}
    if "leader" in dealt:
        by = {"DRAW": deal["drawn"], "LOWEST_CARD": deal["lowest"]}
        dealt["leader"] = by.get(str(dealt.get("leader_by")), dealt["leader"])
    _sign_seeds(opened, dealt, rid, commitment, seeds)
    if "inputs" not in settled:
        return
    inputs = settled["inputs"]
    inputs |= {"header": copy.deepcopy(header), "deck_root": root.hex()}
    inputs["sections"] = sections[: len(inputs["sections"])]
    if "leader" in inputs and "leader" in dealt:
        inputs["leader"] = dealt["leader"]
    for one in inputs["events"]:
        for name in ("back", "middle", "front", "cards"):
            if name in one["event"]:
                one["event"][name] = [moved.get(card, card) for card in one["event"][name]]


def _sign_seeds(opened: Tree, dealt: Tree, rid: bytes, commitment: bytes, seeds: list[bytes]) -> None:
    if "seed_signatures" not in dealt:
        return
    tokens = opened.get("seat_tokens", [""] * len(seeds))
    for seat, (seed, token, key) in enumerate(zip(seeds, tokens, opened["header"]["seat_keys"], strict=True)):
        signer = BY_KEY.get(bytes.fromhex(key))
        if signer is not None and dealt["seed_signatures"][seat]:
            statement = tagged("client-seed", rid, commitment, number(seat, 1), bytes.fromhex(token), seed)
            dealt["seed_signatures"][seat] = NAMED[signer].sign(statement).hex()


def _with(payloads: list[Tree], name: str) -> Tree:
    return next((said for said in payloads if name in said), {})
