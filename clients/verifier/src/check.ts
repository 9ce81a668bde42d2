/**
 * A check: one promise, by a stable code, and whether it holds. PASSED says that it was looked at
 * and nothing failed; NOT_CHECKED says why it could not be, such as a seed that is not shown yet.
 */

import { type Code, finding, type Finding, type Where } from "./finding.js";

/** Every check with the promise it holds a round or log to. */
export const CHECKS = {
  CHECKPOINT: "the log's key signed the checkpoint, for this origin",
  TREE: "every leaf stands in the tree that the checkpoint is of",
  CONTINUITY: "the log continues every checkpoint that was kept",
  KEYS: "the root key named every key that signs",
  SPELLING: "every leaf is an envelope and a payload, each in its one spelling",
  SIGNATURES: "each leaf is signed by the role that must sign it",
  ORDER: "OPEN, DEAL, SETTLE or ABORT, and REVEAL stand in this order, each once",
  PREVIOUS_LEAF: "OPEN names the leaf that ended the table's round before",
  ROUND_ID: "the header hashes to the round id and is of this log",
  RULESET: "the header names a ruleset that is at hand",
  LAYOUT: "the header cuts the deck as the game does",
  CLIENT_SEEDS: "the seats' seeds open what the seats committed to",
  SEED_SIGNATURES: "seats with keys signed their seeds, under the server's commitment",
  MIX: "the mix is over the round, the server's commitment and all seeds",
  LEADER: "the leader that DEAL names is the one that the mix draws",
  SERVER_SEED: "the server's seed opens its commitment in OPEN",
  DECK: "header and seeds give the deck that DEAL commits to",
  CARDS: "the cards told are the cards that were dealt",
  HEADER_TOLD: "the transcript has OPEN's header, stakes included, and DEAL's facts",
  FIRST_LEAD: "who led is the table's last winner, and the one drawn only where there is none",
  EVENT_CHAIN: "the result was found from exactly these events",
  SEAL: "seats of a sealed table signed what they did, and opened what they had committed to",
  ATTESTATIONS: "receipts and seats' signatures stand over these events",
  HELD_CARDS: "every card in an event was in its seat's hand, and used once",
  MONEY: "the net amounts are what the transfers come to, and sum to zero",
  TIMES: "every leaf came in time",
  ABORT: "the abort says what happened",
  CERTIFICATES: "the certificates show the deal that stands in the log",
  EVENT_RECEIPTS: "the receipts that people hold agree with one another and the transcript",
  STREETS: "each part of the board, and each hand of a sealed table, opened when a receipt said so",
  SECRECY: "what was handed out holds no secret, and every section has a key of its own",
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

/** What was looked at and found, with its table and round filled in; all counted, so many kept. */
export class Docket {
  readonly findings: Finding[] = [];
  readonly counts = new Map<Code, number>();
  readonly #by = new Map<CheckCode, Finding[]>();
  readonly #skipped = new Map<CheckCode, string>();

  constructor(public round: { table_id?: string; round_number?: number } = {}) {}

  /** These checks are made; what breaks them follows. */
  begin(...checks: CheckCode[]): void {
    for (const check of checks) {
      this.#by.set(check, this.#by.get(check) ?? []);
    }
  }

  /** These checks cannot be made, unless they were. */
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

  has(...codes: Code[]): boolean {
    return codes.some((code) => this.counts.has(code));
  }

  /** All checks in their order. */
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
