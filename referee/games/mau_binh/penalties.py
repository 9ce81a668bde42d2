"""Tables of a Mậu Binh ruleset about losing all three chi: sweeps, four aces, fouls, departures, the winner's sweep.

>>> import msgspec
>>> msgspec.convert({"kind": "BETWEEN_TWO_TIMES", "multiplier": 3, "source": "s", "quote": "q"}, type=Sweep).multiplier
3
"""

import enum
from typing import Annotated, TypeAlias

import msgspec

from referee.games.tables import Sourced, Text, since

Units: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
"""A number of stakes."""


class SweptByAll(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="BY_EVERY_SEAT"):
    """A seat that loses all three chi to every other seat pays everything it owes ``multiplier`` times.

    If another seat fouled or left before the showdown, that seat lost to it, so it is not swept.
    """

    multiplier: Annotated[int, msgspec.Meta(ge=2, le=1000)]


class SweptPairTimes(
    Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="BETWEEN_TWO_TIMES"
):
    """A seat that loses all three chi to another pays that seat ``multiplier`` times the sum of the three."""

    multiplier: Annotated[int, msgspec.Meta(ge=2, le=1000)]


class SweptPairPlus(
    Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="BETWEEN_TWO_PLUS"
):
    """A seat that loses all three chi to another pays that seat the sum of the three and these units."""

    units: Units


class NoSweep(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="NONE"):
    """Losing all three chi costs the three chi."""


Sweep: TypeAlias = SweptByAll | SweptPairTimes | SweptPairPlus | NoSweep


class FourAcesFullSweep(
    Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="BACK_BECOMES_WORTH"
):
    """Four aces in the back of a seat that wins all three chi from every opponent are worth ``units``.

    Each of those opponents owes that in place of the ordinary value of four aces, and no sweep multiplies what is owed
    to that seat.
    """

    units: Units


class NoFourAcesSweep(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="NONE"):
    """Four aces are worth the same whatever the other seats lose."""


FourAcesSweep: TypeAlias = FourAcesFullSweep | NoFourAcesSweep


class Unopened(enum.StrEnum):
    """Penalty to each lawful seat for a committed arrangement that is not opened in time."""

    FOUL = "FOUL"
    FOUL_OR_SWEEP = "FOUL_OR_SWEEP"
    """The foul or the sweep, whichever costs more."""


NotOpened: TypeAlias = Annotated[
    Unopened,
    msgspec.Meta(description="On a sealed table: what it costs not to open in time what the seat committed to."),
]


class FoulSwept(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="SWEPT"):
    """A fouled seat loses all three chi to every seat that is not, and each of these losses is a sweep."""

    unopened: NotOpened


class FoulLosesChi(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="LOSES_CHI"):
    """A fouled seat loses all three chi to every seat that is not, and no sweep comes of it."""

    unopened: NotOpened


class FoulFlat(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="FLAT"):
    """A fouled seat pays these units to every seat that is not, whatever the chi are worth.

    ``allowed_by`` is a sheet's own words by which a foul may cost less than a sweep. It is None in files of earlier
    schemas, whose fouls are not asked about.
    """

    units: Units
    unopened: NotOpened
    allowed_by: Annotated[
        str | None,
        msgspec.Meta(
            description="The sheet's own words where its foul costs less than a sweep; empty otherwise."
            " They count only beside a sweep `BETWEEN_TWO_PLUS` of at most 2 and for a foul of at least 3. A file of an"
            " earlier schema is taken as it is."
        ),
        since(3),
    ] = None


Foul: TypeAlias = FoulSwept | FoulLosesChi | FoulFlat


class LeavingBefore(enum.StrEnum):
    """Penalty to each lawful seat that stays for leaving before the showdown.

    The seat loses all three chi. SWEPT: each of these losses is a sweep. LOSES_CHI: none of them is.
    """

    SWEPT = "SWEPT"
    LOSES_CHI = "LOSES_CHI"


class LeavingInShowdown(enum.StrEnum):
    """Effect of leaving while a chi is shown on the chi after it."""

    LOSES_LATER_CHI = "LOSES_LATER_CHI"
    ARRANGEMENT_COUNTS = "ARRANGEMENT_COUNTS"


class Leaving(Sourced, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What leaving costs: before the showdown all three chi, with or without a sweep; during it the later chi or none.

    ``quote`` is the text's sentence about leaving before the showdown, or else the sentence nearest to that.
    ``allowed_by`` is as in a flat foul.
    """

    before_showdown: Annotated[
        LeavingBefore,
        msgspec.Meta(
            description="Leaving before the showdown loses all three chi; whether that is a sweep. A departure that is"
            " a sweep also owes the price of four aces, as a seat that stayed."
        ),
    ]
    in_showdown: Annotated[
        LeavingInShowdown, msgspec.Meta(description="Whether leaving while a chi is shown loses the chi after it.")
    ]
    allowed_by: Annotated[
        str | None,
        msgspec.Meta(
            description="The sheet's own words where leaving before the showdown costs less than a sweep; empty"
            " otherwise. They count only beside a sweep `BY_EVERY_SEAT` of at most 3. A file of an earlier schema is"
            " taken as it is."
        ),
        since(3),
    ] = None


class NoWinnerSweep(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="NONE"):
    """A seat that wins all three chi against every other seat is paid by the sweep alone."""


class WinnerSweepTimes(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="MULTIPLIED"
):
    """A seat that wins all three chi against every other seat is paid ``multiplier`` times by each of them.

    Of several prices between two seats the dearest alone counts. A seat at fault, which fouled, left before the
    showdown or kept its arrangement shut, has lost all three chi and does not save itself. A lawful third seat owes in
    such a round what it would without this rule; the seats at fault owe the winner the rest in its place (*đền*), in
    equal parts, an odd unit by the first of them after the winner.
    """

    multiplier: Annotated[
        int,
        msgspec.Meta(
            ge=2,
            le=1000,
            description="Times the three chi by the winner's hands, and what a sweep `BETWEEN_TWO_PLUS` adds; four aces"
            " count their ordinary price. One that can never change an amount is refused. A seat that fouled, left"
            " before the showdown or kept its arrangement shut pays it too where it is dearest, and in place of lawful"
            " seats what it would add for them (*đền*). So between two seats a foul on the classic sheet costs this"
            " sweep, never its flat 3. A seat that left while a chi was shown is judged by the chi that were shown and"
            " by those it lost after them; it is lawful, not at fault.",
        ),
    ]
    reason: Text


WinnerSweep: TypeAlias = WinnerSweepTimes | NoWinnerSweep
