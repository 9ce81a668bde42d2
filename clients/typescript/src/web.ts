/** From a browser, or anything else with `fetch`: gRPC-Web to a gateway or to Envoy. */

import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import { type Calls, optionsOf, type Referee, refereeOver } from "./referee.js";
import { DETAILS } from "./refusal.js";

/** Where a server is for browsers. */
export interface WebAddress extends Calls {
  /** The base address, such as `https://play.example.com`; a page's own is `location.origin`. */
  readonly baseUrl: string;
  /** Connect's own protocol in place of gRPC-Web, with JSON that can be read in the browser's tools. */
  readonly json?: boolean;
}

/** The services behind a gateway. */
export function connectWeb({ baseUrl, json = false, ...calls }: WebAddress): Referee {
  const options = { baseUrl, jsonOptions: { registry: DETAILS }, ...optionsOf(calls) };
  return refereeOver(json ? createConnectTransport(options) : createGrpcWebTransport(options));
}
