/** Who this browser is at the table server: a secret made once and kept, a name for this tab, and the key of its seats. */

import { base64, browserSeatKey, type Bytes } from "referee-client/signer";

const PLACE = "referee.secret";

export const randomBytes = (count: number): Bytes => crypto.getRandomValues(new Uint8Array(count));

const newSecret = (): string => base64(randomBytes(32)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

export const tab = newSecret().slice(0, 16);

/** The browser's key; null where it keeps none. */
export const seatKey = browserSeatKey();

const fresh = newSecret();

/** Whether this page only looks at a round: it must not take the seat that another tab of this browser plays. */
const isLooking = /[?&]round=/.test(location.search);

/** The secret that was kept; one that lasts as long as the page where a browser keeps nothing, or only looks. */
export function keptSecret(): string {
  try {
    const kept = isLooking ? fresh : localStorage.getItem(PLACE);
    if (kept !== null && /^[\w-]{22,128}$/.test(kept)) {
      return kept;
    }
    localStorage.setItem(PLACE, fresh);
  } catch {
    // As the docstring says.
  }
  return fresh;
}
