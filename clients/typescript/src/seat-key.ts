/**
 * A seat's key as text, so that it is the same one in every session: a JSON Web Key of Ed25519 (RFC
 * 8037), the members in order. The SDK for Python reads and writes the same file.
 */

import { ed25519 } from "@noble/curves/ed25519.js";
import { base64, unbase64 } from "referee-verifier/protocol";

/** The text of an Ed25519 seed of 32 bytes; keep it as you keep a password. */
export function writeSeatKey(privateKey: Uint8Array): string {
  const x = urlSafe(ed25519.getPublicKey(privateKey));
  return JSON.stringify({ crv: "Ed25519", d: urlSafe(privateKey), kty: "OKP", x });
}

/** The seed in such a text, for `SeatSecrets.make`; an error where it is none. */
export function readSeatKey(saved: string): Uint8Array {
  const { crv, d, kty, x } = JSON.parse(saved) as Partial<Record<string, unknown>>;
  if (crv !== "Ed25519" || kty !== "OKP" || typeof d !== "string" || !/^[\w-]{43}$/u.test(d)) {
    throw new Error("this is no JSON Web Key of Ed25519 with its private part");
  }
  const privateKey = unbase64(`${d.replace(/-/gu, "+").replace(/_/gu, "/")}=`);
  if (urlSafe(ed25519.getPublicKey(privateKey)) !== x) {
    throw new Error("the private part of this key is not that of its public part x");
  }
  return privateKey;
}

function urlSafe(data: Uint8Array): string {
  return base64(data).replace(/\+/gu, "-").replace(/\//gu, "_").replace(/=/gu, "");
}
