"""Attacks on START leaves, which say what judges."""

from dataclasses import replace

from referee.audit import Code
from referee.dealing import leaf as leaves
from referee.dealing.leaf import StartLeaf, StartRuleset
from referee.rulesets import get
from tests.audit.audit_attack import TABLE, Attacked, ended, mutation
from tests.audit.audit_builder import REFEREE, SHUFFLER, START, LogBuilder, NamedSigner, digest, plain, sign

OTHER = replace(TABLE, ruleset_id="ultimate_texas.casino", name="board")


def start_leaf(*ruleset_ids: str, instance: str = "referee", by: NamedSigner = REFEREE) -> bytes:
    """Make the START of a server that judges by these rulesets, given in their order."""
    rulesets = [get(name) for name in ruleset_ids]
    leaf = StartLeaf(
        instance=instance,
        package=digest("package").hex(),
        python="3.13.5",
        rulesets=tuple([StartRuleset(digest=one.digest.hex(), id=one.id, version=one.version) for one in rulesets]),
        settings=digest("settings").hex(),
        started_time=START,
        version="0.1.0",
    )
    return sign(leaves.START_TYPE, plain(leaf), by)


def started() -> Attacked:
    """Play rounds while two servers start and change; one of them names each round's ruleset at its settlement."""
    log = LogBuilder.founded()
    log.entries.append(start_leaf(TABLE.ruleset_id, instance="room-1"))
    log.play(TABLE)
    log.entries.append(start_leaf(TABLE.ruleset_id, OTHER.ruleset_id, instance="room-2"))
    log.entries.append(start_leaf(OTHER.ruleset_id, instance="room-1"))
    log.play(TABLE)
    log.play(OTHER)
    return ended(log)


def started_late() -> Attacked:
    """Settle a round before the log's first START, which names another ruleset."""
    log = LogBuilder.of(TABLE)
    log.entries.append(start_leaf(OTHER.ruleset_id))
    log.play(OTHER)
    return ended(log)


@mutation(Code.RULESET_NOT_STARTED, "no server has said that it judges by the ruleset of a round")
def settled_under_an_unnamed_ruleset() -> Attacked:
    log = LogBuilder.founded()
    log.entries.append(start_leaf(OTHER.ruleset_id))
    log.play(TABLE)
    return ended(log)


@mutation(Code.RULESET_NOT_STARTED, "the only server that judged by a ruleset starts again without it")
def settled_under_a_ruleset_that_went() -> Attacked:
    log = LogBuilder.founded()
    log.entries += [start_leaf(TABLE.ruleset_id), start_leaf(OTHER.ruleset_id)]
    log.play(TABLE)
    return ended(log)


@mutation(Code.WRONG_ROLE, "the shuffler says what judges")
def started_by_the_shuffler() -> Attacked:
    log = LogBuilder.founded()
    log.entries.append(start_leaf(TABLE.ruleset_id, by=SHUFFLER))
    log.play(TABLE)
    return ended(log)
