/**
 * `redeal(OPEN, DEAL, REVEAL) == the cards told`: with the seed shown, every card is dealt again.
 * Where the deck root is not the one that the seeds give, the most telling explanation is looked
 * for: an unopened section that a certificate's roots show to differ, or a deck that was committed
 * to truly but not drawn as the protocol draws it.
 */

import { hex, unhex } from "./bytes.js";
import type { Docket } from "./check.js";
import { serverCommitment } from "./commitment.js";
import { type Deal, deriveDeal } from "./deal.js";
import { StreamUsedUpError } from "./deck.js";
import { differ, unlike } from "./difference.js";
import type { Where } from "./finding.js";
import type { GatheredRound } from "./gathered.js";
import type { Placed } from "./reading.js";
import { deckRoot, sectionRoot } from "./section.js";

/** What was shown of a deal: the cards told, by section from the first, and certified roots. */
export interface Shown {
  readonly sections: number[][];
  readonly roots: string[];
}

/** Whether the seed that was shown opens the commitment in OPEN. */
export function opensCommitment(
  gathered: GatheredRound,
  reveal: Placed<"REVEAL">,
  docket: Docket,
): boolean {
  docket.begin("SERVER_SEED");
  const seed = unhex(reveal.value.server_seed);
  const found = hex(serverCommitment(unhex(gathered.roundId), seed));
  const told = gathered.open.value.server_commitment;
  if (found === told) {
    return true;
  }
  if (!docket.has("COMMITMENT_SWAPPED")) {
    const detail = "the seed that was shown does not open the server's commitment";
    const difference = unlike("server_commitment", told, found);
    const where = { leaf_index: reveal.index, ...difference };
    docket.find("SERVER_SEED", "SERVER_SEED_MISMATCH", detail, where);
  }
  return false;
}

/**
 * The deal that header and seeds give, where DEAL committed to it and the cards told are its cards;
 * else null.
 */
export function examineCards(
  gathered: GatheredRound,
  { deal, reveal }: { deal: Placed<"DEAL">; reveal: Placed<"REVEAL"> },
  shown: Shown,
  docket: Docket,
): Deal | null {
  docket.begin("DECK");
  const where = { leaf_index: deal.index };
  let again: Deal;
  try {
    const seeds = {
      serverSeed: unhex(reveal.value.server_seed),
      clientSeeds: deal.value.client_seeds.map((seed) => unhex(seed)),
    };
    again = deriveDeal(gathered.header, seeds);
  } catch (error) {
    if (!(error instanceof StreamUsedUpError)) {
      throw error;
    }
    docket.find("DECK", "DECK_NOT_FROM_SEEDS", error.message, where);
    return null;
  }
  const difference = cardsDiffer(shown.sections, again);
  if (hex(again.deckRoot) !== deal.value.deck_root) {
    explainRoot(again, deal, { ...shown, difference }, docket);
    return null;
  }
  if (gathered.settle !== undefined && shown.sections.length > 0) {
    docket.begin("CARDS");
    if (difference !== null) {
      const detail = "the cards told are not the cards that were dealt";
      const at = { leaf_index: gathered.settle.index, ...difference };
      docket.find("CARDS", "CARDS_MISMATCH", detail, at);
      return null;
    }
  }
  return again;
}

function cardsDiffer(sections: number[][], again: Deal): Where | null {
  for (const [index, told] of sections.entries()) {
    const found = again.sections[index] ?? [];
    if (told.join() !== found.join()) {
      return differ(`inputs.sections[${index}]`, told, found);
    }
  }
  return null;
}

function explainRoot(
  again: Deal,
  deal: Placed<"DEAL">,
  { sections, roots, difference }: Shown & { difference: Where | null },
  docket: Docket,
): void {
  const where = { leaf_index: deal.index };
  const hidden = again.roots.findIndex(
    (root, at) => roots[at] !== undefined && roots[at] !== hex(root),
  );
  if (hidden >= sections.length) {
    const root = unlike(`section_roots[${hidden}]`, roots[hidden] ?? "", hex(again.roots[hidden]!));
    const detail = `section ${hidden}, which nobody opened, holds other cards than the seeds give`;
    docket.find("DECK", "HIDDEN_CARDS_DIFFER", detail, { ...where, ...root });
    return;
  }
  const isCommitted = rootOfTold(again, sections) === deal.value.deck_root;
  if (difference !== null && (hidden >= 0 || isCommitted)) {
    const detail = "the deck that was dealt and committed to is not the one that the seeds give";
    docket.find("DECK", "DECK_NOT_FROM_SEEDS", detail, { ...where, ...difference });
    return;
  }
  const root = unlike("deck_root", deal.value.deck_root, hex(again.deckRoot));
  const detail = "the deck root is not the one that the seeds give";
  docket.find("DECK", "DECK_ROOT_MISMATCH", detail, { ...where, ...root });
}

/** The deck root over the cards told, under the deal's own keys, its other sections as they are. */
function rootOfTold(again: Deal, sections: number[][]): string {
  const { roundId, commitment, mixed } = again;
  const roots = again.roots.map((root, section) => {
    const [told, key] = [sections[section], again.keys[section]];
    return told && key ? sectionRoot(key, { roundId, section }, told) : root;
  });
  const layout = again.sections.map((section) => section.length);
  return hex(deckRoot({ roundId, commitment, mixed, layout, roots }));
}
