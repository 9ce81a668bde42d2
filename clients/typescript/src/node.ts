/** From Node: gRPC itself, over one HTTP/2 connection. */

import type { SecureClientSessionOptions } from "node:http2";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { type Calls, optionsOf, type Referee, refereeOver } from "./referee.js";

/** Where a server is. */
export interface NodeAddress extends Calls {
  /** `http://host:port`, or `https://host:port` with TLS. */
  readonly baseUrl: string;
  /** Certificates, where the system's authorities do not know the server or the server asks for one. */
  readonly tls?: Pick<SecureClientSessionOptions, "ca" | "cert" | "key">;
}

/** The services of a server, and its connection. */
export interface NodeReferee extends Referee {
  /** The connection ends; calls under way are cut off. */
  close(): void;
}

/** The services at an address. Nothing is connected before the first call. */
export function connectNode({ baseUrl, tls = {}, ...calls }: NodeAddress): NodeReferee {
  const sessionManager = new Http2SessionManager(baseUrl, {}, tls);
  const transport = createGrpcTransport({ baseUrl, sessionManager, ...optionsOf(calls) });
  return { ...refereeOver(transport), close: () => sessionManager.abort() };
}
