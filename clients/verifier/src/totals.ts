/**
 * What the rounds of a log say together: findings, counts of checks and levels, seeds and keys that two rounds share.
 *
 * Rounds that were given up although somebody could know their cards, counted by table, tenant and
 * log: aborted after a seat's seed was received or after DEAL, dealt and not ended by its deadline, or ended by a seat
 * of a sealed table that had committed and did not open. A twentieth or more of the rounds that had a seed is noted.
 */

import { hex } from "./bytes.js";
import { Report } from "./check.js";
import { type Code, type Finding, isExplained, type Severity, tenantOf } from "./finding.js";
import { NO_KEY, SUITE_FIXTURE } from "./header.js";
import { isTimeout, member, seatOf } from "./leaf.js";
import { type EventLevel, SeedBook } from "./level.js";
import type { Law, RoundLeaves } from "./round-leaves.js";
import { clientSeedsOf, examine } from "./round.js";
import type { Tally } from "./terms.js";

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
  for (const { event } of settle?.value.inputs.events ?? []) {
    if (member(event, "kind") === "COMMIT") {
      committed.add(seatOf(event));
    } else if (isTimeout(event) && committed.has(seatOf(event))) {
      return true;
    }
  }
  return false;
}

const MAX_FINDINGS = 1_000;

export class Totals {
  /** DEAL leaves, of rounds not examined yet, by which a quorum vouches for OPEN. */
  readonly vouched = new Set<number>();
  readonly seeds = new SeedBook();
  readonly givenUp = new GivenUp();
  readonly found: Record<Severity, Finding[]> = { FAIL: [], NOTE: [] };
  readonly #certain: Record<Severity, Finding[]> = { FAIL: [], NOTE: [] };
  readonly counts: Record<string, number> = {};
  readonly tally: Partial<Tally> = {};
  readonly events: Record<EventLevel, number> = { E0: 0, E1: 0, E2: 0, NONE: 0 };
  rounds = 0;
  readonly #sectionKeys = new Map<string, { section: number; leaf: number }>();
  readonly #law: Law;
  readonly #report: Report;

  /** Findings that are of two rounds go to the report of the log. */
  constructor(law: Law, report: Report) {
    this.#law = law;
    this.#report = report;
  }

  /** Examines a round and adds what it says. */
  examine(leaves: RoundLeaves): void {
    const { header, open, deal, reveal } = leaves;
    const report = new Report({ table_id: header.table_id, round_number: header.round_number });
    const { dealingLevel, eventLevel, opened } = examine(leaves, this.#law, report);
    this.rounds += 1;
    this.givenUp.add(leaves);
    if (dealingLevel !== null && deal !== undefined) {
      const isVouched = this.vouched.delete(deal.index);
      this.seeds.rate(dealingLevel === "L2" && isVouched ? "L3" : dealingLevel, deal.index);
      for (const seed of new Set(clientSeedsOf(deal).map(hex))) {
        const first = this.seeds.use("client", seed, deal.index);
        this.#findRepeated(first, "CLIENT_SEED_REPEATED", `a seat's seed is in leaf ${first} too`, deal.index);
      }
    }
    if (reveal !== undefined) {
      const first = this.seeds.use("server", reveal.value.server_seed, reveal.index);
      this.#findRepeated(first, "SERVER_SEED_REPEATED", `leaf ${first} shows the same server seed`, reveal.index);
    }
    for (const { section, key } of opened) {
      this.#compareKey(section, key, (deal ?? open).index);
    }
    if (eventLevel !== null) {
      this.events[eventLevel] += 1;
    }
    for (const { code, outcome } of report.checks()) {
      const counts = (this.tally[code] ??= { PASSED: 0, FAILED: 0, NOT_CHECKED: 0 });
      counts[outcome] += 1;
    }
    this.count(report);
  }

  /** All findings are counted; the first of each severity, from leaves and not, are kept. */
  count(report: Report): void {
    for (const [code, count] of report.counts) {
      this.counts[code] = (this.counts[code] ?? 0) + count;
    }
    for (const one of report.findings) {
      const kept = (isExplained(one.code) ? this.found : this.#certain)[one.severity];
      if (kept.length < MAX_FINDINGS) {
        kept.push(one);
      }
    }
  }

  /** Leave out what damage or a wrong root key explains; return how many findings that are. */
  leaveOutExplained(): number {
    let explained = 0;
    for (const code of (Object.keys(this.counts) as Code[]).filter(isExplained)) {
      explained += this.counts[code] ?? 0;
      delete this.counts[code];
    }
    this.found.FAIL.length = 0;
    this.found.NOTE.length = 0;
    return explained;
  }

  /** The findings that are listed, of each severity those from no leaf first. */
  get listed(): Finding[] {
    return (["FAIL", "NOTE"] as const).flatMap((severity) =>
      [...this.#certain[severity], ...this.found[severity]].slice(0, MAX_FINDINGS),
    );
  }

  #findRepeated(
    first: number | null,
    code: "CLIENT_SEED_REPEATED" | "SERVER_SEED_REPEATED",
    detail: string,
    leaf: number,
  ): void {
    if (first !== null) {
      this.#report.find("SEED_QUALITY", code, detail, { leaf_index: leaf });
    }
  }

  /** A section's key that a certificate opens is no other round's. */
  #compareKey(section: number, key: string, leaf: number): void {
    const first = this.#sectionKeys.get(key) ?? { section, leaf };
    this.#sectionKeys.set(key, first);
    if (first.leaf !== leaf) {
      const detail = `the key of section ${section} opens section ${first.section} of the round dealt in leaf ${first.leaf} too`;
      this.#report.find("SECRECY", "SECTION_KEY_WEAK", detail, { leaf_index: leaf });
    }
  }
}
