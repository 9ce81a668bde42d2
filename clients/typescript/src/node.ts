/** From Node: gRPC itself, over one HTTP/2 connection. All of `referee-client` is here too. */

import type { SecureClientSessionOptions } from "node:http2";
import { Code, ConnectError, type Interceptor, type Transport } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { Client, type ClientOptions } from "./client.js";
import { GATHER_MS } from "./gathering.js";
import { type Line, lineOver } from "./line.js";
import { type Calls, optionsOf, type Referee, refereeOver } from "./referee.js";
import { refusalOf } from "./refusal.js";

export { FileJournal } from "./file-journal.js";
export * from "./index.js";
export { loadSeatKey, saveSeatKey, writeReceipts } from "./kept-files.js";

/** Where a server is. */
export interface NodeAddress extends Calls {
  /** `http://host:port`, or `https://host:port` with TLS. */
  readonly baseUrl: string;
  /** Certificates, where the system's authorities do not know the server or the server asks for one. */
  readonly tls?: Pick<SecureClientSessionOptions, "ca" | "cert" | "key">;
  /** How long a connection may take to be made, in milliseconds; 5 seconds. Then a call makes a new one. */
  readonly connectMs?: number;
}

const CONNECT_MS = 5000;

/**
 * The connection to a server, made anew by the next call where it was lost, without a pause. One that a server which is
 * away never answers is given up in time, so that calls find the server once it is back.
 */
class Connection extends Http2SessionManager {
  readonly #connectMs: number;

  constructor(baseUrl: string, tls: NodeAddress["tls"], connectMs: number) {
    super(baseUrl, {}, tls);
    this.#connectMs = connectMs;
  }

  override async request(...call: Parameters<Http2SessionManager["request"]>) {
    const timer = setTimeout(() => {
      if (this.state() === "connecting") {
        this.abort(new ConnectError(`no connection within ${this.#connectMs} ms`, Code.Unavailable));
      }
    }, this.#connectMs);
    try {
      return await super.request(...call);
    } finally {
      clearTimeout(timer);
    }
  }
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

function opened({ baseUrl, tls = {}, connectMs = CONNECT_MS, ...calls }: NodeAddress): [Transport, () => void] {
  const sessionManager = new Connection(baseUrl, tls, connectMs);
  const interceptors = [...(calls.interceptors ?? []), noticingLoss];
  const transport = createGrpcTransport({ baseUrl, sessionManager, ...optionsOf({ ...calls, interceptors }) });
  return [transport, () => sessionManager.abort()];
}

/** Say UNAVAILABLE of a call whose connection ended before its answer, for which the transport says ABORTED. */
const noticingLoss: Interceptor = (next) => async (request) => {
  try {
    return await next(request);
  } catch (error) {
    if (error instanceof ConnectError && error.code === Code.Aborted && refusalOf(error).reason === "") {
      const words = `${request.method.name} lost its connection before the answer (${error.rawMessage})`;
      throw new ConnectError(words, Code.Unavailable, error.metadata, undefined, error);
    }
    throw error;
  }
};
