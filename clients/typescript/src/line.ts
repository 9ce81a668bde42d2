/** How requests reach a server: over any transport of Connect, or as JSON over HTTP (`json-line`). */

import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { ConnectError, type Transport } from "@connectrpc/connect";
import { refusedWith } from "./errors.js";
import { refusalOf } from "./refusal.js";

/** A call's deadline in milliseconds where nothing else is said. */
export const TIMEOUT_MS = 10_000;

/** Asks a server. A `RefereeError` where the call is refused or does not arrive. */
export interface Line {
  /** Call a method; throws a RefereeError where it is refused or no answer came. */
  ask<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    timeoutMs?: number,
  ): Promise<MessageShape<O>>;
  /** End the connection, where there is one. */
  close(): void;
}

/** Return a line over a transport; its interceptors, deadlines and retries hold. */
export function lineOver(transport: Transport, close: () => void = () => undefined): Line {
  return {
    async ask(method, request, timeoutMs) {
      try {
        const input = create(method.input, request);
        const answer = await transport.unary(method, undefined, timeoutMs, undefined, input);
        return answer.message;
      } catch (error) {
        throw error instanceof ConnectError ? refusedWith(refusalOf(error)) : error;
      }
    },
    close,
  };
}
