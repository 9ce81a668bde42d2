/** A round that outlives its view: a question that is on its way when a round ends is still about that round. */

import type { Round } from "./messages";

/** The round that `present` names, or the one it named last. */
export function lasting(present: () => Round | null): () => Round {
  let last: Round | null = null;
  return () => {
    last = present() ?? last;
    if (last === null) {
      throw new TypeError("there is no round to ask about");
    }
    return last;
  };
}
