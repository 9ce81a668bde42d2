/** A seat's own chain, and the course and the bytes of the events that it is of. */

export * from "./chain.js";
export type { CourseReceipt as EventReceipt, Link } from "referee-verifier/protocol";
export { courseOf, eventBytes, type EventEncoder } from "./events.js";
export type { AnyEvent } from "./game.js";
