/** The server that the tests of this run ask; REFEREE has where it is and its keys. */

import { type Client, connect as connectJson } from "../src/index.js";
import { connect as connectGrpc } from "../src/node.js";

interface Server {
  readonly grpc: string;
  readonly web: string;
  readonly keys: { readonly origin: string; readonly logKey: string; readonly rootKey: string };
}

const given = process.env["REFEREE"];

/** Why there is nothing to ask; false where there is. */
export const without = given === undefined && "REFEREE is not set";

export const server = JSON.parse(given ?? '{"keys":{}}') as Server;

/** A client by gRPC and one by Connect and JSON, whose trust is given from outside. */
export const clients: Readonly<Record<string, () => Client>> = {
  grpc: () => connectGrpc(server.grpc, { trust: server.keys }),
  json: () => connectJson(`http://${server.web}`, { trust: server.keys }),
};

/** A table that no other test has. */
export function tableNamed(name: string): string {
  return `ts-${name}-${crypto.randomUUID().slice(0, 8)}`;
}
