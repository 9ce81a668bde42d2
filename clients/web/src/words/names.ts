/** Names of codes, from the ruleset's own data; a code without a name is shown as it is. */

import type { Last, Ruleset } from "../connection/messages";
import { pick, say } from "./say";

export const pickName = (ruleset: Ruleset | undefined, table: string, code: string): string =>
  pick(ruleset?.names[table]?.[code]) || code;

const HOUSE = 255; // the house's place in transfers

/** Who has a place in transfers. */
export const payerName = ({ seats }: Last, seat: number): string =>
  seat === HOUSE ? say("house") : (seats?.[seat]?.name ?? `#${seat}`);

/** The first visible sign of a person's name, an emoji of several characters being one. */
export function initialOf(name: string): string {
  const [first] = new Intl.Segmenter().segment(name.trim());
  return first?.segment.toLocaleUpperCase() ?? "?";
}
