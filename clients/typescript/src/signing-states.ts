/**
 * What becomes of the newest event that a seat has signed and handed to a frontend's server, until the course has it. It keeps
 * three promises: a seat never signs two events for one place of its chain while the first may still count; an event that was
 * accepted is never given up; an event that was refused is never sent again.
 *
 * | state     | meaning                                                                                      |
 * | --------- | -------------------------------------------------------------------------------------------- |
 * | FREE      | nothing is signed beyond the course                                                          |
 * | SENT      | signed, kept and sent; no answer has decided about it                                        |
 * | HELD      | the server holds it back and may hand it in at any time                                      |
 * | RELEASED  | the server held it and has put another in its place: it counts only if it is sent again      |
 * | RECEIPTED | the referee has accepted it; the course that the seat was shown does not have it yet         |
 *
 * Pure: no browser, no clock, no keys. `TABLE` is the whole of it, and `SeatSigner` carries out the outputs.
 */

export type State = "FREE" | "SENT" | "HELD" | "RELEASED" | "RECEIPTED";

/** What the server answers to the sending of a signed event. */
export type Answer =
  | "RECEIPT" // accepted, with a receipt
  | "HOLD" // held back, to be handed in later
  | "DENIAL" // judged and refused: these bytes will never be accepted
  | "NO_DECISION"; // refused without being looked at: says nothing about an earlier sending of the same bytes

export type Cue =
  | "WANT" // the person wants an event: this one or another
  | "RESUME" // the page was loaded again
  | Answer
  | "RELEASE" // a view says that the server holds back nothing that the seat signed, and the course has it not
  | "RESOLVE"; // the course has the event, or the clock has made it void

export type Output =
  | "SIGN" // sign a new event, keep it, send it under a new id
  | "REPEAT" // send the same bytes under the same id, so that the server answers as it did the first time
  | "OFFER" // send the same event under a new id: the server has let go of its first sending
  | "FORGET" // drop the event: another may be signed in its place
  | "WAIT" // wait until the course has it
  | "NONE";

export type Table = Readonly<Record<State, Readonly<Record<Cue, readonly [State, Output]>>>>;

const FREE = ["FREE", "NONE"] as const;
const SENT = ["SENT", "NONE"] as const;
const HELD = ["HELD", "NONE"] as const;
const RELEASED = ["RELEASED", "NONE"] as const;
const RECEIPTED = ["RECEIPTED", "NONE"] as const;

/** Next state and output, by state and cue. An answer counts only if it is to the newest sending: see `step`. */
// prettier-ignore
export const TABLE: Table = {
  FREE: {
    WANT: ["SENT", "SIGN"],         RESUME: FREE,               RELEASE: FREE,              RESOLVE: FREE,
    RECEIPT: FREE,                  HOLD: FREE,                 DENIAL: FREE,               NO_DECISION: FREE,
  },
  SENT: {
    WANT: ["SENT", "REPEAT"],       RESUME: ["SENT", "REPEAT"], RELEASE: SENT,              RESOLVE: FREE,
    RECEIPT: ["RECEIPTED", "WAIT"], HOLD: HELD,                 DENIAL: ["FREE", "FORGET"], NO_DECISION: SENT,
  },
  HELD: {
    WANT: ["HELD", "WAIT"],         RESUME: HELD,               RELEASE: RELEASED,          RESOLVE: FREE,
    RECEIPT: HELD,                  HOLD: HELD,                 DENIAL: HELD,               NO_DECISION: HELD,
  },
  RELEASED: {
    WANT: ["SENT", "OFFER"],        RESUME: RELEASED,           RELEASE: RELEASED,          RESOLVE: FREE,
    RECEIPT: RELEASED,              HOLD: RELEASED,             DENIAL: RELEASED,           NO_DECISION: RELEASED,
  },
  RECEIPTED: {
    WANT: ["RECEIPTED", "WAIT"],    RESUME: RECEIPTED,          RELEASE: RECEIPTED,         RESOLVE: FREE,
    RECEIPT: RECEIPTED,             HOLD: RECEIPTED,            DENIAL: RECEIPTED,          NO_DECISION: RECEIPTED,
  },
};

/** The state and the id of the newest sending; the id is empty while the state is FREE. */
export interface Memory {
  readonly state: State;
  readonly id: string;
}

export const NOTHING_SENT: Memory = { state: "FREE", id: "" };

export type Input =
  | { readonly cue: "WANT"; /** For a new sending. */ readonly freshId: string }
  | { readonly cue: "RESUME" | "RELEASE" | "RESOLVE" }
  | { readonly cue: Answer; /** Of the sending that is answered. */ readonly id: string };

/** The memory to keep before the output is carried out. An answer to another sending than the newest changes nothing. */
export function step(
  memory: Memory,
  input: Input,
  table: Table = TABLE,
): { readonly memory: Memory; readonly output: Output } {
  if ("id" in input && input.id !== memory.id) {
    return { memory, output: "NONE" };
  }
  const [state, output] = table[memory.state][input.cue];
  const isNew = "freshId" in input && (output === "SIGN" || output === "OFFER");
  const id = state === "FREE" ? "" : isNew ? input.freshId : memory.id;
  return { memory: { state, id }, output };
}
