"""Answers to the questions whether owners arranged as if they knew other hands, as a report has them.

Each answer is an e-value: stakes that grow as the arrangements fit the named hand better than they fit the others. By
Ville's inequality a fair shuffle ever makes it reach 1/p with a chance of at most p, so it may be read after every
round. The three kinds have error rates of their own, ``FAIL_RATE`` and ``NOTE_RATE`` together, divided among all
questions asked. ``referee.answered`` counts; this module only judges, and needs no extra.
"""

import enum
import math
from collections.abc import Sequence
from typing import Final

import msgspec

from referee.finding import Code, Finding
from referee.suspicion.chance import log10, log_any
from referee.suspicion.score import FAIL_RATE, NOTE_RATE


class AnswerKind(enum.StrEnum):
    """Kind of a question: about an ordered pair of owners, three owners against the fourth seat, or one owner alone."""

    ANSWERED = "ANSWERED"
    LEFT_OUT = "LEFT_OUT"
    SUPERUSER = "SUPERUSER"


_TEXTS: Final = {
    AnswerKind.ANSWERED: (
        "{0} arranged as if it knew the cards of {1}",
        "; {1} may be the one whose cards leak, so this says nothing about who gave them",
    ),
    AnswerKind.LEFT_OUT: ("{0}, {1} and {2} arranged as if they knew the cards of the fourth seat", ""),
    AnswerKind.SUPERUSER: ("{0} arranged as if it knew all other hands", "; a server or a client may leak them"),
}
_BOTH: Final = (
    "{0} and {1} arranged as if each knew the cards of the other",
    "; either may be the one whose cards leak",
)


class Answer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Answer to one question.

    ``who`` are the owners in English; of a pair the one that arranged comes first, unless ``is_mutual``. ``rounds`` is
    the number of rounds together. ``log10_e`` is the decimal logarithm of the largest e-value so far;
    ``log10_anywhere`` is that of the bound on the chance that any question is answered so. ``leaves`` are the DEAL
    leaves of the rounds that say most, first the one that says most. ``won`` has by currency the amount in minor units
    that the first owner won from the second in these rounds; it has no bound. ``path`` has decimal logarithms of the
    e-value after evenly spaced rounds.
    """

    kind: AnswerKind
    who: tuple[str, ...]
    rounds: int
    log10_e: float
    log10_anywhere: float
    is_mutual: bool = False
    leaves: tuple[int, ...] = ()
    won: dict[str, int] = msgspec.field(default_factory=dict)
    path: tuple[float, ...] = ()

    @property
    def text(self) -> str:
        """The answer in English, as a statement about cards."""
        return (_BOTH if self.is_mutual else _TEXTS[self.kind])[0].format(*self.who)

    @property
    def is_beyond(self) -> bool:
        """Whether the answer is a finding."""
        return self.log10_anywhere <= math.log10(FAIL_RATE)

    @property
    def is_noted(self) -> bool:
        """Whether the answer is a finding or a note."""
        return self.log10_anywhere <= math.log10(NOTE_RATE)


class Answers(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Answers of one audit: the highest e-values of each kind first, at most twelve of each kind.

    ``rounds`` were scored. ``asked`` has by kind the number of questions, by which chances are corrected. ``unknown``
    rounds were dealt and their decks are not known; each lowers the e-values of its owners as far as one round can.
    ``unvalued`` counts by ruleset the rounds that no card tables value. ``crowded_out`` counts rounds of pairs and
    triples that were not counted because memory holds as many as it may. ``path`` of an answer is drawn against
    ``needed``, by kind the decimal logarithm of the e-value at which an answer becomes a finding.
    """

    rounds: int = 0
    unknown: int = 0
    crowded_out: int = 0
    unvalued: dict[str, int] = msgspec.field(default_factory=dict)
    asked: dict[AnswerKind, int] = msgspec.field(default_factory=dict)
    needed: dict[AnswerKind, float] = msgspec.field(default_factory=dict)
    answers: tuple[Answer, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """A finding for each answer beyond the bound, and a note for each that only one honest log in 1,000 has."""
        return tuple([_finding(one) for one in self.answers if one.is_noted])


def log_anywhere(log_e: float, *, asked: int) -> float:
    """Return the logarithm of a bound on the chance that one of ``asked`` questions of a kind has such an e-value."""
    return log_any(asked * len(AnswerKind), min(0.0, -log_e))


def needed(asked: int) -> float:
    """Return the decimal logarithm of the e-value at which an answer to one of ``asked`` questions is a finding."""
    return log10(math.log(max(1, asked) * len(AnswerKind) / FAIL_RATE))


def _finding(answer: Answer) -> Finding:
    leak = (_BOTH if answer.is_mutual else _TEXTS[answer.kind])[1].format(*[_short(who) for who in answer.who])
    detail = (
        f"{answer.text}: {answer.rounds:,} rounds, e-value 10^{answer.log10_e:.1f}; a fair shuffle does this "
        f"anywhere in a log like this one with a probability below 10^{math.ceil(answer.log10_anywhere)}, corrected "
        f"for all that was asked{leak}; {_said_most(answer.leaves)}"
    )
    code = Code[answer.kind.value] if answer.is_beyond else Code.UNLIKELY_BY_CHANCE
    return Finding.of(code, detail, number=Code.ANSWERED.number)


def _short(who: str) -> str:
    return who[:20]


def _said_most(leaves: Sequence[int]) -> str:
    return "the rounds that say most were dealt in leaves " + ", ".join(map(str, leaves))
