/**
 * All that a seat needs which a frontend's server plays for: its key, its own chain, what it signs, what it is bound by, and the
 * times that it compares. Nothing here asks a referee.
 */

export {
  arrangementCommitment,
  base64,
  type Bytes,
  clientCommitment,
  type CourseReceipt as EventReceipt,
  hex,
  type Link,
  seatTokenHash,
  seedStatement,
  unbase64,
  unhex,
} from "referee-verifier/protocol";
export { browserSeatKey, type SeatKey } from "./browser-key.js";
export * from "./chain.js";
export { type ClockDifference, type Dated, RoundClock } from "./clock.js";
export {
  chainOf,
  type KeptChain,
  type SeatFrontend,
  SeatSigner,
  type SentCommand,
  type ShownCourse,
  type SignedCommand,
} from "./seat-signer.js";
export type { Answer } from "./signing-states.js";
