/** A deal: everything that follows from a header, the server's seed and the seats' seeds. */

import type { Bytes } from "./bytes.js";
import { mix, serverCommitment } from "./commitment.js";
import { dealOrder, drawLeader, scriptedOrder } from "./deck.js";
import { gameOf, type Header, roundIdOf, SUITE_FIXTURE } from "./header.js";
import { deckRoot, sectionKey, sectionRoot } from "./section.js";

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
