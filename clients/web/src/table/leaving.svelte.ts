/** The question before a round is left. */

import type { View } from "../connection/messages";

class Leaving {
  isAsked = $state(false);

  /** Whether who leaves now loses the rest of a round. */
  costs({ phase, round }: View): boolean {
    return round?.you != null && phase !== "LOBBY" && phase !== "ENDING";
  }
}

export const leaving = new Leaving();
