/** What a replay shows of the show: one chi of all seats, with what it brings each. */

import type { Last } from "../connection/messages";
import type { Compared } from "../games";
import { capital, pick, signed } from "../words/say";
import type { ComparedChi } from "./messages";
import { say } from "./words";

const ROWS = ["FRONT", "MIDDLE", "BACK"];

/** The comparison of one chi; each seat's rows are front, middle and back. */
export function comparedChi(chi: ComparedChi, last: Last): Compared {
  const seats = (last.seats ?? []).map(({ arrangement }, seat) => {
    const hand = chi.hands.find((shown) => shown.seat === seat);
    const units = (hand?.units_won ?? 0) - (hand?.units_lost ?? 0);
    const said = capital(hand?.fouled === true ? say("fouled") : pick(hand?.name));
    const { front = [], middle = [], back = [] } = arrangement ?? {};
    return { rows: [front, middle, back], note: `${said} ${signed(units)}` };
  });
  return { words: capital(pick(chi.name)), bright: ROWS.indexOf(chi.position), seats };
}
