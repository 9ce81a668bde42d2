/**
 * A leaf's bytes as what they say: envelope, type, payload, each in its one spelling. What cannot be read back to the
 * same bytes is not read at all. A leaf that is both forged and misspelled is called forged.
 */

import { attempt } from "./attempt.js";
import { type Bytes, hex, SpellingError } from "./bytes.js";
import { decode } from "./canonical.js";
import type { CheckCode } from "./check.js";
import { type Envelope, EnvelopeError, hasOddSignature, parseEnvelope } from "./dsse.js";
import type { Code } from "./finding.js";
import { FormError } from "./form.js";
import { checkHeader, type Header, HeaderError } from "./header.js";
import type { Fault, KeyRing } from "./keys.js";
import { FORMS, type Kind, KINDS, type Leaf, miscounted, misspelledHex, SIGNERS } from "./leaf.js";
import { leafHash } from "./merkle.js";
import { parseKey } from "./vkey.js";

/** A leaf's index, its envelope, and the keys in force there. */
interface Placing {
  readonly index: number;
  /** The RFC 6962 leaf hash as lowercase hex. */
  readonly hash: string;
  readonly envelope: Envelope;
  readonly ring: KeyRing;
}

/** A leaf of one of these kinds in its place. */
export type Placed<K extends Kind = Kind> = K extends Kind ? Placing & Extract<Leaf, { kind: K }> : never;

/** A leaf that cannot be read. */
export class LeafFaultError extends Error {
  override name = "LeafFaultError";
  readonly code: Code;
  constructor({ code, detail }: Fault) {
    super(detail);
    this.code = code;
  }
}

/** The check that a fault in reading a leaf breaks. */
export function checkOf(code: Code): CheckCode {
  if (code === "UNSOUND_KEY") {
    return "KEYS";
  }
  const isSigning = ["WRONG_ROLE", "KEY_NOT_VALID", "SIGNATURE_FORGED", "SIGNATURE_MALFORMED"];
  return isSigning.includes(code) ? "SIGNATURES" : "SPELLING";
}

/** The leaf that bytes hold at a place; LeafFaultError where they hold none. */
export function readLeaf(data: Bytes, place: { index: number; ring: KeyRing }): Placed {
  const envelope = readEnvelope(data);
  const kind = KINDS.get(envelope.payloadType);
  if (kind === undefined) {
    const detail = `it holds '${envelope.payloadType}', which is no type of leaf`;
    throw new LeafFaultError({ code: "TYPE_CONFUSION", detail });
  }
  try {
    const leaf = readPayload(envelope, kind);
    if (leaf.kind === "OPEN") {
      checkOpen(leaf.value);
    }
    return { ...place, hash: hex(leafHash(data)), envelope, ...leaf } as Placed;
  } catch (error) {
    const forged = signatureFault(envelope, kind, place.ring);
    throw error instanceof LeafFaultError && forged !== null ? new LeafFaultError(forged) : error;
  }
}

/** What is wrong with the signature of a leaf of this kind, or that it has one where nobody signs. */
export function signatureFault(envelope: Envelope, kind: Kind, ring: KeyRing): Fault | null {
  const role = SIGNERS[kind];
  if (role !== null) {
    return ring.faultOf(envelope, role);
  }
  return envelope.signature === null ? null : { code: "WRONG_ROLE", detail: "it is signed, and nobody signs a REVEAL" };
}

function readEnvelope(data: Bytes): Envelope {
  const envelope = attempt(() => parseEnvelope(data), EnvelopeError);
  if (!(envelope instanceof EnvelopeError)) {
    return envelope;
  }
  const { fault, message } = envelope;
  if (fault === "TOO_LONG") {
    throw new LeafFaultError({ code: "LEAF_TOO_LONG", detail: message });
  }
  if (hasOddSignature(data)) {
    throw new LeafFaultError({ code: "SIGNATURE_MALFORMED", detail: "its signature is not the base64 of 64 bytes" });
  }
  throw new LeafFaultError({ code: "NOT_CANONICAL", detail: message });
}

function readPayload(envelope: Envelope, kind: Kind): Leaf {
  const json = attempt(() => decode(envelope.payload), SpellingError);
  if (json instanceof SpellingError) {
    throw new LeafFaultError({ code: "NOT_CANONICAL", detail: json.message });
  }
  const value = attempt(() => FORMS[kind](json, ""), FormError);
  if (value instanceof FormError) {
    const detail = `${value.message}, as ${envelope.payloadType} must be`;
    throw new LeafFaultError({ code: "TYPE_CONFUSION", detail });
  }
  const leaf = { kind, value } as Leaf;
  const odd = misspelledHex(leaf);
  if (odd !== null) {
    const detail = `'${odd.slice(0, 160)}' is not the lowercase hex of as many bytes as it should be`;
    throw new LeafFaultError({ code: "NOT_CANONICAL", detail });
  }
  const count = miscounted(leaf);
  if (count !== null) {
    throw new LeafFaultError({ code: "NOT_CANONICAL", detail: count });
  }
  if (leaf.kind === "KEY") {
    checkKey(leaf.value.key);
  }
  return leaf;
}

function checkKey(text: string): void {
  const key = attempt(() => parseKey(text), SpellingError);
  if (key instanceof SpellingError) {
    throw new LeafFaultError({ code: "UNSOUND_KEY", detail: key.message });
  }
}

function checkOpen(leaf: { header: Header; client_commitments: string[] }): void {
  const fault = attempt(() => checkHeader(leaf.header), HeaderError);
  if (fault instanceof HeaderError) {
    const code = fault.field.startsWith("seat_keys[") ? "UNSOUND_KEY" : "HEADER_REFUSED";
    throw new LeafFaultError({ code, detail: `header.${fault.field}: ${fault.message}` });
  }
  const [seats, places] = [leaf.header.seat_keys.length, leaf.client_commitments.length];
  if (seats !== places) {
    const detail = `${seats} seats have ${places} places for commitments`;
    throw new LeafFaultError({ code: "HEADER_REFUSED", detail });
  }
}
