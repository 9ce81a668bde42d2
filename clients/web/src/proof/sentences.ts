/** Sentences about a verified round for the person who looks: only of checks that passed, and of a seat only to that seat. */

import type { CheckCode } from "referee-verifier";

import type { Key } from "../words/words";
import type { Verdict, Viewer } from "./verifying.svelte";

const DECK: Record<Viewer, Key> = { SEAT: "proofDeck", SEAT_ELSEWHERE: "proofDeckElsewhere", OTHER: "proofDeckOther" };

/** The keys of the sentences whose checks all passed. */
export function sentencesOf({ result, own, viewer = "OTHER" }: Verdict): Key[] {
  const passed = new Set(result?.checks.filter(({ outcome }) => outcome === "PASSED").map(({ code }) => code));
  const sentences: readonly (readonly [Key, readonly CheckCode[]])[] = [
    [DECK[viewer], ["CLIENT_SEEDS", "MIX", "SERVER_SEED", "DECK"]],
    [own?.OWN_CARDS === "PASSED" ? "proofCards" : "proofCardsOther", ["CARDS"]],
    ["proofMoney", ["MONEY"]],
    ["proofAborted", ["ABORT"]],
  ];
  return sentences.filter(([, codes]) => codes.every((code) => passed.has(code))).map(([key]) => key);
}
