/**
 * What a seat keeps to itself in one round: its seed, the token of its hand, a nonce, and its key
 * where it has one. Secrets are 32 random bytes each, made anew for every round and shown only when
 * the protocol asks; commitments and hashes, which are shown before, reveal nothing.
 */

import { ed25519 } from "@noble/curves/ed25519.js";
import {
  arrangementCommitment,
  clientCommitment,
  hex,
  seatTokenHash,
  seedStatement,
  unhex,
} from "referee-verifier/protocol";
import type { Card } from "./gen/referee/v1/card_pb.js";

/** Gives random bytes, so many of them. */
export type Entropy = (size: number) => Uint8Array;

const SIZE = 32;

/** The host's own random bytes; an error where it has none. */
export const hostEntropy: Entropy = (size) => {
  if (typeof crypto !== "object" || typeof crypto.getRandomValues !== "function") {
    throw new Error("this host has no crypto.getRandomValues: give `entropy` to connect");
  }
  return crypto.getRandomValues(new Uint8Array(size));
};

/** What secrets are made from. */
export interface SecretsOptions {
  /** Whether the seat gets a key, which signs its seed and its events. */
  readonly keyed?: boolean;
  /** An Ed25519 seed of 32 bytes, for a player whose key lasts longer than the round. */
  readonly privateKey?: Uint8Array | undefined;
  /** Where random bytes come from; `crypto` of the host where it is not given. */
  readonly entropy?: Entropy;
}

/** A seat's own secrets of one round. Nothing of them shows where the object is printed. */
export class SeatSecrets {
  /** The seat, from 0. */
  readonly seat: number;
  readonly #seed: Uint8Array;
  readonly #token: Uint8Array;
  readonly #nonce: Uint8Array;
  readonly #privateKey: Uint8Array | undefined;

  private constructor(seat: number, parts: readonly (Uint8Array | undefined)[], privateKey?: Uint8Array) {
    const [seed, token, nonce] = parts;
    if (seed?.length !== SIZE || token?.length !== SIZE || nonce?.length !== SIZE) {
      throw new RangeError("seed, token and nonce have 32 bytes each");
    }
    this.seat = seat;
    [this.#seed, this.#token, this.#nonce] = [seed, token, nonce];
    this.#privateKey = privateKey;
  }

  /** Make new secrets. */
  static make(seat: number, options: SecretsOptions = {}): SeatSecrets {
    const { keyed = false, entropy: source = hostEntropy } = options;
    const entropy: Entropy = (size) => Uint8Array.from(source(size)); // of this realm, and our own
    const parts = [entropy(SIZE), entropy(SIZE), entropy(SIZE)];
    return new SeatSecrets(seat, parts, options.privateKey ?? (keyed ? entropy(SIZE) : undefined));
  }

  /** Secrets of these parts: seed, token and nonce, and a key where there is one. */
  static of(seat: number, parts: readonly (Uint8Array | undefined)[], privateKey?: Uint8Array): SeatSecrets {
    return new SeatSecrets(seat, parts, privateKey);
  }

  /** The secrets that `save` wrote. */
  static restore(saved: string): SeatSecrets {
    const { seat, seed, token, nonce, key } = JSON.parse(saved) as Saved;
    return new SeatSecrets(seat, [seed, token, nonce].map(read), key ? read(key) : undefined);
  }

  /** All secrets as JSON; keep it as you keep a password. */
  save(): string {
    const [seed, token, nonce] = [this.#seed, this.#token, this.#nonce].map(hex);
    const key = this.#privateKey && hex(this.#privateKey);
    return JSON.stringify({ seat: this.seat, seed, token, nonce, ...(key ? { key } : {}) });
  }

  /** The seat's Ed25519 seed, where it has a key. */
  get privateKey(): Uint8Array | undefined {
    return this.#privateKey?.slice();
  }

  /** The seat's seed; show it only once OPEN is in the log. */
  get seed(): Uint8Array {
    return this.#seed.slice();
  }

  /** The token that opens the seat's hand on a sealed table; show it to the shuffler alone. */
  get token(): Uint8Array {
    return this.#token.slice();
  }

  /** The nonce under which the seat commits to its arrangement. */
  get nonce(): Uint8Array {
    return this.#nonce.slice();
  }

  /** Key of the seat in the round's header; 32 zero bytes for none. */
  get publicKey(): Uint8Array {
    return this.#privateKey ? ed25519.getPublicKey(this.#privateKey) : new Uint8Array(SIZE);
  }

  /** The seat's commitment to its seed, to be given before OPEN. */
  seedCommitment(roundId: Uint8Array): Uint8Array {
    return clientCommitment(roundId, this.seat, this.#seed);
  }

  /** The hash of the seat's token, as OPEN of a sealed table has it. */
  tokenHash(roundId: Uint8Array): Uint8Array {
    return seatTokenHash(roundId, this.seat, this.#token);
  }

  /** Sign the seed under the server's commitment; empty without a key. */
  signSeed(roundId: Uint8Array, serverCommitment: Uint8Array, isSealed: boolean): Uint8Array {
    const tokenHash = isSealed ? this.tokenHash(roundId) : new Uint8Array();
    const place = { seat: this.seat, tokenHash, seed: this.#seed };
    return this.sign(seedStatement(roundId, serverCommitment, place));
  }

  /** Commit to thirteen cards in the order back, middle, front. */
  arrangementCommitment(roundId: Uint8Array, cards: readonly Card[]): Uint8Array {
    return arrangementCommitment(roundId, this.seat, { cards: [...cards], nonce: this.#nonce });
  }

  /** Sign a message; empty without a key. */
  sign(message: Uint8Array): Uint8Array {
    return this.#privateKey ? ed25519.sign(message, this.#privateKey) : new Uint8Array();
  }
}

interface Saved {
  readonly seat: number;
  readonly seed: string;
  readonly token: string;
  readonly nonce: string;
  readonly key?: string;
}

function read(text: string): Uint8Array {
  return unhex(text, SIZE);
}
