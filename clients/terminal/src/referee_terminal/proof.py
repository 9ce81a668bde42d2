"""A finished round's proof, checked in the terminal: its bundle, by the keys that are known and the audit's own law.

The keys are those that this terminal was given, or saw first at this table server; a server that shows others
later is not believed. What holds and what does not is said check by check.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from referee.audit.bundle import BundleError, ProvedRound, prove_round
from referee.evidence.vkey import KeyTextError
from referee.rulesets import load_builtin
from referee.transcript.played import EventLevel
from referee_terminal.shedding import Look


class ProofError(RuntimeError):
    """What came for a proof is none."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Verdict on a round's proof."""

    found: ProvedRound

    def draw(self, look: Look) -> Text:
        """Each check with its mark, then every finding by its code."""
        text, found = Text(), self.found
        refuted = next((one.code.value for one in found.findings), "")
        if found.is_proved:
            text.append(f"✓ {look.say('verified')}\n\n", "bold green")
        elif refuted:
            text.append(f"✗ {look.say('refuted', check=refuted)}\n\n", "bold red")
        else:
            text.append(f"… {look.say('not_revealed')}\n\n", "yellow")
        result = found.result
        checks = [
            ("in_log", found.leaves is not None),
            ("signatures", result is not None and result.signatures > 0),
            ("replayed", result is not None and result.is_replayed),
            ("redealt", result is not None and result.is_redealt),
            ("seats_signed", result is not None and result.event_level == EventLevel.E2),
        ]
        for name, holds in checks:
            text.append("✓ " if holds else "- ", "green" if holds else "dim")
            text.append(f"{look.say(name)}\n")
        for finding in found.findings:
            text.append(f"\n✗ {finding.code.value}: {finding.detail}", "red")
        return text


def check_proof(bundle: bytes, log: Mapping[str, Any]) -> Verdict:
    """Prove a bundle under the origin and keys of a log; raise ProofError if it is not a bundle."""
    try:
        found = prove_round(
            bundle,
            origin=str(log["origin"]),
            log_key=str(log["log_key"]),
            root_key=str(log["root_key"]),
            catalogue=load_builtin(),
        )
    except (BundleError, KeyTextError, KeyError) as error:
        raise ProofError(str(error)) from error
    return Verdict(found)
