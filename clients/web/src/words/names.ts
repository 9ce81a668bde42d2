/** Names of codes, from the ruleset's own data; a code without a name is shown as it is. */

import type { Ruleset } from "../connection/messages";
import { pick } from "./say";

export const pickName = (ruleset: Ruleset | undefined, table: string, code: string): string =>
  pick(ruleset?.names[table]?.[code]) || code;
