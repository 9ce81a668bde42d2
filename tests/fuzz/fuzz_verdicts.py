"""The two verifiers on one row, and whether they agree.

They agree if their first findings are the same, once the findings that only the rules of a game or statistics over many
rounds can make are left out. ``ALLOWED`` lists what else may differ, with the reason.
"""

import base64
import json
import shutil
import subprocess
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Self

from referee.audit import Code
from referee.audit.bundle import BundleError, prove_round
from referee.audit.source import LogSource, TiledLog
from referee.evidence.vkey import KeyTextError
from referee.finding import Severity
from referee.rulesets import load_builtin
from tests.audit.auditing import audited, log_of, options_of
from tests.driver.auditing import terms_of
from tests.tiles.memory_place import MemoryPlace
from tests.verifier.verifier_mutations import BY_THE_RULES
from tests.verifier.verifier_project import PROJECT

CATALOGUE: Final = load_builtin()
BY_CHANCE: Final = tuple([code.value for code in Code if code.number in (38, 39, 40, 53, 54, 66)])
NOTES: Final = tuple([code.value for code in Code if code.severity is Severity.NOTE])
ANSWER_SECONDS: Final = 60


class Seen(NamedTuple):
    """One finding: its code, its leaf (-1 for the whole log)."""

    code: str
    leaf: int

    @property
    def order(self) -> tuple[bool, int]:
        """Failures first, then the whole log, then leaves by index."""
        return self.code in NOTES, self.leaf


class Verdicts(NamedTuple):
    """What each verifier says: its findings as it lists them, or the exception that it raised as its one finding."""

    python: tuple[Seen, ...]
    typescript: tuple[Seen, ...]


class Difference(NamedTuple):
    """The first findings of two verifiers that do not agree."""

    python: Seen | None
    typescript: Seen | None

    @property
    def name(self) -> str:
        """The codes, and whether they show at one leaf; differences of one name are taken for one."""
        first = [one for one in self if one is not None]
        codes = "/".join(one.code if one is not None else "-" for one in self)
        return codes + ("" if len({one.leaf for one in first}) == 1 else " at other leaves")


