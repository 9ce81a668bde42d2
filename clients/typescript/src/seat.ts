/** A seat's own chain, and the course and the events that it is of. */

export * from "./chain.js";
export { canonical, type EventReceipt, type Link } from "./course.js";
export { type AnyEvent, courseOf, eventBytes } from "./events.js";
