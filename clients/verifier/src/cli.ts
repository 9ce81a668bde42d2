#!/usr/bin/env node
/**
 * `node dist/cli.js FILE`: a bundle of one round, or a log file (its first line an object with origin, log_key,
 * root_key and checkpoint, then one leaf a line). `--url ADDRESS` in place of FILE reads a running service, `--tiles
 * ADDRESS` (http, https or a folder) a log published as tiles, and `--proof FILE --leaf FILE` a log receipt. Exit code
 * 0 where all holds, 1 where something does not, 2 where there is nothing that can be verified.
 */

import { createReadStream } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";

import { SpellingError, utf8 } from "./bytes.js";
import { printable, printableLines } from "./finding.js";
import { LogServiceError, namedKeys, sourceOf, verifyLog } from "./log.js";
import { heldRuleset } from "./round-leaves.js";
import { parseHeldSeeds } from "./seeding.js";
import { GRACE_MS, type Keys, type LogOptions, type LogResult, type RoundResult } from "./terms.js";
import { logLines, proofLines, roundLines } from "./text.js";
import { type FetchFile, filesAt, TilesError, tileSource } from "./tiles.js";
import { AsOfError } from "./timeline.js";
import { verifyProof } from "./verify-proof.js";
import { BundleError, readJson, verifyRound } from "./verify-round.js";

const USAGE = `usage: referee-verifier FILE | --url ADDRESS | --tiles ADDRESS
  --log-key TEXT     the log's verifier key, as you know it from elsewhere
  --root-key TEXT    the root's verifier key, as you know it from elsewhere
  --origin TEXT      the log's origin, where the file's is not to be believed
  --ruleset FILE     a ruleset that you hold; may be given several times
  --kept FILE        a checkpoint of this log that you kept; may be given several times (logs)
  --receipt FILE     an event's receipt that you hold, or a receipted event; several (logs)
  --seeds FILE       seats' seeds that you hold, one JSON object a line: round_id, seat, seed (logs)
  --witness TEXT     a witness that you believe, as verifier key; may be given several times
  --quorum N         how many of them must have cosigned; else all
  --max-age MS       how long ago they may have vouched last
  --proof FILE       a log receipt (.tlog-proof) instead of a log
  --leaf FILE        the leaf that the receipt is for; else the .leaf beside it
  --now MS           the time of this verification, ms since 1970 UTC; else the clock
  --as-of MS         the time by which deadlines are judged; else now for a running log, a copy's newest time for a copy
  --json             the result as JSON
  --version          the version of this command`;

/** Grace of tiles under a URL, in ms: they may be published as seldom as once an hour. */
const PUBLISHED_GRACE_MS = GRACE_MS + 3_600_000;

const OPTIONS = {
  url: { type: "string" },
  tiles: { type: "string" },
  "log-key": { type: "string" },
  "root-key": { type: "string" },
  origin: { type: "string" },
  ruleset: { type: "string", multiple: true },
  kept: { type: "string", multiple: true },
  receipt: { type: "string", multiple: true },
  seeds: { type: "string", multiple: true },
  witness: { type: "string", multiple: true },
  quorum: { type: "string" },
  "max-age": { type: "string" },
  proof: { type: "string" },
  leaf: { type: "string" },
  now: { type: "string" },
  "as-of": { type: "string" },
  json: { type: "boolean", default: false },
  version: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

type Given = ReturnType<typeof parse>["values"];

function parse(args: string[]) {
  return parseArgs({ args, options: OPTIONS, allowPositionals: true });
}

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parse(args);
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  if (values.version) {
    const read = createRequire(import.meta.url);
    const { version } = read("referee-verifier/package.json") as { version: string };
    console.log(`referee-verifier ${version}`);
    return 0;
  }
  const [file] = positionals;
  const sources = [file, values.url, values.tiles, values.proof].filter((one) => one !== undefined);
  if (sources.length !== 1 || positionals.length > 1) {
    console.error(USAGE);
    return 2;
  }
  if (values.proof !== undefined) {
    return prove(values.proof, values);
  }
  const options = await optionsOf(values);
  if (values.url !== undefined) {
    const named = await namedKeys(values.url);
    const source = await sourceOf(values.url, { isWitnessed: values.witness !== undefined });
    const asked = { ...options, ...running(options), namedRootKey: named.rootKey };
    return print(await verifyLog(source, keysOf(named, values), asked), values, logLines);
  }
  if (values.tiles !== undefined) {
    const unnamed = { origin: "", logKey: "", rootKey: "" };
    const keys = keysOf(unnamed, values);
    if (keys.origin === "" || keys.logKey === "" || keys.rootKey === "") {
      console.error("A published log names no keys: give --origin, --log-key and --root-key.");
      return 2;
    }
    const isPublished = /^https?:/.test(values.tiles);
    const files = isPublished ? filesAt(values.tiles) : folder(values.tiles);
    const asked = isPublished ? { ...options, ...running(options), grace: PUBLISHED_GRACE_MS } : options;
    return print(await verifyLog(await tileSource(files), keys, asked), values, logLines);
  }
  const first = await firstLine(file ?? "");
  if (isLogHead(first)) {
    const cosigned: unknown[] = Array.isArray(first["cosigned"]) ? first["cosigned"] : [];
    const source = {
      checkpoint: utf8(String(first["checkpoint"])),
      cosigned: cosigned.map((note) => utf8(String(note))),
      leaves: leavesOf(file ?? ""),
    };
    const asked = { ...options, namedRootKey: named(first).rootKey };
    return print(await verifyLog(source, keysOf(named(first), values), asked), values, logLines);
  }
  const bundle = readJson(await readFile(file ?? ""));
  const keys = keysOf(named(bundle as Record<string, unknown>), values);
  return print(verifyRound(bundle, keys, options), values, roundLines);
}

