/**
 * The times of a round beside this device's clock, each once, when this page is first shown it. What differs is kept as
 * the SDKs keep it: a wrong clock of the server's can time out an honest seat.
 */

import { type ClockDifference, type Dated, RoundClock } from "referee-client/signer";

import { keep, recall } from "./keepsakes";
import type { Round } from "./messages";

/** What has a time, the time, and the number of its event; 0 for none. */
export type DatedTime = readonly [what: Dated, time: number, number: number];

/** One round's clock; `compared` are the times that this page has been shown before. */
interface RoundTimes {
  readonly clock: RoundClock;
  readonly compared: Set<string>;
}

const rounds = new Map<string, RoundTimes>();

function timesOf(roundId: string): RoundTimes {
  let times = rounds.get(roundId);
  if (times === undefined) {
    times = { clock: new RoundClock(), compared: new Set() };
    times.clock.differences.push(...(recall(roundId)?.differences ?? []));
    rounds.set(roundId, times);
  }
  return times;
}

/** When this page asked for a round and showed its seed; both 0 where it joined later or was loaded again. */
export const clockOf = (roundId: string): RoundClock => timesOf(roundId).clock;

/** Compares the times not shown before; what differs by more than ten seconds, of all that were. */
export function compareTimes(roundId: string, times: readonly DatedTime[]): ClockDifference[] {
  const { clock, compared } = timesOf(roundId);
  const { differences, asked, seedsShown } = clock;
  const before = differences.length;
  for (const [what, time, number] of times) {
    const key = `${what} ${number} ${time}`;
    if (!compared.has(key)) {
      compared.add(key);
      clock.compare(what, time, what === "OPEN" ? asked : seedsShown || asked, number);
    }
  }
  const kept = recall(roundId);
  if (kept !== null && differences.length > before) {
    keep(roundId, { ...kept, differences });
  }
  return [...differences];
}

/** The times that a view has of its round; events have numbers only in a whole course. */
export function timesShown({ dealt_time, course }: Round): DatedTime[] {
  const events = course?.is_whole === true ? course.events : [];
  return [
    ...(dealt_time === undefined ? [] : [["DEAL", dealt_time, 0] as const]),
    ...events.map(({ time }, place) => ["EVENT", time, place + 1] as const),
  ];
}
