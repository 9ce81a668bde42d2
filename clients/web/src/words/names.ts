/** Names of codes, from the ruleset's own data, and signs of people's names; a code without a name is shown as it is. */

import type { Ruleset } from "../connection/messages";
import { pick } from "./say";

export const pickName = (ruleset: Ruleset | undefined, table: string, code: string): string =>
  pick(ruleset?.names[table]?.[code]) || code;

/** The first visible sign of a person's name, an emoji of several characters being one. */
export function initialOf(name: string): string {
  const [first] = new Intl.Segmenter().segment(name.trim());
  return first?.segment.toLocaleUpperCase() ?? "?";
}
