/**
 * Who leads a round: the winner of the table's last settled round, where that round counts, comes
 * from the log; otherwise the deal decides. Which of its two ways a ruleset wants, the drawn seat or
 * the lowest card, is not asked here.
 */

import type { Report } from "./check.js";
import { type Deal, hasLeader } from "./deal.js";
import { differ } from "./finding.js";
import { type Header, NO_KEY } from "./header.js";
import type { Placed } from "./reading.js";
import type { LastWinner, RoundLeaves } from "./round-leaves.js";

const NOT_AT_HAND = "leader not checked: the leaf that names the table's last winner is not at hand";

/** The seat from which a winner leads the round of a header; null where it does not. */
export function seatOfWinner({ header: its, seat }: LastWinner, header: Header): number | null {
  const areSame =
    its.ruleset_digest === header.ruleset_digest && its.currency === header.currency && its.stake === header.stake;
  const keys = [...new Set(header.seat_keys)].filter((key) => key !== NO_KEY);
  const sat = keys.filter((key) => its.seat_keys.includes(key));
  if (!areSame || (keys.length > 0 && 2 * sat.length <= keys.length)) {
    return null;
  }
  const key = its.seat_keys[seat];
  if (key === NO_KEY) {
    return header.seat_keys[seat] === NO_KEY ? seat : null;
  }
  const now = key === undefined ? -1 : header.seat_keys.indexOf(key);
  return now < 0 ? null : now;
}

/** Hold the leader that a DEAL names against the table's last winner. */
export function examineLeader(leaves: RoundLeaves, deal: Placed<"DEAL">, report: Report): void {
  const { leader, leader_by: by } = deal.value;
  const where = { leaf_index: deal.index };
  if (leader === undefined || !hasLeader(leaves.header)) {
    if ((leader !== undefined) !== hasLeader(leaves.header)) {
      const detail = leader === undefined ? "it names no leader" : "it names a leader, and this game has none";
      report.find("LEADER", "LEADER_MISMATCH", detail, where);
    }
    return;
  }
  const { lastWinner } = leaves;
  if (lastWinner === "UNKNOWN") {
    report.skip(NOT_AT_HAND, "LEADER");
    return;
  }
  const seat = lastWinner === null ? null : seatOfWinner(lastWinner, leaves.header);
  if (seat === null && by === "WINNER") {
    const detail = `seat ${leader} leads as the last winner, and no winner leads this round`;
    report.find("LEADER", "LEADER_MISMATCH", detail, where);
  } else if (seat !== null && (by !== "WINNER" || seat !== leader)) {
    const detail = `seat ${leader} leads by ${by}, and the last winner sits at ${seat}`;
    report.find("LEADER", "LEADER_MISMATCH", detail, where);
  } else if (by === "WINNER" || leaves.reveal !== undefined) {
    report.begin("LEADER");
  } else {
    report.skip("the server's seed is not shown yet", "LEADER");
  }
}

/** Hold a leader that the deal decides against the deal that was made again. */
export function examineDealtLeader(deal: Placed<"DEAL">, again: Deal, report: Report): void {
  const { leader, leader_by: by } = deal.value;
  if (leader === undefined || by === "WINNER" || report.has("LEADER_MISMATCH")) {
    return;
  }
  const found = by === "DRAW" ? again.drawn : again.lowest;
  if (leader !== found) {
    const where = { leaf_index: deal.index, ...differ("leader", leader, found ?? undefined) };
    report.find("LEADER", "LEADER_MISMATCH", `seat ${leader} leads by ${by}, and the seeds give seat ${found}`, where);
  }
}

/** A transcript has the leader of its DEAL, and its reason. */
export function examineSettledLeader(deal: Placed<"DEAL">, settle: Placed<"SETTLE">, report: Report): void {
  const { inputs } = settle.value;
  for (const name of ["leader", "leader_by"] as const) {
    if (inputs[name] !== deal.value[name]) {
      const where = { leaf_index: settle.index, ...differ(`inputs.${name}`, inputs[name], deal.value[name]) };
      report.find("LEADER", "LEADER_MISMATCH", "the transcript has another leader than DEAL, or another reason", where);
      return;
    }
  }
}
