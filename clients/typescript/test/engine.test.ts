/**
 * The example for engines, run in a JavaScript context that has the language of 2019, BigInt and
 * XMLHttpRequest, and nothing else; REFEREE has where the gateway is.
 */

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { test } from "node:test";
import { createContext, runInContext } from "node:vm";
import { server, tableNamed, without } from "./server.js";

/** What ECMAScript has had since 2019, and a browser or engine of that age has not. */
const YOUNGER = `
  for (const name of ["at", "findLast", "findLastIndex", "toSorted", "toReversed", "toSpliced", "with"]) {
    delete Array.prototype[name];
    delete Object.getPrototypeOf(Int8Array.prototype)[name];
  }
  for (const name of ["at", "replaceAll", "matchAll", "isWellFormed", "toWellFormed"]) {
    delete String.prototype[name];
  }
  for (const name of ["allSettled", "any", "withResolvers"]) delete Promise[name];
  for (const name of ["hasOwn", "groupBy"]) delete Object[name];
  for (const name of ["AggregateError", "WeakRef", "FinalizationRegistry", "WebAssembly", "Atomics",
    "SharedArrayBuffer", "console", "escape", "unescape", "globalThis"]) delete this[name];
`;

/** As much of XMLHttpRequest as engines have. */
class BareRequest {
  status = 0;
  responseText = "";
  timeout = 0;
  onload: (() => void) | undefined;
  onerror: (() => void) | undefined;
  ontimeout: (() => void) | undefined;
  readonly #headers: Record<string, string> = {};
  #method = "";
  #url = "";

  open(method: string, url: string): void {
    [this.#method, this.#url] = [method, url];
  }

  setRequestHeader(name: string, value: string): void {
    this.#headers[name] = value;
  }

  send(body: string): void {
    const options = { method: this.#method, headers: this.#headers, timeout: this.timeout };
    const asked = request(this.#url, options, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("end", () => {
        this.status = answer.statusCode ?? 0;
        this.responseText = Buffer.concat(parts).toString("utf8");
        this.onload?.();
      });
    });
    asked.on("timeout", () => this.ontimeout?.());
    asked.on("error", () => this.onerror?.());
    asked.end(body);
  }
}

test("a round is played with nothing but XMLHttpRequest", { skip: without }, async () => {
  const context = createContext({ XMLHttpRequest: BareRequest });
  runInContext(YOUNGER, context);
  const given = ["setTimeout", "fetch", "crypto", "TextDecoder", "TextEncoder", "atob", "URL"];
  assert.deepEqual(
    runInContext(`[${given.map((name) => `typeof ${name}`).join()}]`, context).join(),
    given.map(() => "undefined").join(),
  );
  for (const file of ["dist/referee.engine.js", "example/tien-len.engine.js"]) {
    runInContext(readFileSync(file, "utf8"), context, { filename: file });
  }
  const reported: string[] = [];
  const play = runInContext("playRound", context) as (
    address: string,
    table: string,
    entropy: (size: number) => Uint8Array,
    report: (line: string) => void,
  ) => Promise<void>;
  const entropy = (size: number) => new Uint8Array(randomBytes(size));
  await play(`http://${server.web}`, tableNamed("engine"), entropy, (line) => reported.push(line));
  const nets = reported.slice(1, 5).map((line) => Number(/nets (-?\d+)$/.exec(line)?.[1]));
  assert.equal(
    nets.reduce((sum, net) => sum + net, 0),
    0,
  );
  assert.match(reported[0] ?? "", /^seat 0 holds( [2-9TJQKA][SCDH]){13}$/);
  assert.match(reported[5] ?? "", /^every card was dealt/);
});
