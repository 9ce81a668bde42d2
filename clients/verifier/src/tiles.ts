/**
 * A log published as static tiles: signed checkpoint, entries and hashes as files under one
 * address, each fetched once. Leaves come from the entry bundles; every hash tile is compared with
 * the hashes of those leaves, so that a reader of the hashes alone reads the same log.
 *
 * Source: https://c2sp.org/tlog-tiles
 */

import { attempt } from "./attempt.js";
import { type Bytes, equal } from "./bytes.js";
import type { LogSource } from "./log.js";
import { Frontier, leafHash } from "./merkle.js";
import type { SourceFault } from "./terms.js";

/** Hashes in a full tile, and entries in a full bundle. */
export const TILE_WIDTH = 256;
const HASH_SIZE = 32;
const MAX_LEVEL = 7; // 256^7 > 2^53

/** Files that are no published log, or are missing. */
export class TilesError extends Error {
  override name = "TilesError";
}

/** The bytes of the file at a path below the log's address; null where there is none. */
export type FetchFile = (path: string) => Promise<Bytes | null>;

/** The number of a tile as path elements of three digits, all but the last with an x before it. */
export function tileNumber(index: number): string {
  const digits = String(index).padStart(Math.ceil(String(index).length / 3) * 3, "0");
  const parts = digits.match(/\d{3}/g) ?? [];
  return parts.map((part, at) => (at < parts.length - 1 ? `x${part}` : part)).join("/");
}

/** The path of a tile of so many hashes; a full one has no width in its name. */
export function tilePath(level: number | "entries", index: number, width: number): string {
  const partial = width === TILE_WIDTH ? "" : `.p/${width}`;
  return `tile/${level}/${tileNumber(index)}${partial}`;
}

/** The entries in a bundle, each behind its length in two bytes; TilesError for anything else. */
export function parseEntries(bundle: Bytes, width: number): Bytes[] {
  const entries: Bytes[] = [];
  let at = 0;
  while (entries.length < width) {
    const [high, low] = [bundle[at], bundle[at + 1]];
    if (high === undefined || low === undefined) {
      throw new TilesError(`it ends after ${entries.length} of ${width} entries`);
    }
    const end = at + 2 + high * 256 + low;
    if (end > bundle.length) {
      throw new TilesError(`entry ${entries.length} is cut short`);
    }
    entries.push(bundle.subarray(at + 2, end));
    at = end;
  }
  if (at !== bundle.length) {
    throw new TilesError(`${bundle.length - at} bytes follow its ${width} entries`);
  }
  return entries;
}

/** A published log; `faults` says at the end where its tiles differ from its entries. */
export async function tileSource(fetchFile: FetchFile): Promise<LogSource> {
  const checkpoint = await fetchFile("checkpoint");
  if (checkpoint === null) {
    throw new TilesError("there is no file 'checkpoint'");
  }
  const size = sizeOf(checkpoint);
  const faults: SourceFault[] = [];
  return { checkpoint, faults, leaves: leavesOf(fetchFile, size, faults) };
}

/** Files below an address, by plain `fetch`. */
export function filesAt(address: string): FetchFile {
  return async (path) => {
    const response = await fetch(`${address.replace(/\/$/, "")}/${path}`);
    if (response.status === 404) {
      return null;
    }
    if (!response.ok) {
      throw new TilesError(`${path}: ${response.status} ${response.statusText}`);
    }
    return new Uint8Array(await response.arrayBuffer());
  };
}

/** The size that an unverified checkpoint names, which says only how many files to ask for; 0 for none. */
function sizeOf(checkpoint: Bytes): number {
  const line = new TextDecoder().decode(checkpoint).split("\n")[1] ?? "";
  const size = /^(0|[1-9][0-9]{0,15})$/.test(line) ? Number(line) : 0;
  return Number.isSafeInteger(size) ? size : 0;
}

