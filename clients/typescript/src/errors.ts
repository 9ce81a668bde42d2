/**
 * What can go wrong, as classes that follow from the status alone, so that a reason that this version does not know is
 * still caught. A broken rule of a game is no error: it is answered with `violations`.
 */

import { Code } from "@connectrpc/connect";
import type { FieldAtFault, Reason, RefusalFacts } from "./refusal.js";

/**
 * Something that a server said does not hold: a signature, a proof, a commitment, cards that were
 * not dealt. Keep what it was said in, it is evidence; asking again is no use.
 */
export class VerificationError extends Error {
  override name = "VerificationError";
}

/** Secrets that are not those that a round was opened with: the caller's mistake, and no evidence. */
export class WrongSecretsError extends Error {
  override name = "WrongSecretsError";
}

/** A resumed round that cannot go on without contradicting a receipt that may have been given. */
export class RoundLapsesError extends Error {
  override name = "RoundLapsesError";
}

/** A call that was refused or did not arrive. `reason` and `field` are empty where none was named. */
export class RefereeError extends Error {
  override name = "RefereeError";
  /** The gRPC status, which gives the class. */
  readonly code: Code;
  /** A name of `ErrorReason`, such as `SEED_MISMATCH`. */
  readonly reason: Reason | (string & {});
  /** The request's fields at fault; empty where none was named. */
  readonly fields: readonly FieldAtFault[];
  /** What else the server said, by name, such as `deadline_time`. */
  readonly facts: Readonly<Record<string, string>>;
  /** How long the server asks to be left alone, in milliseconds; undefined where it does not say. */
  readonly retryAfterMs: number | undefined;
  /** What the server's log has the call under; empty over Connect. */
  readonly requestId: string;

  constructor(refusal: RefusalFacts) {
    super(refusal.message);
    this.code = refusal.code;
    this.reason = refusal.reason ?? "";
    this.fields = refusal.fields ?? [];
    this.facts = refusal.facts ?? {};
    this.retryAfterMs = refusal.retryAfterMs;
    this.requestId = refusal.requestId ?? "";
  }

  /** Path of the first field at fault, such as `client_seeds[2]`. */
  get field(): string {
    return this.fields[0]?.path ?? "";
  }
}

/** The request cannot be meant: a field is missing or out of range. Mend the caller. */
export class BadRequestError extends RefereeError {
  override name = "BadRequestError";
}

/** What was named does not exist, such as a ruleset. */
export class NotFoundError extends RefereeError {
  override name = "NotFoundError";
}

/** A forged certificate, a wrong token, or a caller who may not ask this. */
export class DeniedError extends RefereeError {
  override name = "DeniedError";
}

/** The slot is taken by something else: the round was opened, dealt or settled otherwise. */
export class ConflictError extends RefereeError {
  override name = "ConflictError";
}

/** The round is not where this call needs it; read its state, then continue from there. */
export class NotReadyError extends RefereeError {
  override name = "NotReadyError";
}

/** The server cannot be reached or has no room now. What is idempotent was tried again; do so later. */
export class UnavailableError extends RefereeError {
  override name = "UnavailableError";
}

/** No answer within the deadline. The call may have been carried out: ask again, or look. */
export class TimedOutError extends RefereeError {
  override name = "TimedOutError";
}

/** The log does not hold what it promised. A person has to look. */
export class DataLossError extends RefereeError {
  override name = "DataLossError";
}

const KINDS: ReadonlyMap<Code, new (refusal: RefusalFacts) => RefereeError> = new Map([
  [Code.InvalidArgument, BadRequestError],
  [Code.OutOfRange, BadRequestError],
  [Code.NotFound, NotFoundError],
  [Code.PermissionDenied, DeniedError],
  [Code.Unauthenticated, DeniedError],
  [Code.AlreadyExists, ConflictError],
  [Code.FailedPrecondition, NotReadyError],
  [Code.Aborted, NotReadyError],
  [Code.Unavailable, UnavailableError],
  [Code.ResourceExhausted, UnavailableError],
  [Code.DeadlineExceeded, TimedOutError],
  [Code.DataLoss, DataLossError],
]);

/** Return the error of the class that its code has. */
export function refusedWith(refusal: RefusalFacts): RefereeError {
  return new (KINDS.get(refusal.code) ?? RefereeError)(refusal);
}
