"""Attacks on the log: leaves, history and checkpoints."""

from collections.abc import Callable
from dataclasses import replace

from referee.audit import Code, Documents
from referee.transcript.inputs import MEDIA_TYPE
from tests.audit.audit_attack import TABLE, Attacked, begun, ended, healthy, mutation
from tests.audit.audit_builder import LOG, REFEREE, LogBuilder, NamedSigner, sign
from tests.log.signed_note import sign_note


@mutation(Code.ROOT_MISMATCH, "a leaf is edited where it is kept, under the old checkpoint")
def leaf_edited_in_place() -> Attacked:
    log, parts = begun()
    log.append(parts)
    honest = log.bundle()
    edited = [*honest.entries]
    place = len(edited) - 2
    edited[place] = sign(MEDIA_TYPE, parts.transcript.replace(b'"stake":', b'"stake": '), REFEREE)
    return Attacked(bundle=replace(honest, entries=tuple(edited)), now=log.time)


@mutation(Code.HISTORY_REWRITTEN, "the log is written anew and signed again; a checkpoint that somebody kept shows it")
def history_rewritten() -> Attacked:
    log, parts = begun()
    log.append(parts)
    kept = log.checkpoint()
    anew, other = begun(replace(TABLE, commits=False))
    anew.append(other)
    anew.play(TABLE)
    return Attacked(bundle=anew.bundle(), witnessed=(kept,), now=anew.time)


@mutation(Code.SPLIT_VIEW, "two people are shown two logs of one size")
def split_view() -> Attacked:
    log, parts = begun()
    log.append(parts)
    kept = log.checkpoint()
    anew, other = begun(replace(TABLE, commits=False))
    anew.append(other)
    return Attacked(bundle=anew.bundle(), witnessed=(kept,), now=anew.time)


@mutation(Code.LOG_TRUNCATED, "the last leaves are gone, and the checkpoint still counts them")
def leaves_cut_off() -> Attacked:
    attacked = healthy()
    return replace(
        attacked, bundle=replace(attacked.bundle, entries=attacked.bundle.entries[:-1]), documents=Documents()
    )


@mutation(Code.LOG_TRUNCATED, "the log was set back and signed again; a checkpoint that somebody kept is larger")
def log_set_back() -> Attacked:
    log, parts = begun()
    shorter = log.bundle()
    log.append(parts)
    return Attacked(bundle=shorter, witnessed=(log.checkpoint(),), now=log.time)


def with_checkpoint(note: Callable[[LogBuilder], bytes]) -> Attacked:
    """Make a healthy log under a wrong checkpoint."""
    log, parts = begun()
    log.append(parts)
    return Attacked(bundle=replace(log.bundle(), checkpoint=note(log)), now=log.time)


@mutation(Code.CHECKPOINT_REFUSED, "the checkpoint is another log's")
def checkpoint_of_another_origin() -> Attacked:
    return with_checkpoint(lambda log: log.checkpoint(origin="log.example/2"))


@mutation(Code.CHECKPOINT_REFUSED, "the checkpoint is signed by another key under the log's name")
def checkpoint_by_another_key() -> Attacked:
    impostor = NamedSigner("impostor")
    impostor.name = LOG.name
    return with_checkpoint(lambda log: log.checkpoint(signer=impostor))


@mutation(Code.CHECKPOINT_REFUSED, "a line more in the note would be signed and not understood")
def checkpoint_with_another_line() -> Attacked:
    def note(log: LogBuilder) -> bytes:
        text = log.checkpoint().decode().partition("\n\n")[0] + "\nextra\n"
        return sign_note(text, name=LOG.name, signer=LOG).format()

    return with_checkpoint(note)


@mutation(Code.WRONG_ORIGIN, "a round that was opened for another log")
def round_of_another_log() -> Attacked:
    log = LogBuilder.founded()
    parts = log.prepare(TABLE, origin="log.example/2")
    return ended(log, parts)
