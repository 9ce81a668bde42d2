"""What a finding means, what to do about it, and who can have caused it: the texts and parties of ``findings.toml``.

>>> explain(Code.OPENED_TWICE).meaning.en
'One round of a table was opened twice.'
>>> explain(Code.OPENED_TWICE).at_fault
<Party.OPERATOR: 'operator'>
"""

import enum
import tomllib
from functools import cache
from importlib import resources

import msgspec

from referee.finding import Code, Phrase


class Party(enum.StrEnum):
    """Party that can have caused a finding."""

    OPERATOR = "operator"
    """Holder of the keys of the log, the shuffler and the referee."""
    FRONTEND = "frontend"
    """Program of the round's tenant, which calls the service."""
    SEAT = "seat"
    MAKER = "maker"
    """The one who made or changed the file, or left something out of it, who need not be its holder."""
    KEEPER = "keeper"
    """The one who keeps or serves this copy of the log."""
    WITNESS = "witness"
    """A witness, by a false time in its cosignature."""
    READER = "reader"
    """The verifier, by a wrong choice of keys, rulesets or names."""


class Honest(enum.StrEnum):
    """An honest cause of a finding, which looks the same."""

    DAMAGE = "damage"
    OUTAGE = "outage"
    CLOCK = "clock"
    CHANCE = "chance"


class Explanation(msgspec.Struct, frozen=True):
    """Meaning of a code, what the reader of a report can do about it, and who can have caused it.

    One of the parties in ``who``, and no other, can have caused the finding, unless its cause was ``honest``; it is
    nobody's fault if there is none.
    """

    meaning: Phrase
    remedy: Phrase
    who: tuple[Party, ...] = ()
    honest: Honest | None = None

    @property
    def at_fault(self) -> Party | None:
        """Party that a finding of this code proves to be at fault; None if there is another explanation."""
        return self.who[0] if len(self.who) == 1 and self.honest is None else None


class _Remedy(Phrase, frozen=True, forbid_unknown_fields=True):
    """A remedy that codes share, and who can have caused their findings."""

    who: tuple[Party, ...]
    honest: Honest | None = None


class _Entry(Phrase, frozen=True, forbid_unknown_fields=True):
    """A code's texts; ``remedy`` is a text of its own, with ``who`` beside it, or the name of a shared one."""

    remedy: str | Phrase
    who: tuple[Party, ...] | None = None
    honest: Honest | None = None

    def explanation(self, shared: dict[str, _Remedy]) -> Explanation:
        """Return the code's texts and parties, or those of its remedy where it has none."""
        remedy = shared[self.remedy] if isinstance(self.remedy, str) else self.remedy
        who, honest = self.who, self.honest
        if who is None and isinstance(remedy, _Remedy):
            who, honest = remedy.who, remedy.honest
        if who is None:
            raise ValueError("a code with a remedy of its own names who can have caused it")
        text = Phrase(vi=remedy.vi, en=remedy.en)
        return Explanation(Phrase(vi=self.vi, en=self.en), text, who, honest)


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    remedies: dict[str, _Remedy]
    codes: dict[Code, _Entry]


def explain(code: Code) -> Explanation:
    """Return the texts of a code."""
    return _explanations()[code]


@cache
def _explanations() -> dict[Code, Explanation]:
    text = resources.files("referee.audit").joinpath("findings.toml").read_text(encoding="utf-8")
    file = msgspec.convert(tomllib.loads(text), _File)
    return {code: entry.explanation(file.remedies) for code, entry in file.codes.items()}
