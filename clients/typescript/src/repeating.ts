/**
 * Asking again what a server that is away, late or busy did not answer, until the client's time for it is over. Calls
 * that do no harm twice are asked again by their line too (`retry`); an event is asked again here alone, since it may
 * have a receipt by then: an equal event is harmless, and another one in its place is not.
 */

import { Code } from "@connectrpc/connect";
import { RefereeError } from "./errors.js";

/** Reasons of a server that is there and can answer later. */
const BUSY: ReadonlySet<string> = new Set(["OVERLOADED", "LOG_BUSY", "TOO_MANY_CALLS"]);

/** Codes of a call that may be answered later, whatever its reason. */
const AWAY: ReadonlySet<Code> = new Set([Code.Unavailable, Code.DeadlineExceeded, Code.Canceled]);

const FIRST_MS = 50;
const LONGEST_MS = 1000;

/** Whether the same call may be answered later: the server was away, late or busy, or the connection was lost. */
function mayPass(error: unknown): boolean {
  return error instanceof RefereeError && (AWAY.has(error.code) || BUSY.has(error.reason) || isLost(error));
}

/** Whether a call was refused for good, so that what it asked for has not happened. */
export function isRefused(error: unknown): boolean {
  const isOpen = [Code.Unknown, Code.Internal, Code.DataLoss, Code.ResourceExhausted];
  return error instanceof RefereeError && !mayPass(error) && !isOpen.includes(error.code);
}

/** Whether the connection ended before the answer: Node's transport says ABORTED, for which a server gives a reason. */
function isLost({ code, reason }: RefereeError): boolean {
  return code === Code.Aborted && reason === "";
}

/** Asks again until there is an answer; calls of one client share its time and its end. */
export class Repeating {
  /** How long a call is asked again, in milliseconds; 0 for no limit. */
  readonly timeoutMs: number;
  #hasEnded = false;

  constructor(timeoutMs: number) {
    this.timeoutMs = timeoutMs;
  }

  /** Make a call until it is answered or refused for good; throw its last error once the time is over. */
  async untilAnswered<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    const began = Date.now();
    for (let pauseMs = FIRST_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_MS)) {
      try {
        return await call();
      } catch (error) {
        const isLate = this.timeoutMs > 0 && Date.now() - began + pauseMs > this.timeoutMs;
        if (isLate || !this.isAsking(error) || typeof setTimeout !== "function") {
          throw error;
        }
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        if (this.#hasEnded) {
          throw error;
        }
      }
    }
  }

  /** Whether a call that ended so is asked again. */
  isAsking(error: unknown): boolean {
    return mayPass(error) && !this.#hasEnded;
  }

  /** Ask nothing again any more: the client is closed. */
  end(): void {
    this.#hasEnded = true;
  }
}
