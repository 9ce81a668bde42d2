/**
 * Why a call was refused, in the words of `error_reason.proto`: a reason that programs can act on,
 * the fields at fault, and facts. Whatever was refused was not done.
 */

import { createRegistry, type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import { type Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "./gen/google/rpc/error_details_pb.js";
import type { ErrorReason } from "./gen/referee/v1/error_reason_pb.js";

/** The reasons that this version knows. A newer server can have others: go by the code then. */
export type Reason = Exclude<keyof typeof ErrorReason, "UNSPECIFIED">;

/** A field of the request that is at fault. */
export interface FieldAtFault {
  /** Its path, such as `round.events[2].arrange.back[4]`. */
  readonly path: string;
  /** What is wrong with it, for developers. */
  readonly description: string;
}

/** A refused call. */
export interface Refusal {
  /** The gRPC status, by which an unknown reason is treated. */
  readonly code: Code;
  /** The reason's stable name; empty where something else than Referee refused, such as the network. */
  readonly reason: Reason | (string & {});
  /** For developers. */
  readonly message: string;
  /** The request's fields at fault; empty where none was named. */
  readonly fields: readonly FieldAtFault[];
  /** What else the server said, by name, such as `deadline_time`. */
  readonly facts: Readonly<Record<string, string>>;
  /** How long the server asks to be left alone, in milliseconds; absent where it does not say. */
  readonly retryAfterMs?: number | undefined;
  /** What the server's log has the call under; empty where none came back. */
  readonly requestId: string;
}

/** The facts of a refused call, as far as its answer has them. */
export type RefusalFacts = Pick<Refusal, "code" | "message"> & {
  readonly [Name in keyof Refusal]?: Refusal[Name] | undefined;
};

const DOMAIN = "referee.v1";

/** The details of errors, for answers in JSON that have a `google.rpc.Status`. */
export const DETAILS = createRegistry(BadRequestSchema, ErrorInfoSchema, RetryInfoSchema);

export const REQUEST_ID = "x-request-id";

/** The refusal that an error of a call is; anything that is no error of a call is thrown again. */
export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof ConnectError)) {
    throw error;
  }
  const { code, rawMessage: message, metadata } = error;
  const requestId = metadata.get(REQUEST_ID) ?? "";
  return { code, message, requestId, ...saidIn((schema) => error.findDetails(schema)) };
}

/** A detail of an error: the name of its message, which a URL may precede, and its bytes. */
export interface Detail {
  readonly type: string;
  readonly value: Uint8Array;
}

/** The facts of an error that no transport has read: its code, its message and its details. */
export function factsOf(code: Code, message: string, details: readonly Detail[]): RefusalFacts {
  const said = saidIn((schema) =>
    details
      .filter(({ type }) => type.slice(type.lastIndexOf("/") + 1) === schema.typeName)
      .map(({ value }) => fromBinary(schema, value)),
  );
  return { code, message, ...said };
}

/** What the details of an error say, which are found by their messages. */
function saidIn(find: <S extends DescMessage>(schema: S) => MessageShape<S>[]) {
  const info = find(ErrorInfoSchema).find(({ domain }) => domain === DOMAIN);
  const violations = find(BadRequestSchema).flatMap(({ fieldViolations }) => fieldViolations);
  const [delay] = find(RetryInfoSchema).map(({ retryDelay }) => retryDelay);
  return {
    reason: info?.reason ?? "",
    fields: violations.map(({ field, description }) => ({ path: field, description })),
    facts: info?.metadata ?? {},
    retryAfterMs: delay && Number(delay.seconds) * 1000 + delay.nanos / 1e6,
  };
}
