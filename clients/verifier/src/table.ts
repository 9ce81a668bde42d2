/**
 * Tables: each leaf takes its step in its round's slot, and rounds are leaves. A step that is
 * refused is a finding; where it is clear which round is meant, the round goes on from there, so
 * that one fault is not found many times. A round is handed over once its seed is shown, or at the
 * end; only rounds that wait for a leaf, and each table's last one, are kept.
 *
 * The steps that leaves take, and what a refused one is found as.
 */

import { attempt } from "./attempt.js";
import type { CheckCode } from "./check.js";
import { hasLeader } from "./deal.js";
import { type Code, finding, type Finding, unlike, type Where } from "./finding.js";
import type { Header } from "./header.js";
import { member, type Transcript } from "./leaf.js";
import type { Placed } from "./reading.js";
import type { Exhibits, LastWinner, RoundLeaves } from "./round-leaves.js";
import { headerFault } from "./settlement.js";
import {
  advance,
  isTerminal,
  NO_LEAF,
  opened,
  type RoundState,
  SlotError,
  type SlotReason,
  type Step,
} from "./slot.js";
import { Timeline, timeOf } from "./timeline.js";

export type RoundLeaf = Placed<"DEAL" | "UNSEAL" | "SETTLE" | "ABORT" | "REVEAL">;

/** What a refused step is found as: by its reason or, for any other reason, as its kind has it. */
const REFUSED: Readonly<Record<Step["kind"], readonly [otherwise: Code, by?: Partial<Record<SlotReason, Code>>]>> = {
  OPEN: ["WRONG_PREVIOUS_LEAF", { ALREADY_OPENED: "OPENED_TWICE", PREVIOUS_ROUND_OPEN: "NEXT_ROUND_EARLY" }],
  DEAL: ["DEALT_TWICE"],
  UNSEAL: ["UNSEAL_NOT_IN_COURSE"],
  SETTLE: ["ENDED_TWICE", { NOT_DEALT: "SETTLED_UNDEALT", DECK_ROOT_MISMATCH: "DECK_ROOT_MISMATCH" }],
  ABORT: ["ABORT_MISMATCH", { ALREADY_SETTLED: "ENDED_TWICE", ABORTED: "ENDED_TWICE" }],
  REVEAL: ["ENDED_TWICE", { NOT_TERMINAL: "REVEALED_EARLY" }],
};

function codeOf(kind: Step["kind"], reason: SlotReason): Code {
  const [otherwise, by = {}] = REFUSED[kind];
  return by[reason] ?? otherwise;
}

/** The step that a leaf takes in its round. */
function stepOf(placed: RoundLeaf, state: RoundState): Step {
  const roundId = state.roundId;
  switch (placed.kind) {
    case "DEAL":
      return { kind: "DEAL", roundId, deckRoot: placed.value.deck_root };
    case "UNSEAL": {
      // Whether the course goes through earlier UNSEALs shows once it is settled.
      const { number, history } = placed.value;
      const course = (at: number): string | undefined => state.unseals.find((one) => one.number === at)?.history;
      return { kind: "UNSEAL", roundId, number, history, course };
    }
    case "SETTLE": {
      const deckRoot = placed.value.inputs.deck_root;
      return { kind: "SETTLE", roundId, deckRoot, unseals: state.unseals };
    }
    case "ABORT": {
      const dealt = state.deckRoot ?? NO_LEAF;
      const deckRoot = placed.value.stage === "OPENED" ? null : dealt;
      return { kind: "ABORT", roundId, deckRoot };
    }
    case "REVEAL":
      return { kind: "REVEAL", roundId };
  }
}

/** The state that a refused step leaves where it is taken all the same. */
function forced({ kind }: Step, state: RoundState, leaf: string): RoundState {
  if (kind === "SETTLE" || kind === "ABORT") {
    return { ...state, stage: kind === "SETTLE" ? "SETTLED" : "ABORTED", terminalLeaf: leaf };
  }
  return kind === "REVEAL" ? { ...state, isRevealed: true } : state;
}

/** What a table did. */
export interface TableCounts {
  opened: number;
  /** Of those opened, the rounds of a sealed table. */
  sealed: number;
  dealt: number;
  settled: number;
  aborted: number;
  revealed: number;
}

interface Live {
  readonly number: number;
  readonly header: Header | null;
  state: RoundState;
  leaves: Mutable<RoundLeaves> | null;
  lastLeaf: number;
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

const NO_EXHIBITS: Exhibits = { certificates: [], eventReceipts: [] };
const CHECKS_OF: Partial<Record<Code, CheckCode>> = { ABORT_MISMATCH: "ABORT", UNSEAL_NOT_IN_COURSE: "OPENINGS" };
export class Tables {
  readonly counts = new Map<string, TableCounts>();
  readonly findings: { check: CheckCode; finding: Finding }[] = [];
  readonly #exhibits: ReadonlyMap<string, Exhibits>;
  readonly #rounds = new Map<string, Live>();
  readonly #last = new Map<string, Live>();
  readonly #winners = new Map<string, LastWinner | null | "UNKNOWN">();

