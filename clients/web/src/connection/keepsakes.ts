/**
 * What a seat keeps for a round until it has ended, and its seed beyond that: after a reload the page goes on, and a later
 * proof shows the seat's own seed. Hex texts, in this browser alone.
 */

import { type ClockDifference, hex, type KeptChain } from "referee-client/signer";

import type { Card } from "../cards/card";
import { randomBytes } from "./identity";

export interface Keepsake {
  readonly seed: string;
  /** The seat that has shown the seed; left out until then. */
  readonly seat?: number;
  /** The seat's cards as this page first showed them. */
  readonly hand?: readonly Card[];
  /** Opens the seat's hand on a sealed table. */
  readonly token: string;
  /** Sealed arrangements by the commitment that binds the seat to them; cards in the order back, middle, front. */
  readonly bound: Readonly<Record<string, { readonly cards: readonly Card[]; readonly nonce: string }>>;
  /** What the seat was shown and has signed, where it has a key. */
  readonly chain?: KeptChain;
  /** Times of the round that differ from this device's clock. */
  readonly differences?: readonly ClockDifference[];
  /** Files that prove the seat's moves: each a receipted event, which the referee signed as received. */
  readonly moves?: readonly string[];
}

const PREFIX = "referee.round.";
const INDEX = "referee.rounds";
const KEPT = 60;

const held = new Map<string, Keepsake>();

export const randomHex = (): string => hex(randomBytes(32));

export function keep(roundId: string, keepsake: Keepsake): void {
  held.set(roundId, keepsake);
  try {
    const before = (JSON.parse(localStorage.getItem(INDEX) ?? "[]") as string[]).filter((one) => one !== roundId);
    const rounds = [roundId, ...before];
    for (const old of rounds.slice(KEPT)) {
      localStorage.removeItem(PREFIX + old);
    }
    localStorage.setItem(INDEX, JSON.stringify(rounds.slice(0, KEPT)));
    localStorage.setItem(PREFIX + roundId, JSON.stringify(keepsake));
  } catch {
    // A browser that keeps nothing has it until the page is gone.
  }
}

/** What was kept for a round; null for nothing. */
export function recall(roundId: string): Keepsake | null {
  try {
    const text = localStorage.getItem(PREFIX + roundId);
    return text === null ? (held.get(roundId) ?? null) : (JSON.parse(text) as Keepsake);
  } catch {
    return held.get(roundId) ?? null;
  }
}

/** Keeps the file that proves a move of the seat, before the page shows that the move counts. */
export function keepMove(roundId: string, file: string): void {
  const kept = recall(roundId);
  if (kept !== null && !kept.moves?.includes(file)) {
    keep(roundId, { ...kept, moves: [...(kept.moves ?? []), file] });
  }
}

/** What was kept for a round, or else drawn anew and kept. */
export function recallOrDraw(roundId: string): Keepsake {
  const kept = recall(roundId);
  if (kept !== null) {
    return kept;
  }
  const drawn = { seed: randomHex(), token: randomHex(), bound: {} };
  keep(roundId, drawn);
  return drawn;
}
