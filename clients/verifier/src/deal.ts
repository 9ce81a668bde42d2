/** A deal: everything that follows from a header, the server's seed and the seats' seeds. */

import type { Bytes } from "./bytes.js";
import { mix, serverCommitment } from "./commitment.js";
import { dealOrder, drawLeader, scriptedOrder } from "./deck.js";
import { gameOf, type Header, roundIdOf, SUITE_FIXTURE } from "./header.js";
import { deckRoot, sectionKey, sectionRoot } from "./section.js";

/** The games in which the deal draws who leads. */
const LEADING_GAMES = ["tien_len"];

export interface Deal {
  readonly roundId: Bytes;
  readonly commitment: Bytes;
  readonly mixed: Bytes;
  readonly sections: number[][];
  readonly keys: Bytes[];
  readonly roots: Bytes[];
  readonly deckRoot: Bytes;
  readonly leader: number | null;
}

export function drawsLeader(header: Header): boolean {
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
  const roots = sections.map((cards, section) =>
    sectionRoot(keys[section] as Bytes, { roundId, section }, cards),
  );
  const leads = drawsLeader(header);
  return {
    roundId,
    commitment,
    mixed,
    sections,
    keys,
    roots,
    deckRoot: deckRoot({ roundId, commitment, mixed, layout: header.layout, roots }),
    leader: leads
      ? drawLeader(isScripted ? commitment : mixed, roundId, header.seat_keys.length)
      : null,
  };
}

/** The deck's cards by section, dealt from its front. */
function cut(order: number[], layout: number[]): number[][] {
  let start = 0;
  return layout.map((size) => {
    start += size;
    return order.slice(start - size, start);
  });
}
