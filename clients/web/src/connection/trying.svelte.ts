/** What a seat asks of the referee or makes, one after the other, and what refused it. */

import { announce } from "../announcing";
import { broken, pick, say } from "../words/say";
import { RefusedError } from "./connection.svelte";
import type { Round } from "./messages";

export class Trying {
  busy = $state(false);
  trouble = $state("");

  constructor(protected readonly round: () => Round) {}

  protected async try(act: () => Promise<unknown>): Promise<void> {
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
  }

  /** What is said of a refusal. */
  protected wordsOf({ violations, text }: RefusedError): string {
    return broken(violations) || pick(text);
  }
}
