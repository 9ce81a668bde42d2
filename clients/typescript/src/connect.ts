/** From a browser, an engine, or anything else that can post a text: Connect and JSON to a gateway. */

import { Client, type ClientOptions } from "./client.js";
import { type JsonAddress, jsonLine } from "./json-line.js";

/** How a client reaches a gateway, and whom it believes. */
export type ConnectOptions = Omit<JsonAddress, "baseUrl"> & ClientOptions;

/** Return a client of the gateway at an address, such as `http://127.0.0.1:8080` of `serve --web`. */
export function connect(baseUrl: string, options: ConnectOptions = {}): Client {
  return new Client(jsonLine({ baseUrl, ...options }), options);
}
