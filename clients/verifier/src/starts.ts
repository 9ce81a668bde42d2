/** What judges a log's rounds: START leaves, of which the last one of each server is in force. */

import type { StartLeaf } from "./leaf.js";

export class StartHistory {
  readonly #inForce = new Map<string, ReadonlySet<string>>();

  get isEmpty(): boolean {
    return this.#inForce.size === 0;
  }

  /** Apply a START: it takes the place of the last one of its instance. */
  take({ instance, rulesets }: StartLeaf): void {
    this.#inForce.set(instance, new Set(rulesets.map((one) => one.digest)));
  }

  /** Whether a START in force names a ruleset, by its digest. */
  names(digest: string): boolean {
    return [...this.#inForce.values()].some((named) => named.has(digest));
  }
}