async function* leavesOf(fetchFile: FetchFile, size: number, faults: SourceFault[]): AsyncGenerator<Bytes> {
  const levels = new TileLevels(fetchFile, faults);
  for (let index = 0; index * TILE_WIDTH < size; index += 1) {
    const width = Math.min(TILE_WIDTH, size - index * TILE_WIDTH);
    const bundle = await bundleAt(fetchFile, { index, width });
    if (typeof bundle === "string") {
      faults.push({ detail: bundle, leaf_index: index * TILE_WIDTH });
      return;
    }
    for (const entry of bundle) {
      await levels.append(0, leafHash(entry));
      yield entry;
    }
  }
  await levels.close();
}

/** The entries of a bundle; what is wrong with it where it is not there or is none. */
async function bundleAt(
  fetchFile: FetchFile,
  { index, width }: { index: number; width: number },
): Promise<Bytes[] | string> {
  const path = tilePath("entries", index, width);
  const found = await fetchTile(fetchFile, "entries", index, width);
  if (found === null) {
    return `${path} is not there`;
  }
  const entries = attempt(() => parseEntries(found, width), TilesError);
  return entries instanceof TilesError ? `${path}: ${entries.message}` : entries;
}

/** The bundle or tile of this width, read from the full one where only that is there. */
async function fetchTile(
  fetchFile: FetchFile,
  level: number | "entries",
  index: number,
  width: number,
): Promise<Bytes | null> {
  const found = await fetchFile(tilePath(level, index, width));
  if (found !== null) {
    return found;
  }
  const full = width < TILE_WIDTH ? await fetchFile(tilePath(level, index, TILE_WIDTH)) : null;
  if (full === null) {
    return null;
  }
  return level === "entries" ? firstEntries(full, width) : full.subarray(0, width * HASH_SIZE);
}

function firstEntries(bundle: Bytes, width: number): Bytes {
  let end = 0;
  for (let count = 0; count < width; count += 1) {
    end += 2 + (bundle[end] ?? 0) * 256 + (bundle[end + 1] ?? 0);
  }
  return bundle.subarray(0, end);
}

/** The hashes that each level's tiles must hold, compared tile by tile as they fill. */
class TileLevels {
  readonly #pending: Bytes[][] = [];
  readonly #done: number[] = [];

  constructor(
    private readonly fetchFile: FetchFile,
    private readonly faults: SourceFault[],
  ) {}

  async append(level: number, hash: Bytes): Promise<void> {
    const hashes = (this.#pending[level] ??= []);
    hashes.push(hash);
    if (hashes.length === TILE_WIDTH) {
      this.#pending[level] = [];
      await this.#compare(level, hashes);
      if (level < MAX_LEVEL) {
        await this.append(level + 1, subtreeRoot(hashes));
      }
    }
  }

  /** The tiles that are not full. */
  async close(): Promise<void> {
    for (const [level, hashes] of this.#pending.entries()) {
      if (hashes.length > 0) {
        await this.#compare(level, hashes);
      }
    }
  }

  async #compare(level: number, hashes: Bytes[]): Promise<void> {
    const index = this.#done[level] ?? 0;
    this.#done[level] = index + 1;
    const path = tilePath(level, index, hashes.length);
    const tile = await fetchTile(this.fetchFile, level, index, hashes.length);
    const blame = (detail: string, place: number): void => {
      const leaf = (index * TILE_WIDTH + place) * TILE_WIDTH ** level;
      this.faults.push({ detail: `${path}${detail}`, leaf_index: leaf });
    };
    if (tile === null) {
      blame(" is not there", 0);
      return;
    }
    if (tile.length !== hashes.length * HASH_SIZE) {
      blame(` has ${tile.length} bytes, not ${hashes.length * HASH_SIZE}`, 0);
      return;
    }
    const stored = (place: number): Bytes => tile.subarray(place * HASH_SIZE, (place + 1) * HASH_SIZE);
    const wrong = hashes.findIndex((hash, place) => !equal(hash, stored(place)));
    if (wrong >= 0) {
      blame(`: hash ${wrong} is not that of the entries below it`, wrong);
    }
  }
}

function subtreeRoot(hashes: Bytes[]): Bytes {
  const edge = new Frontier();
  for (const hash of hashes) {
    edge.append(hash);
  }
  return edge.root;
}
