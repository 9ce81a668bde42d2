"""A client's connection to one server: the line, the trusted keys, the journal, and the rulesets fetched."""

from collections.abc import Callable
from typing import Final, TypeVar

from referee.evidence.merkle import ProofError, verify_consistency
from referee.log.checkpoint import Checkpoint
from referee.rulesets import Ruleset, RulesetError, UnknownRulesetError, load_builtin, parse_ruleset
from referee.v1 import log_pb2, ruleset_pb2
from referee_client.abridging import Abridging
from referee_client.channel import DEFAULT_TIMEOUT
from referee_client.errors import RefereeError, VerificationError
from referee_client.journal import RoundJournal
from referee_client.line import Line
from referee_client.repeating import Repeating
from referee_client.trust import Believed, Trust

Checked = TypeVar("Checked")

_COSIGNED_SECONDS: Final = 30.0
_MOST_KEY_PAGES: Final = 1000
"""Pages of KEY leaves that are read."""


class Session:
    """A server and the trust that its answers are verified with.

    Without a trust, the keys that it shows first are trusted.

    With a journal, a round is recorded there before each call whose loss it must survive. An event that is not answered
    is sent again for ``timeout`` seconds, or with ``repeating`` until it is answered, as the line does with every other
    call.
    """

    def __init__(
        self,
        line: Line,
        trust: Trust | None,
        journal: RoundJournal | None = None,
        repeating: Repeating | None = None,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> None:
        self.line = line
        self.journal = journal
        self.repeating = repeating
        self.timeout = timeout
        self.abridging = Abridging()
        self._believed = None if trust is None else Believed(trust)
        self._rulesets: dict[bytes, Ruleset | None] = {}
        self._newest: Checkpoint | None = None

    async def believed(self) -> Believed:
        """Return the trusted keys; fetch them at the first call."""
        if self._believed is None or not self._believed.seen:
            keys = await self.keys()
            if self._believed is None:
                self._believed = Believed.trust_first_served(log_key=keys.log_key, root_key=keys.root_key)
            self._believed.learn(keys.key_leaves)
        return self._believed

    async def check(self, check: Callable[[Believed], Checked]) -> Checked:
        """Run a check; if it fails and the log has newer keys, learn these and run the check again."""
        believed = await self.believed()
        try:
            return check(believed)
        except VerificationError:
            if not believed.learn((await self.keys()).key_leaves):
                raise
        return check(believed)

    async def checkpoint(self) -> Checkpoint:
        """Fetch the log's newest checkpoint and verify that it continues the newest one this client has seen.

        Raise VerificationError if it does not: then the log was rewritten, and both notes prove it.
        """
        asked, kind = log_pb2.GetCheckpointRequest(), log_pb2.GetCheckpointResponse
        note = (await self.line.ask("referee.v1.LogService/GetCheckpoint", asked, kind)).checkpoint
        newest, before = await self.check(lambda believed: believed.checkpoint(note)), self._newest
        if before is not None:
            await self._check_growth(*sorted((before, newest), key=lambda one: one.size))
        if before is None or newest.size > before.size:
            self._newest = newest
        return newest

    async def wait_cosigned(self, size: int) -> Checkpoint:
        """Wait for a checkpoint of at least ``size`` leaves that a quorum of the witnesses has cosigned."""
        note = (
            await self.line.ask(
                "referee.v1.LogService/GetCheckpoint",
                log_pb2.GetCheckpointRequest(cosigned_size=size),
                log_pb2.GetCheckpointResponse,
                seconds=_COSIGNED_SECONDS,
            )
        ).checkpoint
        found = await self.check(lambda believed: believed.check_cosigned(note))
        if found.size < size:
            raise VerificationError(f"the cosigned checkpoint has {found.size} leaves, and {size} were asked for")
        return found

    async def ruleset(self, *, ruleset_id: str, version: str, digest: bytes) -> Ruleset | None:
        """Return the ruleset with this digest, built in or fetched from the server; None if neither can be read."""
        try:
            return load_builtin().of_digest(digest)
        except UnknownRulesetError:
            pass
        if digest not in self._rulesets:
            self._rulesets[digest] = await self._shown_ruleset(ruleset_id, version, digest)
        return self._rulesets[digest]

    async def _shown_ruleset(self, ruleset_id: str, version: str, digest: bytes) -> Ruleset | None:
        asked = ruleset_pb2.GetRulesetRequest(ruleset_id=ruleset_id, version=version)
        try:
            shown = await self.line.ask("referee.v1.RulesetService/GetRuleset", asked, ruleset_pb2.GetRulesetResponse)
            ruleset = parse_ruleset(shown.toml, file=ruleset_id)
        except (RefereeError, RulesetError):
            return None
        return ruleset if ruleset.digest == digest else None

    async def keys(self) -> log_pb2.GetKeysResponse:
        """Fetch the keys with the KEY leaves of all pages; raise VerificationError for pages without an end."""
        keys = page = await self.line.ask(
            "referee.v1.LogService/GetKeys", log_pb2.GetKeysRequest(), log_pb2.GetKeysResponse
        )
        for _ in range(_MOST_KEY_PAGES):
            if not page.HasField("next_page_token"):
                return keys
            asked = log_pb2.GetKeysRequest(page_token=page.next_page_token)
            page = await self.line.ask("referee.v1.LogService/GetKeys", asked, log_pb2.GetKeysResponse)
            keys.key_leaves.extend(page.key_leaves)
        msg = f"the server lists its keys on more than {_MOST_KEY_PAGES} pages"
        raise VerificationError(msg)

    async def _check_growth(self, old: Checkpoint, new: Checkpoint) -> None:
        asked = log_pb2.GetConsistencyProofRequest(first_size=old.size, second_size=new.size)
        proof: list[bytes] = []
        if old.size != new.size:
            kind = log_pb2.GetConsistencyProofResponse
            proof = list(
                (await self.line.ask("referee.v1.LogService/GetConsistencyProof", asked, kind)).consistency_proof
            )
        try:
            verify_consistency(old_size=old.size, new_size=new.size, old_root=old.root, new_root=new.root, proof=proof)
        except ProofError as error:
            msg = f"the log of {new.size} leaves does not continue the one of {old.size} that was seen: {error}"
            raise VerificationError(msg) from None
