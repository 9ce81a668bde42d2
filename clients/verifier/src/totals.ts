/**
 * What the rounds of a log say together: findings, counts of checks and levels, seeds and keys that two rounds share.
 */

import { hex } from "./bytes.js";
import { Report } from "./check.js";
import { GivenUp } from "./given-up.js";
import { type Code, type Finding, isExplained, type Severity } from "./finding.js";
import type { EventLevel } from "./level.js";
import { clientSeedsOf, examine } from "./round.js";
import type { Law, RoundLeaves } from "./round-leaves.js";
import { SeedBook } from "./seed-book.js";
import type { Tally } from "./terms.js";

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
        const detail = `a seat's seed is in leaf ${first} too`;
        this.#findRepeated(first, "CLIENT_SEED_REPEATED", detail, deal.index);
      }
    }
    if (reveal !== undefined) {
      const first = this.seeds.use("server", reveal.value.server_seed, reveal.index);
      const detail = `leaf ${first} shows the same server seed`;
      this.#findRepeated(first, "SERVER_SEED_REPEATED", detail, reveal.index);
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
