/**
 * A whole log verified: its leaves go by once, in order, against its signed checkpoint, its keys
 * and its rounds. Nothing is believed but the two keys given, the log's and the root's.
 *
 * A log read from a running service by plain `fetch`: LogService over the Connect protocol with
 * JSON bodies, in which bytes stand in base64 and 64-bit integers as text.
 */

import { type Bytes, unbase64, utf8 } from "./bytes.js";
import { claimedCheckpoint } from "./checkpoint.js";
import { LogAudit } from "./log-audit.js";
import type { Keys, LogOptions, LogResult, SourceFault } from "./terms.js";
import { parseKey } from "./vkey.js";

/** A log as it is handed to a verifier: the newest signed note, and all leaves in order. */
export interface LogSource {
  readonly checkpoint: Bytes;
  /** Checkpoints that witnesses cosigned, smallest first. */
  readonly cosigned?: readonly Bytes[];
  readonly leaves: Iterable<Bytes> | AsyncIterable<Bytes>;
  /** What is wrong with files beside the leaves, filled in while those go by. */
  readonly faults?: readonly SourceFault[];
}

/** Pages of leaves, such as LogService.ListEntries gives, as one sequence; an empty page ends it. */
export async function* pagesOf(fetchPage: (start: number) => Promise<readonly Bytes[]>): AsyncGenerator<Bytes> {
  for (let start = 0; ;) {
    const page = await fetchPage(start);
    if (page.length === 0) {
      return;
    }
    yield* page;
    start += page.length;
  }
}

/** Audit a log; SpellingError where a given key cannot be read. */
export async function verifyLog(source: LogSource, keys: Keys, options: LogOptions = {}): Promise<LogResult> {
  const [root, log] = [parseKey(keys.rootKey), parseKey(keys.logKey)];
  const audit = new LogAudit({ origin: keys.origin, root, log }, options);
  const checkpoint = audit.begin(source.checkpoint, source.cosigned ?? []);
  if (checkpoint !== null) {
    for await (const leaf of source.leaves) {
      if (audit.size === checkpoint.size) {
        break;
      }
      audit.take(leaf);
    }
    audit.blameTiles(source.faults ?? []);
    audit.close();
  }
  return audit.result();
}

const SERVICE = "referee.v1.LogService";

/** The service does not answer as a log does. */
export class LogServiceError extends Error {
  override name = "LogServiceError";
}

/** What the service says of itself; trusting these keys proves only that it agrees with itself. */
export interface NamedKeys {
  readonly origin: string;
  readonly logKey: string;
  readonly rootKey: string;
}

/**
 * The log behind a base address; its checkpoint is the current one. Cosigned checkpoints are
 * asked for where witnesses are believed.
 */
export async function sourceOf(
  base: string,
  { isWitnessed = false }: { isWitnessed?: boolean } = {},
): Promise<LogSource> {
  const { checkpoint } = await call(base, "GetCheckpoint", {});
  if (typeof checkpoint !== "string") {
    throw new LogServiceError("GetCheckpoint gave no checkpoint");
  }
  const cosigned = isWitnessed ? await cosignedFrom(base) : [];
  const leaves = pagesOf(async (start) => leavesFrom(base, start));
  return { checkpoint: utf8(checkpoint), cosigned, leaves };
}

/** The origin and the keys that the service names. */
export async function namedKeys(base: string): Promise<NamedKeys> {
  const { origin, logKey, rootKey } = await call(base, "GetKeys", {});
  if (typeof origin !== "string" || typeof logKey !== "string" || typeof rootKey !== "string") {
    throw new LogServiceError("GetKeys gave no keys");
  }
  return { origin, logKey, rootKey };
}

/** The cosigned checkpoints that the service lists, smallest first; as far as they go. */
async function cosignedFrom(base: string): Promise<Bytes[]> {
  const notes: Bytes[] = [];
  for (let start = 0; ;) {
    const { checkpoints = [] } = await call(base, "ListCosignedCheckpoints", { startSize: String(start) });
    if (!Array.isArray(checkpoints)) {
      throw new LogServiceError("ListCosignedCheckpoints gave no checkpoints");
    }
    const page = checkpoints.map((note) => utf8(String(note)));
    const sizes = page.map((note) => claimedCheckpoint(note)?.size ?? -1);
    notes.push(...page);
    const next = Math.max(...sizes) + 1;
    if (page.length === 0 || next <= start) {
      return notes;
    }
    start = next;
  }
}

async function leavesFrom(base: string, start: number): Promise<Bytes[]> {
  const { leaves = [] } = await call(base, "ListEntries", { start: String(start) });
  if (!Array.isArray(leaves)) {
    throw new LogServiceError("ListEntries gave no leaves");
  }
  return leaves.map((leaf) => unbase64(String(leaf)));
}

async function call(base: string, method: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${base.replace(/\/$/, "")}/${SERVICE}/${method}`, {
    method: "POST",
    headers: { "content-type": "application/json", "connect-protocol-version": "1" },
    body: JSON.stringify(body),
  });
  if (!response.ok) {
    throw new LogServiceError(`${method}: ${response.status} ${await response.text()}`);
  }
  return (await response.json()) as Record<string, unknown>;
}
