"""The findings of one round while it is examined, each with its table and round filled in."""

from dataclasses import dataclass, field

from referee.audit.finding import Code, Difference, Finding


@dataclass(frozen=True, slots=True)
class Docket:
    """What was found in a round so far, in the order it was found."""

    table_id: str
    round_number: int
    findings: list[Finding] = field(default_factory=list)

    def add(self, code: Code, detail: str, *, leaf_index: int, difference: Difference | None = None) -> None:
        """One more finding, at a leaf."""
        self.findings.append(
            Finding.of(
                code,
                detail,
                leaf_index=leaf_index,
                table_id=self.table_id,
                round_number=self.round_number,
                difference=difference,
            )
        )

    def has(self, *codes: Code) -> bool:
        """Whether one of the codes was found."""
        return any(finding.code in codes for finding in self.findings)
