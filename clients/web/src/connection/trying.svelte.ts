/** What a seat asks of the referee or makes, one after the other, and what refused it. */

import { tick } from "svelte";

import { announce } from "../announcing";
import { broken, pick, say } from "../words/say";
import { RefusedError } from "./connection.svelte";
import type { Round } from "./messages";

export class Trying {
  busy = $state(false);
  trouble = $state("");
  readonly #present: () => Round | null;
  #last: Round | null = null;

  /** `present` is the newest round; what is on its way when a round ends is still about that round. */
  constructor(present: () => Round | null) {
    this.#present = present;
  }

  /** The round that this is about. */
  protected readonly round = (): Round => {
    this.#last = this.#present() ?? this.#last;
    if (this.#last === null) {
      throw new TypeError("there is no round to ask about");
    }
    return this.#last;
  };

  /** What was pressed is disabled meanwhile; afterwards it has the focus again. */
  protected async try(act: () => Promise<unknown>): Promise<void> {
    const pressed = document.activeElement as HTMLElement | null;
    this.busy = true;
    this.trouble = "";
    try {
      await act();
    } catch (error) {
      const refused = error instanceof RefusedError ? error : null;
      this.trouble = (refused === null ? "" : this.wordsOf(refused)) || say("refereeSilent");
      announce(this.trouble);
    } finally {
      this.busy = false;
    }
    await tick();
    if (document.activeElement === document.body) {
      pressed?.focus({ preventScroll: true });
    }
  }

  /** What is said of a refusal. */
  protected wordsOf({ violations, text }: RefusedError): string {
    return broken(violations) || pick(text);
  }
}
