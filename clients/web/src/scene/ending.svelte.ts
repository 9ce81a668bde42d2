/**
 * The end of a round, shown on the felt before its result, as its game shows it. It ends by itself, by a click or a key,
 * and with the next round; a page that was loaded, or came back, after the end shows the result at once.
 */

import type { Last, View } from "../connection/messages";
import type { PageGame } from "../games";
import { paced } from "../settings.svelte";

/** The end to show now, if any. */
export class Ending {
  readonly #present: () => View;
  readonly #game: () => PageGame | undefined;
  #seen = $state("");
  readonly #last = $derived.by((): Last | null => {
    const { last, phase } = this.#present();
    const isNew = last !== null && phase === "LOBBY" && last.round_id !== this.#seen;
    return isNew && this.#lengthOf(last) > 0 && !document.hidden ? last : null;
  });

  /** To be called once, while a component is made. */
  constructor(present: () => View, game: () => PageGame | undefined) {
    this.#present = present;
    this.#game = game;
    this.#seen = present().last?.round_id ?? "";
    $effect(() => {
      const { last, phase } = present();
      const shown = this.#last;
      if (shown === null || phase !== "LOBBY") {
        this.#seen = last?.round_id ?? "";
        return;
      }
      const timer = setTimeout(() => this.skip(), this.#lengthOf(shown));
      return () => clearTimeout(timer);
    });
  }

  /** The finished round whose end is shown; null while none is. */
  get last(): Last | null {
    return this.#last;
  }

  /** How long the end of a round is shown, in ms; 0 where its last scene was on the felt already. */
  #lengthOf(last: Last): number {
    const isShown = last.end === "SETTLED" && (last.instant_wins?.length ?? 0) === 0;
    return isShown ? paced(this.#game()?.ending?.lengthOf(last) ?? 0) : 0;
  }

  /** Shows the result now. */
  skip(): void {
    this.#seen = this.#present().last?.round_id ?? "";
  }
}
