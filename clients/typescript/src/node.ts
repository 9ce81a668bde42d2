/** From Node: gRPC itself, over one HTTP/2 connection. All of `referee-client` is here too. */

import type { SecureClientSessionOptions } from "node:http2";
import type { Transport } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { Client, type ClientOptions } from "./client.js";
import { GATHER_MS } from "./gathering.js";
import { type Line, lineOver } from "./line.js";
import { type Calls, optionsOf, type Referee, refereeOver } from "./referee.js";

export { FileJournal } from "./file-journal.js";
export * from "./index.js";
export { loadSeatKey, saveSeatKey, writeReceipts } from "./kept-files.js";

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
export function connectNode(address: NodeAddress): NodeReferee {
  const [transport, close] = opened(address);
  return { ...refereeOver(transport), close };
}

/** Return a line to the server at an address, over gRPC. */
export function grpcLine(address: NodeAddress): Line {
  return lineOver(...opened(address));
}

/** How a client calls a server over gRPC, and whom it believes. */
export type ConnectOptions = Omit<NodeAddress, "baseUrl"> & ClientOptions;

/** Return a client of the server at an address, `host:port` or `https://host:port` with TLS. */
export function connect(address: string, options: ConnectOptions = {}): Client {
  const baseUrl = address.includes("://") ? address : `http://${address}`;
  return new Client(grpcLine({ ...options, baseUrl }), { gatherMs: GATHER_MS, ...options });
}

function opened({ baseUrl, tls = {}, ...calls }: NodeAddress): [Transport, () => void] {
  const sessionManager = new Http2SessionManager(baseUrl, {}, tls);
  const transport = createGrpcTransport({ baseUrl, sessionManager, ...optionsOf(calls) });
  return [transport, () => sessionManager.abort()];
}
