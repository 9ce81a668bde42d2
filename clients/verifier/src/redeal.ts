/**
 * `redeal(OPEN, DEAL, REVEAL) == the cards settled`: with the seed revealed, all is dealt again. Where the deck root is
 * not the one that the seeds give, the best explanation is looked for: an unopened section that a certificate's roots
 * show to differ, or a deck that was committed to truly but not drawn as the protocol draws it.
 */

import { attempt } from "./attempt.js";
import { hex, unhex } from "./bytes.js";
import type { Report } from "./check.js";
import { serverCommitment } from "./commitment.js";
import { type Deal, deckRoot, deriveDeal, sectionRoot, StreamUsedUpError } from "./deal.js";
import { differ, unlike, type Where } from "./finding.js";
import type { Placed } from "./reading.js";
import type { RoundLeaves } from "./round-leaves.js";

/** What was shown of a deal: the cards settled, by section from the first, and certified roots. */
export interface Shown {
  readonly sections: number[][];
  readonly roots: string[];
}

/** Whether the seed that was shown opens the commitment in OPEN. */
export function opensCommitment(leaves: RoundLeaves, reveal: Placed<"REVEAL">, report: Report): boolean {
  report.begin("SERVER_SEED");
  const seed = unhex(reveal.value.server_seed);
  const found = hex(serverCommitment(unhex(leaves.roundId), seed));
  const claimed = leaves.open.value.server_commitment;
  if (found === claimed) {
    return true;
  }
  if (!report.has("COMMITMENT_SWAPPED")) {
    const detail = "the seed that was shown does not open the server's commitment";
    const where = { leaf_index: reveal.index, ...unlike("server_commitment", claimed, found) };
    report.find("SERVER_SEED", "SERVER_SEED_MISMATCH", detail, where);
  }
  return false;
}

/**
 * The deal that header and seeds give, where DEAL committed to it, else null; the cards settled are held against it.
 */
export function examineCards(
  leaves: RoundLeaves,
  { deal, reveal }: { deal: Placed<"DEAL">; reveal: Placed<"REVEAL"> },
  shown: Shown,
  report: Report,
): Deal | null {
  report.begin("DECK");
  const seeds = {
    serverSeed: unhex(reveal.value.server_seed),
    clientSeeds: deal.value.client_seeds.map((seed) => unhex(seed)),
  };
  const again = attempt(() => deriveDeal(leaves.header, seeds), StreamUsedUpError);
  if (again instanceof StreamUsedUpError) {
    report.find("DECK", "DECK_NOT_FROM_SEEDS", again.message, { leaf_index: deal.index });
    return null;
  }
  const difference = cardsDiffer(shown.sections, again);
  if (hex(again.deckRoot) !== deal.value.deck_root) {
    explainRoot(again, deal, { ...shown, difference }, report);
    return null;
  }
  if (leaves.settle !== undefined && shown.sections.length > 0) {
    report.begin("CARDS");
    if (difference !== null) {
      const detail = "the cards of the settlement are not the cards that were dealt";
      report.find("CARDS", "CARDS_MISMATCH", detail, { leaf_index: leaves.settle.index, ...difference });
    }
  }
  return again;
}

function cardsDiffer(sections: number[][], again: Deal): Where | null {
  for (const [index, claimed] of sections.entries()) {
    const found = again.sections[index] ?? [];
    if (claimed.join() !== found.join()) {
      return differ(`inputs.sections[${index}]`, claimed, found);
    }
  }
  return null;
}

function explainRoot(
  again: Deal,
  deal: Placed<"DEAL">,
  { sections, roots, difference }: Shown & { difference: Where | null },
  report: Report,
): void {
  const where = { leaf_index: deal.index };
  const hidden = again.roots.findIndex((root, at) => roots[at] !== undefined && roots[at] !== hex(root));
  if (hidden >= sections.length) {
    const root = unlike(`section_roots[${hidden}]`, roots[hidden] ?? "", hex(again.roots[hidden]!));
    const detail = `section ${hidden}, which nobody opened, holds other cards than the seeds give`;
    report.find("DECK", "HIDDEN_CARDS_DIFFER", detail, { ...where, ...root });
    return;
  }
  const isCommitted = rootOfSettled(again, sections) === deal.value.deck_root;
  if (difference !== null && (hidden >= 0 || isCommitted)) {
    const detail = "the deck that was dealt and committed to is not the one that the seeds give";
    report.find("DECK", "DECK_NOT_FROM_SEEDS", detail, { ...where, ...difference });
    return;
  }
  const root = unlike("deck_root", deal.value.deck_root, hex(again.deckRoot));
  report.find("DECK", "DECK_ROOT_MISMATCH", "the deck root is not the one that the seeds give", { ...where, ...root });
}

/** The deck root over the cards settled, under the deal's own keys, its other sections as they are. */
function rootOfSettled(again: Deal, sections: number[][]): string {
  const { roundId, commitment, mixed } = again;
  const roots = again.roots.map((root, section) => {
    const [cards, key] = [sections[section], again.keys[section]];
    return cards && key ? sectionRoot(key, { roundId, section }, cards) : root;
  });
  const layout = again.sections.map((section) => section.length);
  return hex(deckRoot({ roundId, commitment, mixed, layout, roots }));
}
