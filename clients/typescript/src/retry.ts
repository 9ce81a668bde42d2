/**
 * Calls asked again, as the service config of the protos has it: only methods that say asking twice
 * does no harm, only where the server says UNAVAILABLE or says how long to wait, after pauses that
 * double and are drawn at random, and never beyond the call's deadline.
 */

import { MethodOptions_IdempotencyLevel as Level } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { retryDelay } from "./refusal.js";

/** How often and how fast. */
export interface Retries {
  /** Attempts in all. */
  readonly attempts: number;
  /** The first pause is a random part of this, in milliseconds. */
  readonly firstMs: number;
  /** And none of more than this. */
  readonly longestMs: number;
}

export const RETRIES: Retries = { attempts: 5, firstMs: 100, longestMs: 2000 };

/** Asks again where that does no harm. */
export function retrying({ attempts, firstMs, longestMs }: Retries): Interceptor {
  return (next) => async (request) => {
    if (request.stream || request.method.idempotency === Level.IDEMPOTENCY_UNKNOWN) {
      return next(request);
    }
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await next(request);
      } catch (error) {
        const asked = error instanceof ConnectError ? retryDelay(error) : undefined;
        const isPassing = error instanceof ConnectError && error.code === Code.Unavailable;
        if (attempt >= attempts || request.signal.aborted || !(isPassing || asked !== undefined)) {
          throw error;
        }
        const pause = Math.random() * Math.min(longestMs, firstMs * 2 ** (attempt - 1));
        await passed(Math.max(pause, asked ?? 0), request.signal, error);
      }
    }
  };
}

/** So many milliseconds have passed; the error, where the call ended before. */
function passed(ms: number, signal: AbortSignal, error: unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", end);
      resolve();
    }, ms);
    const end = () => {
      clearTimeout(timer);
      reject(error);
    };
    signal.addEventListener("abort", end, { once: true });
  });
}
