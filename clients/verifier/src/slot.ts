/**
 * A round of a table takes its steps in one order: OPEN < DEAL < UNSEAL, as many as cards opened
 * < SETTLE or ABORT < REVEAL, all but UNSEAL once. All UNSEALs of a round, and its SETTLE, are of
 * one course of events: each has the history of every one before it. OPEN needs the leaf that ended the table's round before it; every later step names the
 * round id that OPEN named; SETTLE and ABORT name the deck that was dealt. REVEAL may come after
 * the next round is opened. Hashes are lowercase hex.
 */

export const NO_LEAF = "00".repeat(32);

export type SlotReason =
  | "NOT_OPENED"
  | "NOT_DEALT"
  | "NOT_TERMINAL"
  | "ALREADY_OPENED"
  | "ALREADY_DEALT"
  | "ALREADY_SETTLED"
  | "ALREADY_REVEALED"
  | "ABORTED"
  | "PREVIOUS_ROUND_OPEN"
  | "WRONG_PREVIOUS"
  | "ROUND_MISMATCH"
  | "DECK_ROOT_MISMATCH"
  | "COURSE_FORKED";

/** A step that the round's state does not allow. */
export class SlotError extends Error {
  override name = "SlotError";
  constructor(
    readonly reason: SlotReason,
    readonly detail: string,
  ) {
    super(`${reason}: the round ${detail}`);
  }
}

/** The event after which cards opened: its number and the history of the course there. */
export interface Opening {
  readonly number: number;
  readonly history: string;
}

/**
 * `deckRoot` of an ABORT is null before the deal. `course` of an UNSEAL is its history at a number,
 * `unseals` of a SETTLE are those that the transcript names, with its own histories there.
 */
export type Step =
  | { kind: "OPEN"; roundNumber: number; roundId: string; previousLeaf: string }
  | { kind: "DEAL"; roundId: string; deckRoot: string }
  | {
      kind: "UNSEAL";
      roundId: string;
      number: number;
      history: string;
      course: (number: number) => string | undefined;
    }
  | { kind: "SETTLE"; roundId: string; deckRoot: string; unseals: readonly Opening[] }
  | { kind: "ABORT"; roundId: string; deckRoot: string | null }
  | { kind: "REVEAL"; roundId: string };

export type Stage = "OPENED" | "DEALT" | "SETTLED" | "ABORTED";

export interface RoundState {
  readonly roundId: string;
  readonly stage: Stage;
  readonly deckRoot: string | null;
  readonly terminalLeaf: string | null;
  readonly isRevealed: boolean;
  /** The UNSEALs on record, each with the hash of its leaf. */
  readonly unseals: readonly (Opening & { readonly leaf: string })[];
}

export function opened(roundId: string): RoundState {
  const nothing = { deckRoot: null, terminalLeaf: null, isRevealed: false, unseals: [] };
  return { roundId, stage: "OPENED", ...nothing };
}

export function isTerminal(state: RoundState): boolean {
  return state.stage === "SETTLED" || state.stage === "ABORTED";
}

/**
 * The state of a round once a leaf of this hash has taken the step; SlotError where it may not.
 * `previous` is the table's round before it, read by OPEN alone; null where there is none.
 */
export function advance(
  step: Step,
  leaf: string,
  { previous, current }: { previous: RoundState | null; current: RoundState | null },
): RoundState {
  if (step.kind === "OPEN") {
    return open(step, previous, current);
  }
  if (current === null) {
    throw new SlotError("NOT_OPENED", "was never opened");
  }
  if (step.roundId !== current.roundId) {
    throw new SlotError("ROUND_MISMATCH", "has another round id");
  }
  switch (step.kind) {
    case "DEAL":
      if (current.stage !== "OPENED") {
        refuse(current.stage === "ABORTED" ? "ABORTED" : "ALREADY_DEALT", current);
      }
      return { ...current, stage: "DEALT", deckRoot: step.deckRoot };
    case "UNSEAL":
      return unseal(step, leaf, current);
    case "SETTLE":
      checkRunning(current);
      if (current.deckRoot === null) {
        refuse("NOT_DEALT", current);
      }
      checkDeck(step.deckRoot, current);
      checkUnseals(step.unseals, current);
      return { ...current, stage: "SETTLED", terminalLeaf: leaf };
    case "ABORT":
      checkRunning(current);
      if (step.deckRoot === null && current.deckRoot !== null) {
        refuse("ALREADY_DEALT", current);
      }
      if (step.deckRoot !== null && current.deckRoot === null) {
        refuse("NOT_DEALT", current);
      }
      checkDeck(step.deckRoot, current);
      return { ...current, stage: "ABORTED", terminalLeaf: leaf };
    case "REVEAL":
      if (!isTerminal(current)) {
        refuse("NOT_TERMINAL", current);
      }
      if (current.isRevealed) {
        throw new SlotError("ALREADY_REVEALED", "is revealed");
      }
      return { ...current, isRevealed: true };
  }
}

function open(
  step: { roundNumber: number; roundId: string; previousLeaf: string },
  previous: RoundState | null,
  current: RoundState | null,
): RoundState {
  if (current !== null) {
    refuse("ALREADY_OPENED", current);
  }
  if (step.roundNumber > 1 && previous === null) {
    throw new SlotError("WRONG_PREVIOUS", "has no round before it");
  }
  const before = step.roundNumber === 1 || previous === null ? NO_LEAF : previous.terminalLeaf;
  if (before === null) {
    throw new SlotError("PREVIOUS_ROUND_OPEN", "waits for the round before it to end");
  }
  if (step.previousLeaf !== before) {
    throw new SlotError("WRONG_PREVIOUS", `follows leaf ${before}`);
  }
  return opened(step.roundId);
}

/** The state once cards opened; the same state where this UNSEAL is on record. */
function unseal(
  { number, history, course }: Extract<Step, { kind: "UNSEAL" }>,
  leaf: string,
  current: RoundState,
): RoundState {
  if (current.unseals.some((one) => one.number === number && one.history === history)) {
    return current;
  }
  checkRunning(current);
  if (current.deckRoot === null) {
    refuse("NOT_DEALT", current);
  }
  for (const one of current.unseals) {
    if (number <= one.number || course(one.number) !== one.history) {
      throw new SlotError("COURSE_FORKED", `opened cards by another course at event ${one.number}`);
    }
  }
  return { ...current, unseals: [...current.unseals, { number, history, leaf }] };
}

function checkUnseals(unseals: readonly Opening[], current: RoundState): void {
  const isAll =
    unseals.length === current.unseals.length &&
    current.unseals.every(
      ({ number, history }, at) => unseals[at]?.number === number && unseals[at]?.history === history,
    );
  if (!isAll) {
    throw new SlotError("COURSE_FORKED", "opened cards by another course");
  }
}

function checkRunning(current: RoundState): void {
  if (current.stage === "SETTLED") {
    refuse("ALREADY_SETTLED", current);
  }
  if (current.stage === "ABORTED") {
    refuse("ABORTED", current);
  }
}

function checkDeck(deckRoot: string | null, current: RoundState): void {
  if (deckRoot !== current.deckRoot) {
    throw new SlotError("DECK_ROOT_MISMATCH", "was dealt from another deck");
  }
}

function refuse(reason: SlotReason, current: RoundState): never {
  throw new SlotError(reason, `is ${current.stage}`);
}
