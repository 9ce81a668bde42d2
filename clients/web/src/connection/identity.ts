/** Who this browser is at the table server: a secret made once and kept, and a name for this tab. */

import { base64, type Bytes } from "referee-verifier/bytes";

const PLACE = "referee.secret";

export const randomBytes = (count: number): Bytes => crypto.getRandomValues(new Uint8Array(count));

const newSecret = (): string => base64(randomBytes(32)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

export const tab = newSecret().slice(0, 16);

const fresh = newSecret();

/** Whether this page only looks at a round: it must not take the seat that another tab of this browser plays. */
const isLooking = /[?&](share|round)=/.test(location.search);

/** The secret that was kept; for a page that only looks, and where a browser keeps nothing it lasts as long as the page. */
export function keptSecret(): string {
  if (isLooking) {
    return fresh;
  }
  try {
    const kept = localStorage.getItem(PLACE);
    if (kept !== null && /^[\w-]{22,128}$/.test(kept)) {
      return kept;
    }
    localStorage.setItem(PLACE, fresh);
  } catch {
    // As the docstring says.
  }
  return fresh;
}
