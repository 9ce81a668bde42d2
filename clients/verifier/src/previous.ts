/**
 * What went before a round, as far as a bundle shows it: the leaf that ended the table's round before, by the hash that
 * OPEN names, and who won the last settled round, behind rounds that were aborted since.
 */

import { attempt } from "./attempt.js";
import { hex } from "./bytes.js";
import type { Report } from "./check.js";
import { hasLeader } from "./deal.js";
import type { LastWinner } from "./round-leaves.js";
import { type Header, HeaderError, roundIdOf } from "./header.js";
import { SIGNERS } from "./leaf.js";
import type { Placed } from "./reading.js";
import { NO_LEAF, opened, type RoundState } from "./slot.js";
import { type Tables, winnerOf } from "./table.js";

type Ended = Placed<"SETTLE" | "ABORT">;

/** What a bundle holds besides the round itself. */
interface Evidence {
  readonly open: Placed<"OPEN">;
  readonly others: readonly Placed[];
}

/** Give the tables what went before the round; the report takes what is wrong with it. */
export function followPrevious(tables: Tables, evidence: Evidence, report: Report): void {
  const { open, others } = evidence;
  const { header } = open.value;
  if (header.round_number === 1) {
    report.begin("PREVIOUS_LEAF");
    return;
  }
  const before = endOf(header, others) ?? neighbourOf(header, others);
  if (before === undefined) {
    report.skip("the leaf that ended the table's round before is not at hand", "PREVIOUS_LEAF");
    const state = { ...opened(NO_LEAF), terminalLeaf: header.previous_leaf };
    tables.follow(header, { state, winner: "UNKNOWN" });
    return;
  }
  report.begin("PREVIOUS_LEAF");
  const where = { leaf_index: open.index };
  if (before.index > open.index) {
    const detail = `the round before ended with leaf ${before.index}, after this one was opened`;
    report.find("PREVIOUS_LEAF", "NEXT_ROUND_EARLY", detail, where);
  }
  const its = headerOf(before, others);
  const isNext = its === null || (its.table_id === header.table_id && its.round_number === header.round_number - 1);
  if (!isNext) {
    const detail = `the leaf it names ended round ${its.round_number} of table ${its.table_id}`;
    report.find("PREVIOUS_LEAF", "WRONG_PREVIOUS_LEAF", detail, where);
  }
  tables.follow(header, { state: stateAfter(before), winner: lastWinner(evidence, report) });
}

/** The leaf that ended the round before, by the hash that the header names. */
function endOf(header: Header, others: readonly Placed[]): Ended | undefined {
  return others.filter(isEnd).find((one) => one.hash === header.previous_leaf);
}

/** A leaf that settled the table's round before, though the header names another. */
function neighbourOf(header: Header, others: readonly Placed[]): Ended | undefined {
  return others.filter(isEnd).find((one) => {
    const its = headerOf(one, others);
    return its?.table_id === header.table_id && its.round_number === header.round_number - 1;
  });
}

function isEnd(one: Placed): one is Ended {
  return one.kind === "SETTLE" || one.kind === "ABORT";
}

/**
 * The header of the round that a leaf ended; null for an ABORT whose OPEN is not at hand. Only a
 * header that hashes to the leaf's round id is its header, so going back from round to round ends.
 */
function headerOf(one: Ended, others: readonly Placed[]): Header | null {
  const roundId = one.value.round_id;
  const headers = others.flatMap((other) => (other.kind === "OPEN" ? [other.value.header] : []));
  const candidates = one.kind === "SETTLE" ? [one.value.inputs.header] : headers;
  return candidates.find((header) => hasId(header, roundId)) ?? null;
}

function hasId(header: Header, roundId: string): boolean {
  return attempt(() => hex(roundIdOf(header)), HeaderError) === roundId;
}

function stateAfter(before: Ended): RoundState {
  return {
    roundId: before.value.round_id,
    stage: before.kind === "SETTLE" ? "SETTLED" : "ABORTED",
    deckRoot: null,
    terminalLeaf: before.hash,
    isRevealed: true,
    unseals: [],
  };
}

/** Who won the table's last settled round, proved by the signed leaves that lead there. */
function lastWinner({ open, others }: Evidence, report: Report): LastWinner | null | "UNKNOWN" {
  let { header } = open.value;
  const isAsked = hasLeader(header);
  while (header.previous_leaf !== NO_LEAF) {
    const end = endOf(header, others);
    if (end === undefined) {
      return "UNKNOWN";
    }
    checkSigned(end, report);
    if (!isAsked) {
      return null;
    }
    if (end.kind === "SETTLE") {
      const its = headerOf(end, others);
      return its?.table_id === header.table_id ? winnerOf(end.value, its) : "UNKNOWN";
    }
    const before = headerOf(end, others);
    if (before?.table_id !== header.table_id) {
      return "UNKNOWN";
    }
    header = before;
  }
  return null;
}

function checkSigned(end: Ended, report: Report): void {
  const role = SIGNERS[end.kind];
  const fault = role === null ? null : end.ring.faultOf(end.envelope, role);
  if (fault !== null) {
    report.find("SIGNATURES", fault.code, fault.detail, { leaf_index: end.index });
  }
}
