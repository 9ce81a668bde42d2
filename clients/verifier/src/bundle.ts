/**
 * A bundle: all that is needed to verify one round without the log, as one JSON file.
 *
 *     {"format": 1, "origin", "log_key", "root_key", "round_id",
 *      "checkpoint": signed note,
 *      "leaves": [{"index", "leaf": envelope, "proof": [hex, ..]}, ..],
 *      "certificates": [envelope, ..], "event_receipts": [envelope, ..],
 *      "consistency": [{"checkpoint": signed note, "proof": [hex, ..]}, ..]}
 *
 * `leaves` are every KEY leaf, the round's own, and the leaf that ended the table's round before,
 * ascending by index, each with the proof that it is in the checkpoint's tree. Where the winner
 * of the last settled round leads and rounds were aborted since, each of these has its OPEN and
 * ABORT, back to that round's SETTLE. The last three members may be left out.
 */

import { attempt } from "./attempt.js";
import { type Bytes, SpellingError, text as textOf, unhex, utf8 } from "./bytes.js";
import type { Json } from "./canonical.js";
import { type Form, FormError, hash, list, type Of, oneOf, record, text } from "./form.js";

/** A file that is no bundle. */
export class BundleError extends Error {
  override name = "BundleError";
}

const index: Form<number> = (value, path) => {
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    throw new FormError(path, "an integer from 0 to 2^53-1");
  }
  return value as number;
};

const node: Form<Bytes> = (value, path) => unhex(hash(value, path));

const bytes: Form<Bytes> = (value, path) => utf8(text(value, path));

const bundleForm = record(
  {
    format: oneOf(1),
    origin: text,
    log_key: text,
    root_key: text,
    round_id: hash,
    checkpoint: bytes,
    leaves: list(record({ index, leaf: bytes, proof: list(node) })),
  },
  {
    certificates: list(bytes),
    event_receipts: list(bytes),
    consistency: list(record({ checkpoint: bytes, proof: list(node) })),
  },
);

export type Bundle = Of<typeof bundleForm>;

/** The bundle that a JSON value is; BundleError where it is none. */
export function parseBundle(value: unknown): Bundle {
  const bundle = attempt(() => bundleForm(value as Json, ""), FormError);
  if (bundle instanceof FormError) {
    throw new BundleError(`the bundle is malformed: ${bundle.message}`);
  }
  const indexes = bundle.leaves.map((leaf) => leaf.index);
  if (indexes.some((at, place) => place > 0 && at <= (indexes[place - 1] ?? -1))) {
    throw new BundleError("the bundle is malformed: its leaves do not ascend by index");
  }
  return bundle;
}

/** The JSON value in a file's bytes; BundleError where they are no JSON. */
export function readJson(data: Bytes): unknown {
  const read: unknown = attempt(() => JSON.parse(textOf(data)) as unknown, SyntaxError, SpellingError);
  if (read instanceof Error) {
    throw new BundleError(`the file is no JSON: ${read.message}`);
  }
  return read;
}
