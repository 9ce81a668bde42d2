/**
 * A signed envelope, DSSE v1, that has exactly one text: canonical JSON with at most one signature and no key id.
 *
 *     PAE      = "DSSEv1" SP len(type) SP type SP len(payload) SP payload
 *     envelope = {"payload":base64,"payloadType":type,"signatures":[{"sig":base64}]}
 *
 * Unsigned, the list of signatures is empty. An envelope has at most 65,535 bytes, its payload at most 48,000. A reader
 * asks in this order: length, form, signature over the bytes received, type; only then is the payload parsed.
 */

import { base64, binary, type Bytes, concat, SpellingError, text, unbase64, utf8 } from "./bytes.js";
import { isSignature, SIGNATURE_SIZE } from "./ed25519.js";

export const MAX_ENVELOPE_SIZE = 65_535;
export const MAX_PAYLOAD_SIZE = 48_000;

const TYPE = /^[A-Za-z0-9!#$&^_.+/:-]{1,255}$/;
const ENVELOPE =
  /^\{"payload":"([A-Za-z0-9+/]*={0,2})","payloadType":"([^"\\]{1,255})","signatures":\[(?:\{"sig":"([A-Za-z0-9+/]{86}==)"\})?\]\}$/;
const ANY_SIGNATURE = /"sig":"([A-Za-z0-9+/]*={0,2})"/;

export type EnvelopeFault = "TOO_LONG" | "MALFORMED" | "FORGED" | "WRONG_TYPE";

/** An envelope that is refused. */
export class EnvelopeError extends Error {
  override name = "EnvelopeError";
  constructor(
    readonly fault: EnvelopeFault,
    message: string,
  ) {
    super(message);
  }
}

/** A payload, what it is, and its signature; the signature may be false. */
export interface Envelope {
  readonly payloadType: string;
  readonly payload: Bytes;
  readonly signature: Bytes | null;
}

/** The bytes that are signed: type and payload, each behind its length. */
export function pae(payloadType: string, payload: Bytes): Bytes {
  const name = utf8(payloadType);
  return concat(utf8(`DSSEv1 ${name.length} `), name, utf8(` ${payload.length} `), payload);
}

/** The one text of an envelope. */
export function formatEnvelope(envelope: Envelope): string {
  const signatures = envelope.signature === null ? "" : `{"sig":"${base64(envelope.signature)}"}`;
  return `{"payload":"${base64(envelope.payload)}","payloadType":"${envelope.payloadType}","signatures":[${signatures}]}`;
}

/** The envelope whose one text the bytes are; EnvelopeError (TOO_LONG, MALFORMED) otherwise. */
export function parseEnvelope(data: Bytes): Envelope {
  if (data.length > MAX_ENVELOPE_SIZE) {
    refuse("TOO_LONG", `it has ${data.length} bytes, at most ${MAX_ENVELOPE_SIZE}`);
  }
  try {
    const match = ENVELOPE.exec(text(data));
    if (match === null || !TYPE.test(match[2] ?? "")) {
      refuse("MALFORMED", "it is not the canonical JSON of an envelope with at most one signature");
    }
    const envelope = {
      payloadType: match[2] ?? "",
      payload: unbase64(match[1] ?? ""),
      signature: match[3] === undefined ? null : unbase64(match[3]),
    };
    if (envelope.payload.length > MAX_PAYLOAD_SIZE) {
      refuse("TOO_LONG", `its payload has ${envelope.payload.length} bytes`);
    }
    return envelope;
  } catch (error) {
    if (error instanceof SpellingError) {
      refuse("MALFORMED", error.message);
    }
    throw error;
  }
}

/** Whether the key has signed this payload as this type; false where it is unsigned. */
export function isSignedBy(envelope: Envelope, publicKey: Bytes): boolean {
  const { payload, payloadType, signature } = envelope;
  return signature !== null && isSignature(signature, pae(payloadType, payload), publicKey);
}

/** The payload that one of the keys has signed as this type; EnvelopeError for all others. */
export function openEnvelope(data: Bytes, terms: { type: string; keys: Bytes[] }): Bytes {
  const envelope = parseEnvelope(data);
  if (!terms.keys.some((key) => isSignedBy(envelope, key))) {
    refuse("FORGED", "it is not signed by a key that may sign it");
  }
  if (envelope.payloadType !== terms.type) {
    refuse("WRONG_TYPE", `it holds ${envelope.payloadType}, not ${terms.type}`);
  }
  return envelope.payload;
}

/** Whether bytes that are no envelope have a signature that is not the base64 of 64 bytes. */
export function hasOddSignature(data: Bytes): boolean {
  const letters = ANY_SIGNATURE.exec(binary(data))?.[1];
  if (letters === undefined) {
    return false;
  }
  const size = (letters.length / 4) * 3 - (/=*$/.exec(letters)?.[0].length ?? 0);
  return size !== SIGNATURE_SIZE;
}

function refuse(fault: EnvelopeFault, message: string): never {
  throw new EnvelopeError(fault, message);
}
