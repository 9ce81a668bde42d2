/** What a call says of itself: who asks, and under which id the server's log has it. */

import type { Interceptor } from "@connectrpc/connect";
import { hex } from "referee-verifier/protocol";
import { REQUEST_ID } from "./refusal.js";

/** A token, or what gives the one that counts now. */
export type Token = string | (() => string | Promise<string>);

/** Every call has a request id, the caller's or a new one, and the same for each attempt. */
export const named: Interceptor = (next) => (request) => {
  if (!request.header.has(REQUEST_ID)) {
    request.header.set(REQUEST_ID, hex(crypto.getRandomValues(new Uint8Array(8))));
  }
  return next(request);
};

/** Every call shows the token. */
export function bearing(token: Token): Interceptor {
  return (next) => async (request) => {
    const shown = typeof token === "string" ? token : await token();
    request.header.set("authorization", `Bearer ${shown}`);
    return next(request);
  };
}
