/**
 * Levels: how much a round's dealing and events are proved, beyond that nothing in it is broken.
 *
 *     L0  no commitment, or the suite for tests        E0  the frontend reported an event
 *     L1  the server's commitment alone                E1  the referee received every event
 *     L2  every seat committed to a seed of its own    E2  and every seat signed its own
 *
 *     L3  L2, and a quorum of witnesses cosigned OPEN before the seats' seeds were shown
 *
 * A seat that has a key signs its seed, or the round is L1. One player alone against the house needs no commitment.
 */

import { hex } from "./bytes.js";
import { type Header, SUITE_COMMITMENT } from "./header.js";
import type { OpenLeaf } from "./leaf.js";
import { NO_LEAF } from "./slot.js";

export type DealingLevel = "L0" | "L1" | "L2" | "L3";
export type EventLevel = "E0" | "E1" | "E2" | "NONE";

/** A random seed has fewer different bytes than this with a chance below 2^-110. */
const FEWEST_VALUES = 9;

/** Whether a seed was hardly drawn at random: zeros, a counter, a default of few different bytes. */
export function isTrivial(seed: Uint8Array): boolean {
  return new Set(seed).size < FEWEST_VALUES;
}

/** The level of a dealt round by its own leaves, seed signatures aside; never L3. */
export function dealingLevel(header: Header, opened: OpenLeaf, clientSeeds: Uint8Array[]): DealingLevel {
  if (header.randomness_suite !== SUITE_COMMITMENT || opened.server_commitment === NO_LEAF) {
    return "L0";
  }
  const isDistinct = new Set(clientSeeds.map(hex)).size === clientSeeds.length;
  const isCommitted = header.seat_keys.length === 1 || opened.client_commitments.every(Boolean);
  return isDistinct && isCommitted && !clientSeeds.some(isTrivial) ? "L2" : "L1";
}
