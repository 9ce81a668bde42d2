/** Values as people read them beside each other. */

import type { Difference } from "./finding.js";

const MAX_SHOWN = 240;

/** A value as compact JSON, cut where it is long; `absent` for none. */
export function shown(value: unknown): string {
  const text = value === undefined ? "absent" : JSON.stringify(value);
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN - 3)}...`;
}

/** The difference of two values at a path. */
export function differ(path: string, claimed: unknown, found: unknown): { difference: Difference } {
  return { difference: { path, claimed: shown(claimed), found: shown(found) } };
}

/** The difference of two texts, as they are. */
export function unlike(path: string, claimed: string, found: string): { difference: Difference } {
  return { difference: { path, claimed, found } };
}
