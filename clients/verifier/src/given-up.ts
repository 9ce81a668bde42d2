/**
 * Rounds that were given up although somebody could know their cards, counted by table, tenant and
 * log: aborted after a seat's seed was received or after DEAL, dealt and not ended by its deadline, or ended by a seat
 * of a sealed table that had committed and did not open. A twentieth or more of the rounds that had a seed is noted.
 */

import type { Report } from "./check.js";
import { isTimeout, member, seatOf } from "./events.js";
import { tenantOf } from "./finding.js";
import { NO_KEY, SUITE_FIXTURE } from "./header.js";
import type { RoundLeaves } from "./round-leaves.js";

const YOUNG = 20;
const LEAST_OF_TABLE = 20;
const LEAST_OF_MANY = 100;
const SHARE = 20;

interface Share {
  ended: number;
  seeded: number;
  givenUp: number;
  young: number;
}

export class GivenUp {
  readonly #log: Share = emptyShare();
  readonly #tenants = new Map<string, Share>();
  readonly #tables = new Map<string, Share>();
  readonly #played = new Map<string, number>();

  /** Adds a round that has ended or should have. */
  add(leaves: RoundLeaves): void {
    const { header, deal, settle, abort, isLapsed = false } = leaves;
    if ((settle === undefined && abort === undefined && !isLapsed) || header.randomness_suite === SUITE_FIXTURE) {
      return;
    }
    const keys = header.seat_keys.filter((key) => key !== NO_KEY);
    const isYoung =
      keys.length === header.seat_keys.length && keys.every((key) => (this.#played.get(key) ?? 0) < YOUNG);
    for (const key of keys) {
      this.#played.set(key, (this.#played.get(key) ?? 0) + 1);
    }
    const isSeeded = deal !== undefined || (abort?.value.client_seeds ?? []).some(Boolean);
    const isGivenUp = isSeeded && (abort !== undefined || isLapsed || isUnopened(leaves));
    const { table_id: table } = header;
    const shares = [this.#log, shareOf(this.#tenants, tenantOf(table)), shareOf(this.#tables, table)];
    for (const share of shares) {
      share.ended += 1;
      share.seeded += isSeeded ? 1 : 0;
      share.givenUp += isGivenUp ? 1 : 0;
      share.young += isGivenUp && isYoung ? 1 : 0;
    }
  }

  /** Notes the shares that are too large: the log's, then each tenant's, then each table's. */
  note(report: Report): void {
    noteShare("the log", this.#log, LEAST_OF_MANY, report);
    for (const [name, share] of [...this.#tenants].sort()) {
      noteShare(`tenant ${name}`, share, LEAST_OF_MANY, report);
    }
    for (const [name, share] of [...this.#tables].sort()) {
      noteShare(`table ${name}`, share, LEAST_OF_TABLE, report, { table_id: name });
    }
  }
}

function emptyShare(): Share {
  return { ended: 0, seeded: 0, givenUp: 0, young: 0 };
}

function shareOf(shares: Map<string, Share>, name: string): Share {
  const share = shares.get(name) ?? emptyShare();
  shares.set(name, share);
  return share;
}

function noteShare(
  whose: string,
  share: Share,
  least: number,
  report: Report,
  where: { table_id?: string } = {},
): void {
  const { ended, seeded, givenUp, young } = share;
  if (ended < least || givenUp === 0 || SHARE * givenUp < seeded) {
    return;
  }
  if (young > 0) {
    const detail = `in ${young} of the ${givenUp} rounds that ${whose} gave up every seat's key was young, so they can be laid to nobody`;
    report.find("ABORT", "GIVEN_UP_BY_YOUNG_KEYS", detail, where);
  }
  const detail = `${whose} gave up ${givenUp} of ${seeded} rounds with a seed after a seed was received`;
  report.find("ABORT", "ROUNDS_GIVEN_UP", detail, where);
}

/** Whether a seat of a sealed table committed, and let its time run out instead of opening. */
function isUnopened({ open, settle }: RoundLeaves): boolean {
  if (open.value.seat_tokens === undefined) {
    return false;
  }
  const committed = new Set<number>();
  for (const entry of settle?.value.inputs.events ?? []) {
    if (member(entry.event, "kind") === "COMMIT") {
      committed.add(seatOf(entry));
    } else if (isTimeout(entry) && committed.has(seatOf(entry))) {
      return true;
    }
  }
  return false;
}
