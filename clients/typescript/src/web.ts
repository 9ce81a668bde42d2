/** From a browser, or anything else with `fetch`: gRPC-Web to a gateway or to Envoy. */

import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import { type Calls, optionsOf, type Referee, refereeOver } from "./referee.js";
import { DETAILS } from "./refusal.js";
import { unreachedWords } from "./unreached.js";

/** Where a server is for browsers. */
export interface WebAddress extends Calls {
  /** The base address, such as `https://play.example.com`; a page's own is `location.origin`. */
  readonly baseUrl: string;
  /** Connect's own protocol in place of gRPC-Web, with JSON that can be read in the browser's tools. */
  readonly json?: boolean;
}

/** The services behind a gateway. */
export function connectWeb({ baseUrl, json = false, ...calls }: WebAddress): Referee {
  const interceptors = [...(calls.interceptors ?? []), reaching(baseUrl)];
  const options = { baseUrl, jsonOptions: { registry: DETAILS }, ...optionsOf({ ...calls, interceptors }) };
  return refereeOver(json ? createConnectTransport(options) : createGrpcWebTransport(options));
}

/** Say what to do about a call without an answer, for which `fetch` throws a TypeError. */
function reaching(baseUrl: string): Interceptor {
  return (next) => async (request) => {
    try {
      return await next(request);
    } catch (error) {
      if (error instanceof TypeError) {
        const words = await unreachedWords(request.method.name, baseUrl.replace(/\/+$/, ""), String(error));
        throw new ConnectError(words, Code.Unavailable, undefined, undefined, error);
      }
      throw error;
    }
  };
}
