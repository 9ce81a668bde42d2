/** Files of Node for what outlives a round: receipted events, and a seat's key. */

import { mkdir, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnvelope, type ReceiptedEvent, utf8, writeReceiptedEvent } from "referee-verifier/protocol";
import { readSeatKey, writeSeatKey } from "./seat-key.js";

/** What has receipted events: a round of any game. */
export interface Receipted {
  readonly table: string;
  readonly number: number;
  readonly receiptedEvents: readonly ReceiptedEvent[];
}

/**
 * Write each receipted event of a round to a file of its own, and return their paths. `referee audit
 * --receipt FILE` takes each. A file that is there stays as it is.
 */
export async function writeReceipts(folder: string, round: Receipted): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const paths: string[] = [];
  for (const one of round.receiptedEvents) {
    const payload = new TextDecoder().decode(parseEnvelope(utf8(one.receipt)).payload);
    const { number, event_hash: hash } = JSON.parse(payload) as Record<string, string | number>;
    const { seat } = JSON.parse(one.events[one.events.length - 1] ?? "{}") as { seat: number };
    const name = `event-${number}.seat-${seat}.${String(hash).slice(0, 16)}.receipt.json`;
    const path = join(folder, `${round.table}.round-${round.number}.${name}`);
    await writeNew(path, writeReceiptedEvent(one)).catch((error: unknown) => {
      if ((error as { code?: string }).code !== "EEXIST") {
        throw error;
      }
    });
    paths.push(path);
  }
  return paths;
}

/** Write a seat's key to a new file, readable by its owner alone; an error where there is one already. */
export async function saveSeatKey(path: string, privateKey: Uint8Array): Promise<void> {
  await writeNew(path, writeSeatKey(privateKey));
}

/** Read the key that `saveSeatKey` wrote, for `SeatSecrets.make`. */
export async function loadSeatKey(path: string): Promise<Uint8Array> {
  return readSeatKey(await readFile(path, "utf8"));
}

/** Write a file that is not there, durably. */
async function writeNew(path: string, content: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}
