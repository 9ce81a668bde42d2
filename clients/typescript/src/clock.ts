/** Times of a round that differ from this machine's clock: evidence against a wrong clock. */

/** Difference, in ms, that is not kept: the slack that an audit allows leaves. */
const ALLOWED = 10_000;

/** What has the time: a leaf, the UNSEAL that follows event `number`, or event `number` itself. */
export type Dated = "OPEN" | "DEAL" | "UNSEAL" | "EVENT";

/**
 * A time of the round that differs from this machine's clock by more than ten seconds; times in ms since 1970 UTC. By
 * this machine's clock it was written from `earliest` (0 where that is not known) to `latest`.
 */
export interface ClockDifference {
  /** Part of the round with this time: the OPEN or DEAL leaf, the UNSEAL after an event, or the event. */
  readonly what: Dated;
  /** Number of that event, from 1; 0 for OPEN and DEAL. */
  readonly number: number;
  /** The server's time. */
  readonly time: number;
  /** Earliest time at which it was written, by this machine's clock; 0 if unknown. */
  readonly earliest: number;
  /** Latest time at which it was written, by this machine's clock. */
  readonly latest: number;
}

/** What a client knows of when the times of a round were written, and those that disagree. */
export class RoundClock {
  /** The times that disagree, in the order found. */
  readonly differences: ClockDifference[] = [];
  /** When this client first asked for the round; 0 where another process did. */
  asked = 0;
  /** When it first showed a seed of its own seats; 0 before. */
  seedsShown = 0;
  /** When it sent the newest event that it had accepted; 0 for none. */
  eventSent = 0;

  /** Compare a time that has just arrived; `since` is when it was asked for, 0 if not known. */
  compare(what: Dated, time: number, since = 0, number = 0): void {
    const latest = Date.now();
    const isBehind = since > 0 && time < since - ALLOWED;
    const isKnown = this.differences.some((one) => one.what === what && one.number === number && one.time === time);
    if ((isBehind || time > latest + ALLOWED) && !isKnown) {
      this.differences.push({ what, number, time, earliest: since, latest });
    }
  }
}
