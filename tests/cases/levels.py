"""Which cases each level can say, by rule: no case names a level that it is not for."""

from typing import Final

from referee_harness.cases.rows import Case, verb_of

SDK_VERBS: Final = frozenset(
    {"open", "deal", "hand", "accept", "preview", "settle", "abort", "reveal", "section", "wait"}
)
"""Steps that the SDKs have a method for; ``section`` they take themselves."""


def may_set_back(case: Case) -> bool:
    """Whether the clock goes back, which that of the harness never does."""
    return any(str(step.get("at", "")).startswith("now-") for step in case.steps)


def sdk_can(case: Case) -> bool:
    """Whether a frontend on an SDK can do what the case does: a course by its methods, and no edited request."""
    verbs = {verb_of(step) for step in case.steps}
    edited = any({"set", "with", "signature"} & set(step) for step in case.steps)
    plain = all(not step.get("open") and not step.get("deal") for step in case.steps)
    refused = any("refused" in step for step in case.steps)
    return verbs <= SDK_VERBS and not edited and plain and not refused and not may_set_back(case)


def law_can(case: Case) -> bool:
    """Whether the law alone can judge the case: chosen hands, events and a settlement, and no refusal."""
    verbs = {verb_of(step) for step in case.steps}
    edited = any({"set", "with", "signature", "refused"} & set(step) for step in case.steps)
    return "hands" in case.head and verbs <= {"open", "deal", "accept", "section", "settle", "wait"} and not edited