  readonly timeline: Timeline;

  /** Exhibits go by round id; `now` is the time of the verification in ms, null for none. */
  constructor(exhibits: ReadonlyMap<string, Exhibits> = new Map(), now: number | null = null) {
    this.#exhibits = exhibits;
    this.timeline = new Timeline((one) => this.findings.push({ check: "TIMES", finding: one }), now);
  }

  /** The OPEN of a round that waits for a leaf; null where there is none. */
  opened(roundId: string): Placed<"OPEN"> | null {
    return this.#rounds.get(roundId)?.leaves?.open ?? null;
  }

  /** A table's round before the first that is shown here, and who won the last settled one. */
  follow(
    { table_id: table, round_number: number }: Header,
    before: { state: RoundState; winner: LastWinner | null | "UNKNOWN" },
  ): void {
    this.#last.set(table, { number: number - 1, header: null, state: before.state, leaves: null, lastLeaf: -1 });
    this.#winners.set(table, before.winner);
  }

  /** An OPEN leaf takes its place. */
  open(placed: Placed<"OPEN">): void {
    const { header, round_id: roundId } = placed.value;
    const last = this.#last.get(header.table_id);
    const where = { leaf_index: placed.index, ...slot(header) };
    const found = attempt(() => openedBehind(placed, last), SlotError);
    const isRefused = found instanceof SlotError;
    const isTwice = isRefused && found.reason === "ALREADY_OPENED";
    if (isRefused) {
      const check = isTwice ? "ORDER" : "PREVIOUS_LEAF";
      this.#find(check, codeOf("OPEN", found.reason), `the round ${found.detail}`, where);
    }
    if (this.#rounds.has(roundId)) {
      if (!isRefused) {
        this.#find("ORDER", "OPENED_TWICE", "its round id is that of another round", where);
      }
      return;
    }
    this.timeline.add(placed.index, placed.value.opened_time, header);
    const live: Live = {
      number: header.round_number,
      header,
      state: isRefused ? opened(roundId) : found,
      lastLeaf: placed.index,
      leaves: {
        roundId,
        header,
        open: placed,
        unseals: [],
        previousRoundId: last === undefined || isTwice ? null : last.state.roundId,
        lastWinner: this.#winners.get(header.table_id) ?? null,
        exhibits: this.#exhibits.get(roundId) ?? NO_EXHIBITS,
      },
    };
    this.#rounds.set(roundId, live);
    const counts = this.#countsOf(header);
    counts.opened += 1;
    counts.sealed += placed.value.seat_tokens === undefined ? 0 : 1;
    if (!isTwice) {
      this.#last.set(header.table_id, live);
      if (last?.leaves === null) {
        this.#rounds.delete(last.state.roundId);
      }
    }
  }

  /** The round that this leaf completes; null where it completes none. */
  take(placed: RoundLeaf): RoundLeaves | null {
    const live = this.#rounds.get(placed.value.round_id);
    if (live === undefined || live.header === null) {
      this.#findStray(placed);
      return null;
    }
    const step = stepOf(placed, live.state);
    const states = { previous: null, current: live.state };
    const found = attempt(() => advance(step, placed.hash, states), SlotError);
    const isSame = found === live.state;
    const after = isSame ? new SlotError("COURSE_FORKED", "has this UNSEAL already") : found;
    if (after instanceof SlotError) {
      const { reason, detail } = after;
      const code = codeOf(step.kind, reason);
      const where = { leaf_index: placed.index, ...slot(live.header) };
      if (code === "DECK_ROOT_MISMATCH" && step.kind === "SETTLE") {
        const dealt = live.state.deckRoot ?? "absent";
        const difference = unlike("inputs.deck_root", step.deckRoot, dealt);
        this.#find("SETTLED_HEADER", code, "another deck was settled than was dealt", { ...where, ...difference });
      } else {
        const check = CHECKS_OF[code] ?? "ORDER";
        this.#find(check, code, `the round ${detail}`, where);
      }
      if (["ENDED_TWICE", "DEALT_TWICE", "UNSEAL_NOT_IN_COURSE"].includes(code)) {
        return null;
      }
      live.state = forced(step, live.state, placed.hash);
    } else {
      live.state = after;
    }
    return this.#place(live, live.header, placed);
  }

