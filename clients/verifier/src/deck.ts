/**
 * The deck is a fixed function of the server's seed and the mix.
 *
 *     stream = HKDF(ikm = s, salt = M, info = enc("deck", round_id), L = 128)
 *     deck[k] = k + 1 for k in 0..51
 *     for i = 51 down to 1:
 *         n = i + 1; lim = 256 - 256 mod n; take the next byte b until b < lim; swap deck[i], deck[b mod n]
 *
 * A leader is drawn in the same way from HKDF(s, M, enc("leader", round_id), 32). A stream that
 * is used up makes the round void. Cards are numbers 1 to 52, 4*rank + suit + 1.
 *
 * Under suite 250, which is for tests and never fair, the seed spells the deck, and C replaces M
 * when the leader is drawn:
 *
 *     r = s mod 52!, s big-endian
 *     for i = 51 down to 1: n = i + 1; j = r mod n; r = r div n; swap deck[i], deck[j]
 */

import { type Bytes, hex } from "./bytes.js";
import { enc } from "./encoding.js";
import { hkdf } from "./hkdf.js";

const STREAM_SIZE = 128;
const LEADER_STREAM_SIZE = 32;

/** Every byte of the stream was taken before the draw was done. */
export class StreamUsedUpError extends Error {
  override name = "StreamUsedUpError";
}

/** The 52 cards in the order they are dealt. */
export function dealOrder(seed: Bytes, mixed: Bytes, roundId: Bytes): number[] {
  const info = enc("deck", roundId);
  return shuffle(hkdf(seed, { salt: mixed, info, length: STREAM_SIZE }));
}

/** The order that a stream of bytes draws; StreamUsedUpError where it is too short. */
export function shuffle(stream: Bytes): number[] {
  const deck = Array.from({ length: 52 }, (_, place) => place + 1);
  const bytes = stream.values();
  for (let i = 51; i > 0; i -= 1) {
    const j = draw(bytes, i + 1);
    [deck[i], deck[j]] = [deck[j] as number, deck[i] as number];
  }
  return deck;
}

/** The 52 cards in the order that a seed of suite 250 spells. */
export function scriptedOrder(seed: Bytes): number[] {
  const deck = Array.from({ length: 52 }, (_, place) => place + 1);
  let rest = BigInt(`0x${hex(seed)}`);
  for (let i = 51; i > 0; i -= 1) {
    const j = Number(rest % BigInt(i + 1));
    rest /= BigInt(i + 1);
    [deck[i], deck[j]] = [deck[j] as number, deck[i] as number];
  }
  return deck;
}

/** The seat that is drawn to lead: from s and M, or from s and C under suite 250. */
export function drawLeader(
  seed: Bytes,
  { mixed, roundId, seats }: { mixed: Bytes; roundId: Bytes; seats: number },
): number {
  const info = enc("leader", roundId);
  return draw(hkdf(seed, { salt: mixed, info, length: LEADER_STREAM_SIZE }).values(), seats);
}

/** An index below `count` from the next byte that counts. */
function draw(bytes: Iterator<number>, count: number): number {
  const limit = 256 - (256 % count);
  for (let next = bytes.next(); next.done !== true; next = bytes.next()) {
    if (next.value < limit) {
      return next.value % count;
    }
  }
  throw new StreamUsedUpError("the stream was used up before the draw was done; the round is void");
}
