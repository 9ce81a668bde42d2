/**
 * A whole log verified: its leaves go by once, in order, against its signed checkpoint, its keys
 * and its rounds. Nothing is believed but the two keys given, the log's and the root's.
 */

import type { Bytes } from "./bytes.js";
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