  /**
   * The rounds that still wait for a leaf, oldest first. Where `now` is given, those past their deadline by more than
   * `grace` ms are found: late by `asOf`, or, as a note, by `now` alone.
   */
  close({ asOf, now, grace }: { asOf: number; now: number | null; grace: number }): RoundLeaves[] {
    const waiting: RoundLeaves[] = [];
    for (const live of this.#rounds.values()) {
      const { header, leaves, state, lastLeaf } = live;
      if (leaves === null || header === null) {
        continue;
      }
      live.leaves = null;
      waiting.push(leaves);
      const isEnded = isTerminal(state);
      const deadline = state.stage === "OPENED" ? header.deal_deadline : header.round_deadline;
      if (now === null || now <= deadline + grace) {
        continue;
      }
      leaves.isLapsed = !isEnded;
      const detail = isEnded
        ? `the round has ended, its deadline was ${deadline}, and no seed is shown`
        : `the round is ${state.stage}, its deadline was ${deadline}, and it was not aborted`;
      const where = { leaf_index: lastLeaf, ...slot(header) };
      if (asOf > deadline + grace) {
        this.#find("TIMES", isEnded ? "NEVER_REVEALED" : "DEADLINE_PASSED", detail, where);
      } else {
        this.#find("TIMES", "UNFINISHED_IN_COPY", `${detail} as of ${asOf}`, where);
      }
    }
    return waiting;
  }

  #place(live: Live, header: Header, placed: RoundLeaf): RoundLeaves | null {
    const { leaves } = live;
    if (leaves === null) {
      return null;
    }
    const time = timeOf(placed);
    if (time !== null) {
      this.timeline.add(placed.index, time, header);
    }
    const counts = this.#countsOf(header);
    if (placed.kind === "UNSEAL") {
      leaves.unseals = [...leaves.unseals, placed];
    } else {
      counts[({ DEAL: "dealt", SETTLE: "settled", ABORT: "aborted", REVEAL: "revealed" } as const)[placed.kind]] += 1;
      Object.assign(leaves, { [placed.kind.toLowerCase()]: placed });
    }
    if (placed.kind === "SETTLE") {
      this.#winners.set(header.table_id, winnerOf(placed.value, header));
    }
    live.lastLeaf = placed.index;
    if (!isTerminal(live.state) || !live.state.isRevealed) {
      return null;
    }
    if (this.#last.get(header.table_id) !== live) {
      this.#rounds.delete(live.state.roundId);
    }
    live.leaves = null;
    return leaves;
  }

  #countsOf(header: Header): TableCounts {
    const none = { opened: 0, sealed: 0, dealt: 0, settled: 0, aborted: 0, revealed: 0 };
    const counts = this.counts.get(header.table_id) ?? none;
    this.counts.set(header.table_id, counts);
    return counts;
  }

  /** A leaf of a round that is not known, or was over and done with long before. */
  #findStray(placed: RoundLeaf): void {
    const where = { leaf_index: placed.index };
    if (placed.kind === "DEAL") {
      this.#find("ORDER", "DEAL_BEFORE_OPEN", "there is no OPEN with its round id before it", where);
    } else if (placed.kind === "SETTLE") {
      this.#findStraySettlement(placed);
    } else {
      this.#find("ORDER", "LEAF_OF_NO_ROUND", "no round that waits for it has its round id", where);
    }
  }

  #findStraySettlement(placed: Placed<"SETTLE">): void {
    const { header } = placed.value.inputs;
    const where: Where = { leaf_index: placed.index, ...slot(header) };
    const last = this.#last.get(header.table_id);
    if (last === undefined || header.round_number > last.number) {
      this.#find("ORDER", "SETTLED_UNDEALT", "it settles a round that was never opened", where);
    } else if (header.round_number < last.number || last.leaves === null) {
      this.#find("ORDER", "ENDED_TWICE", "it settles a round that has ended", where);
    } else {
      const fault = headerFault(header, last.leaves.header);
      const detail = "the transcript has another header than OPEN, and so another round id";
      const code = fault?.code ?? "SETTLED_OTHER_ROUND";
      this.#find("SETTLED_HEADER", code, detail, { ...where, ...fault?.where });
    }
  }

  #find(check: CheckCode, code: Code, detail: string, where: Where): void {
    this.findings.push({ check, finding: finding(code, detail, where) });
  }
}

/** The winner that a transcript names first; null where it names none, or its game has no leader. */
export function winnerOf(transcript: Transcript, header: Header): LastWinner | null {
  const { results } = transcript;
  const winners = member(results, "winners");
  const seat = Array.isArray(winners) ? winners[0] : undefined;
  const isSeat = typeof seat === "number" && seat in header.seat_keys;
  return isSeat && hasLeader(header) ? { seat, header } : null;
}

function slot(header: Header): { table_id: string; round_number: number } {
  return { table_id: header.table_id, round_number: header.round_number };
}

function openedBehind(placed: Placed<"OPEN">, last: Live | undefined): RoundState {
  const { header, round_id: roundId } = placed.value;
  const number = header.round_number;
  const previous = last !== undefined && last.number === number - 1 ? last.state : null;
  const current = last !== undefined && last.number >= number ? last.state : null;
  const step = { roundNumber: number, roundId, previousLeaf: header.previous_leaf };
  return advance({ kind: "OPEN", ...step }, placed.hash, { previous, current });
}