/** A running log is judged by the verifier's clock; files and bundles are copies. */
function running({ now, asOf = now }: LogOptions): LogOptions {
  return asOf === undefined ? {} : { asOf };
}

function print<Result extends RoundResult | LogResult>(
  result: Result,
  values: Given,
  lines: (result: Result) => string[],
): number {
  if (values.json) {
    console.log(asciiJson(result));
  } else {
    console.log(lines(result).join("\n"));
    if (values["log-key"] === undefined || values["root-key"] === undefined) {
      console.error(
        "The keys were taken from where the log is kept. To prove more than that it agrees with itself, give --log-key and --root-key as published elsewhere.",
      );
    }
  }
  return result.passed ? 0 : 1;
}

/** A log receipt and its leaf: whether the leaf is where the receipt says, and who cosigned that. */
async function prove(file: string, values: Given): Promise<number> {
  const { origin, "log-key": logKey } = values;
  if (origin === undefined || logKey === undefined) {
    console.error("A log receipt names no keys: give --origin and --log-key.");
    return 2;
  }
  const leaf = values.leaf ?? file.replace(/(\.tlog-proof)?$/, ".leaf");
  const [proof, data] = [await readFile(file), await readFile(leaf)];
  const proved = verifyProof(new Uint8Array(proof), new Uint8Array(data), { origin, logKey }, await optionsOf(values));
  console.log(values.json ? asciiJson(proved) : proofLines(proved).join("\n"));
  return proved.passed ? 0 : 1;
}

/** A value as JSON in printable ASCII. */
function asciiJson(value: unknown): string {
  return printable(JSON.stringify(value));
}

/** A count or a time that an option spells. */
function numberOf(name: "quorum" | "max-age" | "as-of", values: Given): number | undefined {
  const text = values[name];
  if (text !== undefined && !/^[0-9]{1,15}$/.test(text)) {
    throw new BundleError(`'${text}' is no number for --${name}`);
  }
  return text === undefined ? undefined : Number(text);
}

function filesOf(paths: readonly string[] = []): Promise<Buffer[]> {
  return Promise.all(paths.map((path) => readFile(path)));
}

async function optionsOf(values: Given): Promise<LogOptions> {
  const now = values.now === undefined ? Date.now() : Number(values.now);
  if (!Number.isSafeInteger(now)) {
    throw new BundleError(`'${values.now}' is no time in ms since 1970 UTC`);
  }
  const rulesets = (await filesOf(values.ruleset)).map(heldRuleset);
  const witnessed = (await filesOf(values.kept)).map((file) => new Uint8Array(file));
  const seeds = (await filesOf(values.seeds)).flatMap((file) => parseHeldSeeds(file.toString()));
  const receipts = await filesOf(values.receipt);
  const eventReceipts = receipts.map((file) => utf8(file.toString().trimEnd()));
  const isHeld = seeds.length + eventReceipts.length > 0;
  const [quorum, maxAge] = [numberOf("quorum", values), numberOf("max-age", values)];
  const asOf = numberOf("as-of", values);
  return {
    now,
    witnessed,
    witnesses: values.witness ?? [],
    ...(asOf === undefined ? {} : { asOf }),
    ...(quorum === undefined ? {} : { quorum }),
    ...(maxAge === undefined ? {} : { maxAge }),
    ...(rulesets.length > 0 ? { rulesets } : {}),
    ...(isHeld ? { exhibits: { certificates: [], eventReceipts, seeds } } : {}),
  };
}

function named(file: Record<string, unknown>): Keys {
  const { origin, log_key: logKey, root_key: rootKey } = file ?? {};
  return { origin: String(origin), logKey: String(logKey), rootKey: String(rootKey) };
}

function keysOf(found: Keys, values: Given): Keys {
  return {
    origin: values.origin ?? found.origin,
    logKey: values["log-key"] ?? found.logKey,
    rootKey: values["root-key"] ?? found.rootKey,
  };
}

function isLogHead(first: unknown): first is Record<string, unknown> {
  const isRecord = typeof first === "object" && first !== null && !Array.isArray(first);
  return isRecord && "checkpoint" in first && !("leaves" in first);
}

function folder(path: string): FetchFile {
  return async (name) => {
    try {
      return new Uint8Array(await readFile(join(path, name)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") {
        return null;
      }
      throw error;
    }
  };
}

async function firstLine(path: string): Promise<unknown> {
  const file = await open(path);
  try {
    for await (const line of file.readLines()) {
      return JSON.parse(line) as unknown;
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      throw error;
    }
  } finally {
    await file.close();
  }
  return null;
}

async function* leavesOf(path: string): AsyncGenerator<Uint8Array> {
  let isHead = true;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    if (!isHead) {
      yield utf8(line);
    }
    isHead = false;
  }
}

/** Whether an error says that there is nothing to verify, rather than that this program is wrong. */
function isExpected(error: unknown): error is Error {
  const isOurs =
    error instanceof BundleError ||
    error instanceof SpellingError ||
    error instanceof AsOfError ||
    error instanceof LogServiceError ||
    error instanceof TilesError;
  return isOurs || (error instanceof Error && ("code" in error || "cause" in error));
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(isExpected(error) ? printableLines(error.message) : error);
  process.exitCode = 2;
}
