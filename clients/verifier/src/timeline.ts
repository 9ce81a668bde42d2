/**
 * Times of leaves: in order within a table, close to order in the log, and in agreement with witnesses' clocks. A leaf
 * that takes its place in a round is not dated before the leaf before it in its table, more than ten seconds behind an
 * earlier leaf, or more than two minutes after the verification; inside a tree that a witness cosigned at T it is dated
 * at most ten seconds after T. REVEAL and KEY have no time.
 */

import { type Code, finding, type Finding, type Where } from "./finding.js";
import type { Header } from "./header.js";
import type { Placed } from "./reading.js";

/** How far, in ms, a leaf may be dated behind earlier leaves and ahead of a witness. */
const SLACK = 10_000;
/** How far, in ms, a leaf may be dated after the time of the verification, by a clock of its own. */
const OWN_CLOCK = 120_000;
/** How long, in ms, before a witness saw the log without it a leaf may be dated without a note. */
const BACKDATED = 900_000;

type Timed = "OPEN" | "DEAL" | "UNSEAL" | "SETTLE" | "ABORT" | "REVEAL";

export function timeOf(placed: Placed<Timed>): number | null {
  switch (placed.kind) {
    case "OPEN":
      return placed.value.opened_time;
    case "DEAL":
      return placed.value.dealt_time;
    case "UNSEAL":
      return placed.value.unsealed_time;
    case "SETTLE":
      return placed.value.inputs.closed_time;
    case "ABORT":
      return placed.value.aborted_time;
    case "REVEAL":
      return null;
  }
}

export class Timeline {
  readonly #tables = new Map<string, number>();
  #newest = 0;
  #last = 0;
  #latest: { time: number; where: Where } | null = null;
  #witnessed = 0;

  /** `now` is ms since 1970 UTC, null where it does not matter. */
  constructor(
    private readonly report: (finding: Finding) => void,
    private readonly now: number | null,
  ) {}

  /** The latest time of a leaf that is not dated after the verification; 0 for none. */
  get last(): number {
    return this.#last;
  }

  /** The next leaf that has a time. */
  add(index: number, time: number, header: Header): void {
    const where = whereOf(index, header);
    const before = this.#tables.get(header.table_id) ?? 0;
    this.#tables.set(header.table_id, time);
    const isBehind = time < this.#newest - SLACK;
    if (time < before) {
      const detail = `it is of ${time}, and the leaf before it in its table is of ${before}`;
      this.#find("TIME_OUT_OF_ORDER", detail, where);
    } else if (isBehind) {
      const detail = `it is of ${time}, and an earlier leaf is of ${this.#newest}`;
      this.#find("TIME_OUT_OF_ORDER", detail, where);
    } else if (time < this.#witnessed - BACKDATED) {
      const detail = `it is of ${time}, and a witness saw the log before it at ${this.#witnessed}`;
      this.#find("TIME_BACKDATED", detail, where);
    }
    if (this.now !== null && time > this.now + OWN_CLOCK) {
      const detail = `it is of ${time}, and it is verified at ${this.now}`;
      this.#find("TIME_AHEAD", detail, where);
      return;
    }
    this.#last = Math.max(this.#last, time);
    this.#newest = isBehind ? time : Math.max(this.#newest, time);
    if (this.#latest === null || time > this.#latest.time) {
      this.#latest = { time, where };
    }
  }

  /** Witnesses cosigned the tree of the leaves so far at these times, in ms. */
  witness(times: readonly number[]): void {
    for (const time of times) {
      if (this.#latest !== null && this.#latest.time > time + SLACK) {
        const detail = `it is of ${this.#latest.time}, and a witness saw it in the log at ${time}`;
        this.#find("TIME_AHEAD", detail, this.#latest.where);
        this.#latest = null;
      }
      this.#witnessed = Math.max(this.#witnessed, time);
    }
  }

  /** Witnesses cosigned a tree with this OPEN at these times, in ms, as its DEAL shows. */
  witnessDeal(open: Placed<"OPEN">, deal: Placed<"DEAL">, times: readonly number[]): void {
    const [opened, dealt] = [open.value.opened_time, deal.value.dealt_time];
    const { header } = open.value;
    for (const time of times) {
      if (opened > time + SLACK) {
        const detail = `it is of ${opened}, and a witness saw it in the log at ${time}`;
        this.#find("TIME_AHEAD", detail, whereOf(open.index, header));
        break;
      }
      if (dealt < time - SLACK) {
        const detail = `it is of ${dealt}, and carries a checkpoint that a witness cosigned at ${time}`;
        this.#find("TIME_OUT_OF_ORDER", detail, whereOf(deal.index, header));
        break;
      }
      this.#witnessed = Math.max(this.#witnessed, time);
    }
  }

  #find(code: Code, detail: string, where: Where): void {
    this.report(finding(code, detail, where));
  }
}

function whereOf(index: number, header: Header): Where {
  return { leaf_index: index, table_id: header.table_id, round_number: header.round_number };
}
