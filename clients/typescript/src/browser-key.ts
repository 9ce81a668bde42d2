/**
 * This browser's own key for its seats: made here, kept in IndexedDB, never sent. Where the browser can, it is a key that even
 * this page cannot read and only sign with; elsewhere its bytes are kept.
 */

import { type Bytes, hex } from "referee-verifier/protocol";
import { done } from "./journal.js";

/** A seat's key, which signs and which no program needs to read. */
export interface SeatKey {
  /** In hex, as seats are named by it. */
  readonly publicKey: string;
  /** Sign a message; 64 bytes. */
  readonly sign: (message: Bytes) => Promise<Bytes>;
}

interface Kept {
  readonly publicKey: string;
  /** A CryptoKey that cannot be exported, or 32 bytes. */
  readonly secret: CryptoKey | Bytes;
}

const [DATABASE, STORE, NAME] = ["referee", "keys", "seat"] as const;

async function store(): Promise<IDBDatabase> {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  return done(opening);
}

async function made(): Promise<Kept> {
  if (globalThis.crypto.subtle !== undefined) {
    try {
      const pair = (await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"])) as CryptoKeyPair;
      const raw = await crypto.subtle.exportKey("raw", pair.publicKey);
      return { publicKey: hex(new Uint8Array(raw)), secret: pair.privateKey };
    } catch {
      // A browser without Ed25519 keeps the bytes.
    }
  }
  const { ed25519 } = await import("@noble/curves/ed25519.js");
  const secret = crypto.getRandomValues(new Uint8Array(32));
  return { publicKey: hex(ed25519.getPublicKey(secret)), secret };
}

async function signed(secret: Kept["secret"], message: Bytes): Promise<Bytes> {
  if (secret instanceof Uint8Array) {
    const { ed25519 } = await import("@noble/curves/ed25519.js");
    return ed25519.sign(message, secret);
  }
  return new Uint8Array(await crypto.subtle.sign("Ed25519", secret, message as BufferSource));
}

/** The browser's key, made where there is none yet; null where the browser keeps nothing. */
export async function browserSeatKey(): Promise<SeatKey | null> {
  try {
    const database = await store();
    const read = (): Promise<Kept | undefined> =>
      done(database.transaction(STORE).objectStore(STORE).get(NAME) as IDBRequest<Kept | undefined>);
    let kept = await read();
    if (kept === undefined) {
      const fresh = await made();
      const writing = database.transaction(STORE, "readwrite").objectStore(STORE);
      await done(writing.add(fresh, NAME)).catch(() => null); // another tab may have been first
      kept = (await read()) ?? fresh;
    }
    const { publicKey, secret } = kept;
    return { publicKey, sign: (message) => signed(secret, message) };
  } catch {
    return null;
  }
}
