/** What a call says of itself: who asks, and under which id the server's log has it. */

import { ConnectError, type Interceptor } from "@connectrpc/connect";
import { hex } from "referee-verifier/protocol";
import { REQUEST_ID, refusalOf } from "./refusal.js";

/**
 * A token, or a function that returns one. The function is asked at the first call, and again when the server says that
 * the token has expired; that call is then made once more.
 */
export type Token = string | (() => string | Promise<string>);

/** The reason with which a server refuses a call, before any work, for a token whose time is over. */
const EXPIRED = "CREDENTIALS_EXPIRED";

/** A client's newest token, which all its calls share. */
export class HeldToken {
  readonly #source: Token;
  #text: Promise<string> | undefined;

  constructor(source: Token) {
    this.#source = source;
  }

  /** Make a call with the token; once more with another one where the first has expired. */
  async calling<T>(call: (token: string) => Promise<T>, reasonOf: (error: unknown) => string): Promise<T> {
    const asked = this.#ask();
    const shown = await asked;
    try {
      return await call(shown);
    } catch (error) {
      if (reasonOf(error) !== EXPIRED) {
        throw error;
      }
      this.#forget(asked);
      const next = await this.#ask();
      if (next === shown) {
        throw error;
      }
      return call(next);
    }
  }

  /** The newest token; a function that fails is asked again by the next call. */
  #ask(): Promise<string> {
    if (this.#text === undefined) {
      const source = this.#source;
      const asked = Promise.resolve().then(() => (typeof source === "string" ? source : source()));
      asked.catch(() => this.#forget(asked));
      this.#text = asked;
    }
    return this.#text;
  }

  /** Ask the function at the next call, unless another call has had it asked already. */
  #forget(asked: Promise<string>): void {
    if (this.#text === asked) {
      this.#text = undefined;
    }
  }
}

/** Every call has a request id, the caller's or a new one, and the same for each attempt. */
export const named: Interceptor = (next) => (request) => {
  if (!request.header.has(REQUEST_ID)) {
    request.header.set(REQUEST_ID, hex(crypto.getRandomValues(new Uint8Array(8))));
  }
  return next(request);
};

/** Every call shows the token; an answer that is a stream is not asked for again. */
export function bearing(token: Token): Interceptor {
  const held = new HeldToken(token);
  return (next) => (request) => {
    const call = (shown: string) => {
      request.header.set("authorization", `Bearer ${shown}`);
      return next(request);
    };
    return held.calling(call, (error) => (error instanceof ConnectError ? refusalOf(error).reason : ""));
  };
}
