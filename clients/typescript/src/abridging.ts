/** Round messages named in requests, where the server may remember them. */

/** Unknown rounds in a row after which whole rounds are sent. */
const MISSES = 2;

/** Whole rounds that are sent then, before a round is named again. */
const PAUSE = 100;

/** Figures of the requests that named their round. */
export interface AbridgingFigures {
  /** Requests that the server answered by the name alone. */
  readonly abridged: number;
  /** Requests that were sent again with the whole round, which the server did not remember. */
  readonly unknown: number;
}

/**
 * Whether a client names rounds. Behind a balancer with several servers most rounds
 * may be unknown, and each costs a second call. So whole rounds are sent after two unknown ones in a
 * row, and after a hundred of those one is named again.
 */
export class Abridging implements AbridgingFigures {
  abridged = 0;
  unknown = 0;
  #misses = 0;
  #whole = 0;

  /** Return whether the next round may be named; count it as whole otherwise. */
  isOn(): boolean {
    if (this.#misses < MISSES) {
      return true;
    }
    this.#whole += 1;
    if (this.#whole <= PAUSE) {
      return false;
    }
    this.#whole = 0;
    return true;
  }

  /** Count a request that named its round. */
  note({ isKnown }: { readonly isKnown: boolean }): void {
    if (isKnown) {
      this.abridged += 1;
      this.#misses = 0;
    } else {
      this.unknown += 1;
      this.#misses += 1;
    }
  }
}
