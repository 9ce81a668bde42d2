/**
 * The end of a round, shown on the felt before its result: the last play, or the house's cards. It ends by itself, by a
 * click or a key, and with the next round; a page that was loaded, or came back, after the end shows the result at once.
 */

import type { Last, View } from "../connection/messages";
import { paced } from "../settings.svelte";

const LAST_PLAY = 2_800; // ms
const HOUSE = 4_200;

/** How long the end of a round is shown, in ms; 0 where its last scene was on the felt already. */
function lengthOf(last: Last): number {
  if (last.end !== "SETTLED" || (last.instant_wins?.length ?? 0) > 0) {
    return 0;
  }
  return paced(last.trick !== undefined ? LAST_PLAY : last.house !== undefined ? HOUSE : 0);
}

/** The end to show now, if any. */
export class Ending {
  readonly #present: () => View;
  #seen = $state("");
  readonly #last = $derived.by((): Last | null => {
    const { last, phase } = this.#present();
    const isNew = last !== null && phase === "LOBBY" && last.round_id !== this.#seen;
    return isNew && lengthOf(last) > 0 && !document.hidden ? last : null;
  });

  /** To be called once, while a component is made. */
  constructor(present: () => View) {
    this.#present = present;
    this.#seen = present().last?.round_id ?? "";
    $effect(() => {
      const { last, phase } = present();
      const shown = this.#last;
      if (shown === null || phase !== "LOBBY") {
        this.#seen = last?.round_id ?? "";
        return;
      }
      const timer = setTimeout(() => this.skip(), lengthOf(shown));
      return () => clearTimeout(timer);
    });
  }

  /** The finished round whose end is shown; null while none is. */
  get last(): Last | null {
    return this.#last;
  }

  /** Shows the result now. */
  skip(): void {
    this.#seen = this.#present().last?.round_id ?? "";
  }
}
