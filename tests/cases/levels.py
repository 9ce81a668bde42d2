"""Which cases each level can say, by rule: no case names a level that it is not for."""

from typing import Final

from referee_harness.cases.rows import Case, verb_of
from referee_harness.cases.servers import may_set_back

from referee.rulesets import load_builtin

SDK_VERBS: Final = frozenset(
    {"open", "ask", "check", "deal", "hand", "accept", "preview", "settle", "abort", "reveal", "section", "wait"}
)
"""Steps that the SDKs have a method for; ``section`` they take themselves."""
ANSWERED: Final = frozenset({"ask", "check", "accept", "preview", "settle"})
"""Steps whose answer an SDK shows whole."""
LAW_VERBS: Final = frozenset({"ask", "check", "open", "deal", "accept", "report", "section", "settle", "wait"})
"""Steps that need no server."""
RELEASED: Final = frozenset(ruleset.id for ruleset in load_builtin())
"""Rulesets that every SDK knows."""


def sdk_can(case: Case) -> bool:
    """Whether a frontend on an SDK can do what the case does: its methods for a round, and no edited request."""
    verbs = {verb_of(step) for step in case.steps}
    edited = any({"set", "with", "signature", "refused"} & set(step) for step in case.steps)
    plain = all(not step.get("open") and not step.get("deal") and step.get("abort") != "" for step in case.steps)
    answers = any("answer" in step and verb_of(step) not in ANSWERED for step in case.steps)
    others = any(step.get("ask", "ListPlays") != "ListPlays" for step in case.steps)
    released = case.head["ruleset"] in RELEASED
    return (
        verbs <= SDK_VERBS
        and not edited
        and plain
        and not answers
        and not others
        and released
        and not may_set_back(case)
    )


def typescript_can(case: Case) -> bool:
    """Whether the SDK for TypeScript, which replays no rules, can do what the case does."""
    return sdk_can(case) and case.is_scripted and not any("check" in step or "abort" in step for step in case.steps)


def law_can(case: Case) -> bool:
    """Whether the law alone can judge the case: all cards chosen, and events and a settlement."""
    verbs = {verb_of(step) for step in case.steps}
    edited = any({"set", "with", "signature", "refused", "leaves"} & set(step) for step in case.steps)
    answered = any("answer" in step and verb_of(step) not in {"ask", "settle"} for step in case.steps)
    others = any(step.get("ask", "ListPlays") != "ListPlays" for step in case.steps)
    checks = case.game == "mau_binh" and "check" in verbs
    whole = len(case.head.get("hands", ())) == case.seats and (case.game != "ultimate_texas" or "board" in case.head)
    return (
        whole
        and not case.head.get("sealed")
        and verbs <= LAW_VERBS
        and not edited
        and not answered
        and not checks
        and not others
    )
