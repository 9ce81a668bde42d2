/**
 * A deal: everything that follows from a header, the server's seed and the seats' seeds.
 *
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
 *
 * Keys and roots of sections, and the deck root over them. K_i opens section i as these cards and
 * no others, and reveals nothing about another section.
 *
 *     K_i       = HKDF(s, M, enc("section-key", round_id, u8 i), 32)
 *     R_i       = TH("section", round_id, u8 i, card numbers, K_i)        one byte a card, as dealt
 *     deck_root = TH("deck-root", round_id, C, M, layout, R_0..R_q)       one byte a section
 */

import { type Bytes, concat, hex } from "./bytes.js";
import { mix, serverCommitment } from "./commitment.js";
import { enc, hkdf, taggedHash, u8 } from "./encoding.js";
import { gameOf, type Header, roundIdOf, SUITE_FIXTURE } from "./header.js";

/** A section of a round. */
export interface Place {
  readonly roundId: Bytes;
  readonly section: number;
}

export function sectionKey(seed: Bytes, mixed: Bytes, { roundId, section }: Place): Bytes {
  return hkdf(seed, { salt: mixed, info: enc("section-key", roundId, u8(section)), length: 32 });
}

/** R_i of a section with this key and these card numbers. */
export function sectionRoot(key: Bytes, { roundId, section }: Place, cards: number[]): Bytes {
  return taggedHash("section", roundId, u8(section), concat(...cards.map(u8)), key);
}

/** The hash that commits to the whole deal. */
export function deckRoot(deal: {
  roundId: Bytes;
  commitment: Bytes;
  mixed: Bytes;
  layout: number[];
  roots: Bytes[];
}): Bytes {
  const { roundId, commitment, mixed, layout, roots } = deal;
  return taggedHash("deck-root", roundId, commitment, mixed, Uint8Array.from(layout), ...roots);
}

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

/** The games that have a leader, in which the twos, cards 1 to 4, are the highest cards. */
const LEADING_GAMES = ["tien_len"];

export interface Deal {
  readonly roundId: Bytes;
  readonly commitment: Bytes;
  readonly mixed: Bytes;
  readonly sections: number[][];
  readonly keys: Bytes[];
  readonly roots: Bytes[];
  readonly deckRoot: Bytes;
  /** The seat that the seeds draw as the leader; null in a game without a leader. */
  readonly drawn: number | null;
  /** The seat that was dealt the lowest card; null in a game without a leader. */
  readonly lowest: number | null;
}

/** Whether somebody leads in the header's game. */
export function hasLeader(header: Header): boolean {
  return LEADING_GAMES.includes(gameOf(header));
}

/** The deal of a round; StreamUsedUpError where it is void. */
export function deriveDeal(
  header: Header,
  { serverSeed, clientSeeds }: { serverSeed: Bytes; clientSeeds: Bytes[] },
): Deal {
  const roundId = roundIdOf(header);
  const commitment = serverCommitment(roundId, serverSeed);
  const mixed = mix(roundId, commitment, clientSeeds);
  const isScripted = header.randomness_suite === SUITE_FIXTURE;
  const order = isScripted ? scriptedOrder(serverSeed) : dealOrder(serverSeed, mixed, roundId);
  const sections = cut(order, header.layout);
  const keys = sections.map((_, section) => sectionKey(serverSeed, mixed, { roundId, section }));
  const roots = sections.map((cards, section) => sectionRoot(keys[section] as Bytes, { roundId, section }, cards));
  const seats = header.seat_keys.length;
  const leads = hasLeader(header);
  const source = { mixed: isScripted ? commitment : mixed, roundId, seats };
  return {
    roundId,
    commitment,
    mixed,
    sections,
    keys,
    roots,
    deckRoot: deckRoot({ roundId, commitment, mixed, layout: header.layout, roots }),
    drawn: leads ? drawLeader(serverSeed, source) : null,
    lowest: leads ? lowestDealt(sections.slice(0, seats)) : null,
  };
}

function lowestDealt(hands: number[][]): number {
  const lowest = hands.map((hand) => Math.min(...hand.map((card) => (card + 47) % 52)));
  return lowest.indexOf(Math.min(...lowest));
}

/** The deck's cards by section, dealt from its front. */
function cut(order: number[], layout: number[]): number[][] {
  let start = 0;
  return layout.map((size) => {
    start += size;
    return order.slice(start - size, start);
  });
}
