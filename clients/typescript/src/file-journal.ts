/** A journal in a folder of Node: one file a table, written beside, synced, and put in its place. */

import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Journal } from "./journal.js";
import { RecordError } from "./record.js";

interface Row {
  readonly round_number: number;
  readonly record: string;
}

const ENDING = ".round.json";

/** A folder of records, made where there is none and readable by its owner alone. */
export class FileJournal implements Journal {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async save(table: string, roundNumber: number, record: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const known = await this.#read(table);
    if (known !== undefined && known.round_number > roundNumber) {
      return;
    }
    const place = this.#place(table);
    const beside = `${place}.new`;
    const file = await open(beside, "w", 0o600);
    try {
      await file.writeFile(JSON.stringify({ round_number: roundNumber, record } satisfies Row));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, place);
    await this.#sync();
  }

  async load(table: string): Promise<string | undefined> {
    return (await this.#read(table))?.record;
  }

  async forget(table: string, roundNumber: number): Promise<void> {
    if ((await this.#read(table))?.round_number === roundNumber) {
      await rm(this.#place(table));
      await this.#sync();
    }
  }

  async tables(): Promise<readonly string[]> {
    const names = await readdir(this.#folder).catch(nothing);
    const own = (names ?? []).filter((name) => name.endsWith(ENDING));
    return own.map((name) => decodeURIComponent(name.slice(0, -ENDING.length))).sort();
  }

  async #read(table: string): Promise<Row | undefined> {
    const text = await readFile(this.#place(table), "utf8").catch(nothing);
    if (text === undefined) {
      return undefined;
    }
    try {
      const { round_number: number, record } = JSON.parse(text) as Row;
      if (typeof number !== "number" || typeof record !== "string") {
        throw new Error("it has no round_number or no record");
      }
      return { round_number: number, record };
    } catch (error) {
      throw new RecordError(this.#place(table), error);
    }
  }

  #place(table: string): string {
    return join(this.#folder, encodeURIComponent(table) + ENDING);
  }

  /** Make a change of the folder's names durable. */
  async #sync(): Promise<void> {
    const folder = await open(this.#folder, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }
}

/** Answer undefined for what is not there; any other error is thrown again. */
function nothing(error: unknown): undefined {
  if ((error as { code?: string }).code !== "ENOENT") {
    throw error;
  }
}
