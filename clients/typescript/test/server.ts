/** The server that the tests of this run ask; REFEREE has where it is and its keys. */

import { type Client, connect as connectJson } from "../src/index.js";
import { connect as connectGrpc } from "../src/node.js";

interface Server {
  readonly grpc: string;
  readonly web: string;
  readonly keys: { readonly origin: string; readonly logKey: string; readonly rootKey: string };
}

/** A harness, whose cards are scripted and whose clock is moved at `control`. */
interface Harness {
  readonly grpc: string;
  readonly control: string;
  readonly keys: { readonly log: string; readonly root: string };
}

/** A server that remembers no round. */
interface Forgetful {
  readonly grpc: string;
  readonly keys: Server["keys"];
}

/** A server with a witness, a witness that it does not know, and the table of the round that is audited. */
interface Watched {
  readonly grpc: string;
  readonly keys: { readonly logKey: string; readonly rootKey: string };
  readonly witness: string;
  readonly stranger: string;
  readonly table: string;
}

const given = process.env["REFEREE"];

/** Why there is nothing to ask; false where there is. */
export const without = given === undefined && "REFEREE is not set";

const nothing = '{"keys":{}}';

export const server = JSON.parse(given ?? nothing) as Server;

const others = server as {
  readonly forgetful?: Forgetful;
  readonly harness?: Harness;
  readonly watched?: Watched;
};
export const forgetful = others.forgetful ?? (JSON.parse(nothing) as Forgetful);
export const harness = others.harness ?? (JSON.parse(nothing) as Harness);
export const withoutHarness = others.harness === undefined && "REFEREE names no harness";
export const watched = others.watched ?? (JSON.parse(nothing) as Watched);
export const withoutWitness = others.watched === undefined && "REFEREE names no witness";

/** Clients by gRPC and by Connect and JSON, whose trust is given from outside. */
export const clients: Readonly<Record<string, () => Client>> = {
  grpc: () => connectGrpc(server.grpc, { trust: server.keys }),
  "grpc, of a server that remembers no round": () =>
    connectGrpc(forgetful.grpc, { trust: forgetful.keys }),
  "json, shared": () => connectJson(`http://${server.web}`, { trust: server.keys, gatherMs: 5 }),
  json: () => connectJson(`http://${server.web}`, { trust: server.keys }),
};

/** A table that no other test has. */
export function tableNamed(name: string): string {
  return `ts-${name}-${crypto.randomUUID().slice(0, 8)}`;
}
