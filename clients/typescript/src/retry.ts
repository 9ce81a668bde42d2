/**
 * Calls asked again, as the service config of the protos has it: methods that say asking twice does no harm, where the
 * server says UNAVAILABLE or says how long to wait; and every method where the server certainly has not begun the call.
 * After pauses that grow and are partly random, and never beyond the call's deadline.
 */

import { MethodOptions_IdempotencyLevel as Level } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { refusalOf } from "./refusal.js";

/** How often and how fast. */
export interface Retries {
  /** Attempts in all. */
  readonly attempts: number;
  /** The first pause in milliseconds; each further one is three times as long. */
  readonly firstMs: number;
  /** The longest pause. */
  readonly longestMs: number;
}

/** The pauses last 3.3 s together, so that the attempts outlast a restart of one of two servers. */
export const RETRIES: Retries = { attempts: 5, firstMs: 100, longestMs: 2000 };

/** The pause in milliseconds after an attempt, counted from 1: up to a fifth shorter or longer by chance. */
export function pauseAfter(attempt: number, { firstMs, longestMs }: Retries): number {
  return (0.8 + 0.4 * Math.random()) * Math.min(longestMs, firstMs * 3 ** (attempt - 1));
}

/** Reasons with which a server refuses a call before it has begun any work for it. */
const NOT_BEGUN: ReadonlySet<string> = new Set(["OVERLOADED", "TOO_MANY_CALLS"]);

/**
 * Whether the server has not begun the call. REFUSED_STREAM says so of one that was too many for its
 * connection (RFC 9113, section 8.7); the transport names it in the message alone.
 */
function isNotBegun(error: ConnectError): boolean {
  const { reason, code, message } = refusalOf(error);
  return NOT_BEGUN.has(reason) || (reason === "" && code === Code.Unavailable && message.includes("REFUSED_STREAM"));
}

/** Asks again where that does no harm, unless the pause would outlast the call's `timeoutMs`; 0 for no limit. */
export function retrying(retries: Retries, timeoutMs = 0): Interceptor {
  return (next) => async (request) => {
    const began = Date.now();
    if (request.stream) {
      return next(request);
    }
    const isIdempotent = request.method.idempotency !== Level.IDEMPOTENCY_UNKNOWN;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await next(request);
      } catch (error) {
        if (!(error instanceof ConnectError) || attempt >= retries.attempts || request.signal.aborted) {
          throw error;
        }
        const { retryAfterMs: asked } = refusalOf(error);
        const isPassing = error.code === Code.Unavailable || asked !== undefined;
        if (!(isIdempotent && isPassing) && !isNotBegun(error)) {
          throw error;
        }
        const pause = Math.max(pauseAfter(attempt, retries), asked ?? 0);
        if (timeoutMs > 0 && Date.now() - began + pause >= timeoutMs) {
          throw error;
        }
        await passed(pause, request.signal, error);
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