class TypeScript:
    """The TypeScript verifier in a Node process that answers row by row."""

    def __enter__(self) -> Self:
        self._node = subprocess.Popen(
            [shutil.which("node") or "node", str(PROJECT / "build" / "test" / "verdicts.js")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, *about: object) -> None:
        self._node.stdin.close()  # type: ignore[union-attr] # it is a pipe
        self._node.wait(ANSWER_SECONDS)
        self._node.stdout.close()  # type: ignore[union-attr] # it is a pipe

    def ask(self, row: Mapping[str, Any]) -> None:
        """Send a row."""
        assert self._node.stdin is not None
        self._node.stdin.write(json.dumps(row) + "\n")
        self._node.stdin.flush()

    def verdict(self) -> dict[str, Any]:
        """Return the verdict on the row that was sent first of those not answered, as the verifier has it."""
        assert self._node.stdout is not None
        verdict: dict[str, Any] = json.loads(self._node.stdout.readline())
        return verdict

    def answer(self) -> tuple[Seen, ...]:
        """Return the findings of that row."""
        said = self.verdict()
        if "error" in said:
            is_refused = said["error"] in ("BundleError", "SpellingError")
            return (Seen("REFUSED" if is_refused else f"EXCEPTION {said['error']}", -1),)
        return tuple([Seen(one["code"], one.get("leaf_index", -1)) for one in said["findings"]])


def verdicts(row: Mapping[str, Any], typescript: TypeScript) -> Verdicts:
    """Ask both verifiers about a row; of a bundle, whether it holds."""
    if "bundle" in row:
        typescript.ask({"bundle": row["bundle"], "now": None})
        return Verdicts(_holds(bundle_findings(row["bundle"])), _holds(typescript.answer()))
    typescript.ask(row)
    return Verdicts(python_findings(row), typescript.answer())


def python_findings(row: Mapping[str, Any]) -> tuple[Seen, ...]:
    """Return the findings of the package's audit."""
    try:
        found = _audit(row)
    except Exception as error:  # noqa: BLE001 - what an audit must never do is what is looked for
        return (_raised(error),)
    return tuple([Seen(one.code.value, -1 if one.leaf_index is None else one.leaf_index) for one in found])


def bundle_findings(bundle: Mapping[str, Any]) -> tuple[Seen, ...]:
    """Return what the package's proof of one round finds; REFUSED where it is no bundle."""
    data = json.dumps(bundle).encode()
    keys = {name: bundle[name] for name in ("origin", "log_key", "root_key")}
    try:
        terms, trusted, _ = terms_of(**keys, now=0, catalogue=CATALOGUE)
        found = prove_round(data, terms, trusted).findings
    except (BundleError, KeyTextError):
        return (Seen("REFUSED", -1),)
    except Exception as error:  # noqa: BLE001 - as above
        return (_raised(error),)
    return tuple([Seen(one.code.value, -1 if one.leaf_index is None else one.leaf_index) for one in found])


def _holds(found: Sequence[Seen]) -> tuple[Seen, ...]:
    """Reduce what is said of a bundle to whether it holds."""
    raised = [one for one in found if one.code.startswith("EXCEPTION")]
    fails = [one for one in found if one.code not in {*NOTES, *BY_THE_RULES}]
    return (raised[0] if raised else Seen("FAIL", -1),) if fails else ()


def _raised(error: Exception) -> Seen:
    where = traceback.extract_tb(error.__traceback__)[-1]
    return Seen(f"EXCEPTION {type(error).__name__} in {where.name}", -1)


def _audit(row: Mapping[str, Any]) -> Sequence[Any]:
    source: LogSource
    if "files" in row:
        source = TiledLog(MemoryPlace({path: base64.b64decode(data) for path, data in row["files"].items()}))
    else:
        source = log_of(dict(row))
    return audited(source, **options_of(dict(row)), catalogue=CATALOGUE).findings


def difference(found: Verdicts) -> Difference | None:
    """Return how the verifiers differ in their first finding; None if they agree or may differ."""
    made = Difference(*[_first(one) for one in found])
    if any(one is not None and one.code.startswith("EXCEPTION") for one in made):
        return made
    if len({*made}) == 1 or any(allows(found, made) for allows in ALLOWED.values()):
        return None
    return made


def _first(findings: Sequence[Seen]) -> Seen | None:
    return next((one for one in findings if one.code not in (*BY_THE_RULES, *BY_CHANCE)), None)


def _place(made: Difference) -> tuple[bool, int] | None:
    """Return where both first findings show; None if not at one place."""
    places = {None if one is None else one.order for one in made}
    return places.pop() if len(places) == 1 else None


def _cannot_read(_: Verdicts, made: Difference) -> bool:
    return _place(made) is not None and any(one is not None and one.code in UNREADABLE for one in made)


def _replay_stopped(found: Verdicts, made: Difference) -> bool:
    """Return whether the package, which replays, names an illegal event where the other finds what none can have."""
    first = made.typescript
    if first is None or first.code not in IN_NO_LAWFUL_ROUND:
        return False
    return any(one.code in BY_THE_RULES and one.leaf == first.leaf for one in found.python)


IN_NO_LAWFUL_ROUND: Final = ("CARD_NOT_IN_HAND", "SEAL_BROKEN", "LEADER_MISMATCH")
UNREADABLE: Final = ("NOT_CANONICAL", "TYPE_CONFUSION", "HEADER_REFUSED", "UNSOUND_KEY")
ALLOWED: Final[dict[str, Callable[[Verdicts, Difference], bool]]] = {
    "values of another form make one reader refuse the leaf and another what it says, at the same leaf": _cannot_read,
    "replay ends at the first illegal event, and what no lawful round has is not looked for behind it": _replay_stopped,
}
"""Differences that are no fault of a verifier, by reason."""
