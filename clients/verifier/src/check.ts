/**
 * Checks: each is one promise, by a stable code, and whether it holds. PASSED: it was checked and
 * nothing failed. NOT_CHECKED gives the reason, such as a seed that is not revealed yet.
 */

import { type Code, finding, type Finding, isExplained, type Where } from "./finding.js";

/** Every check with the promise of a round or log that it verifies. */
export const CHECKS = {
  CHECKPOINT: "the log's key signed the checkpoint, for this origin",
  TREE: "every leaf is in the checkpoint's tree",
  CONTINUITY: "the log continues every checkpoint that was kept",
  KEYS: "the root key named every key that signs",
  SPELLING: "every leaf is an envelope and a payload, each in its one spelling",
  SIGNATURES: "each leaf is signed by the role that must sign it",
  ORDER: "OPEN, DEAL, SETTLE or ABORT, and REVEAL come in this order, each once",
  PREVIOUS_LEAF: "OPEN names the leaf that ended the table's round before",
  ROUND_ID: "the header hashes to the round id and is of this log",
  RULESET: "the header names a ruleset that is at hand",
  DEADLINES: "the deadlines are within the bounds of the protocol and the ruleset",
  SEAT_KEYS: "no key sits in two seats, and none of the log's own in any",
  LAYOUT: "the header cuts the deck as the game does",
  CLIENT_SEEDS: "the seats' seeds open what the seats committed to",
  SEED_SIGNATURES: "seats with keys signed their seeds, under the server's commitment",
  MIX: "the mix is over the round, the server's commitment and all seeds",
  LEADER: "the leader is the table's last winner, or the seat that the deal decides",
  SERVER_SEED: "the server's seed opens its commitment in OPEN",
  DECK: "header and seeds give the deck that DEAL commits to",
  CARDS: "the cards of the settlement are the cards that were dealt",
  SETTLED_HEADER: "the transcript has OPEN's header, stakes included, and DEAL's facts",
  EVENT_CHAIN: "the result was found from exactly these events",
  SEAL: "seats of a sealed table opened what they had committed to",
  ATTESTATIONS: "the newest receipt and each seat's newest signature are over these events",
  HELD_CARDS: "every card in an event was in its seat's hand, and used once",
  MONEY: "the net amounts are the sums of the transfers, and together zero",
  TIMES: "every leaf came in time, and is dated in the order of the log",
  ABORT: "the abort says what happened",
  CERTIFICATES: "the certificates show the deal that the log has",
  EVENT_RECEIPTS: "the receipts that people hold agree with one another and the transcript",
  OPENINGS: "cards opened after what opens them was in the log, and was settled",
  SECRECY: "exports hold no secret, and every section has a key of its own",
  LOG_RECEIPTS: "what the log promised to have, it has",
  WITNESSES: "enough of the witnesses cosigned the log, lately, and each is a key of its own",
  SEED_QUALITY: "every seed looks drawn at random and is used once",
} as const;

export type CheckCode = keyof typeof CHECKS;
export type Outcome = "PASSED" | "FAILED" | "NOT_CHECKED";

/** `detail` is the promise, or why it was not checked; `findings` are what broke it, and notes. */
export interface Check {
  readonly code: CheckCode;
  readonly outcome: Outcome;
  readonly detail: string;
  readonly findings: readonly Finding[];
}

const MAX_OF_A_CODE = 1_000;

/**
 * The checks made and their findings, with table and round filled in. All findings are counted, and
 * a limited number of each code is kept.
 */
export class Report {
  readonly findings: Finding[] = [];
  readonly counts = new Map<Code, number>();
  readonly #by = new Map<CheckCode, Finding[]>();
  readonly #skipped = new Map<CheckCode, string>();

  constructor(public round: { table_id?: string; round_number?: number } = {}) {}

  /** Record that these checks are made; their findings follow. */
  begin(...checks: CheckCode[]): void {
    for (const check of checks) {
      this.#by.set(check, this.#by.get(check) ?? []);
    }
  }

  /** Record why these checks cannot be made, unless they were. */
  skip(reason: string, ...checks: CheckCode[]): void {
    for (const check of checks) {
      this.#skipped.set(check, this.#skipped.get(check) ?? reason);
    }
  }

  find(check: CheckCode, code: Code, detail: string, where: Where = {}): void {
    this.take(check, finding(code, detail, { ...this.round, ...where }));
  }

  take(check: CheckCode, one: Finding): void {
    this.begin(check);
    const count = (this.counts.get(one.code) ?? 0) + 1;
    this.counts.set(one.code, count);
    if (count <= MAX_OF_A_CODE) {
      this.#by.get(check)?.push(one);
      this.findings.push(one);
    }
  }

  /** Leave out what damage or a wrong root key explains; return how many findings that are. */
  leaveOutExplained(reason: string): number {
    let explained = 0;
    for (const [code, count] of [...this.counts].filter(([one]) => isExplained(one))) {
      explained += count;
      this.counts.delete(code);
    }
    this.findings.splice(0, Infinity, ...this.findings.filter((one) => !isExplained(one.code)));
    for (const [check, found] of [...this.#by]) {
      const kept = found.filter((one) => !isExplained(one.code));
      if (kept.length === 0 && found.length > 0) {
        this.#by.delete(check);
        this.#skipped.set(check, reason);
      } else {
        this.#by.set(check, kept);
      }
    }
    return explained;
  }

  has(...codes: Code[]): boolean {
    return codes.some((code) => this.counts.has(code));
  }

  /** Return all checks in their order. */
  checks(): Check[] {
    return (Object.keys(CHECKS) as CheckCode[]).map((code) => {
      const findings = this.#by.get(code);
      if (findings === undefined) {
        const detail = this.#skipped.get(code) ?? "there is nothing to check";
        return { code, outcome: "NOT_CHECKED", detail, findings: [] };
      }
      const failed = findings.some((one) => one.severity === "FAIL");
      return { code, outcome: failed ? "FAILED" : "PASSED", detail: CHECKS[code], findings };
    });
  }
}
