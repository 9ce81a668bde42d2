/** The steps that leaves take, and what a refused one is found as. */

import type { Code } from "./finding.js";
import type { Placed } from "./reading.js";
import { NO_LEAF, type RoundState, type SlotReason, type Step } from "./slot.js";

export type RoundLeaf = Placed<"DEAL" | "UNSEAL" | "SETTLE" | "ABORT" | "REVEAL">;

const OPEN_CODES: Partial<Record<SlotReason, Code>> = {
  ALREADY_OPENED: "OPENED_TWICE",
  PREVIOUS_ROUND_OPEN: "NEXT_ROUND_EARLY",
  WRONG_PREVIOUS: "WRONG_PREVIOUS_LEAF",
};

/** The finding for an OPEN that its table refuses. */
export function openCode(reason: SlotReason): Code {
  return OPEN_CODES[reason] ?? "WRONG_PREVIOUS_LEAF";
}

/** The step that a leaf takes in its round. */
export function stepOf(placed: RoundLeaf, state: RoundState): Step {
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
export function forced(step: Step, state: RoundState, leaf: string): RoundState {
  switch (step.kind) {
    case "SETTLE":
      return { ...state, stage: "SETTLED", terminalLeaf: leaf };
    case "ABORT":
      return { ...state, stage: "ABORTED", terminalLeaf: leaf };
    case "REVEAL":
      return { ...state, isRevealed: true };
    case "OPEN":
    case "DEAL":
    case "UNSEAL":
      return state;
  }
}

/** The finding for a step that its round refuses. */
export function codeOf(step: Step, reason: SlotReason): Code {
  switch (step.kind) {
    case "OPEN":
      return openCode(reason);
    case "DEAL":
      return "DEALT_TWICE";
    case "UNSEAL":
      return "UNSEAL_NOT_IN_COURSE";
    case "SETTLE":
      if (reason === "NOT_DEALT") {
        return "SETTLED_UNDEALT";
      }
      return reason === "DECK_ROOT_MISMATCH" ? "DECK_ROOT_MISMATCH" : "ENDED_TWICE";
    case "ABORT":
      return reason === "ALREADY_SETTLED" || reason === "ABORTED" ? "ENDED_TWICE" : "ABORT_MISMATCH";
    case "REVEAL":
      return reason === "NOT_TERMINAL" ? "REVEALED_EARLY" : "ENDED_TWICE";
  }
}
