/** Bets before the deal: multiples of the room's stake, kept within what the ruleset lets a seat bet. */

import type { Ruleset } from "../connection/messages";
import type { Bets } from "../games";

/** The bets of a seat that chose none. */
export const firstBets = (stake: number, ruleset: Ruleset): Bets => ({
  ante_minor: anteOf(stake, 1, ruleset),
  trips_minor: 0,
});

/** The Ante of so many stakes: a multiple of the bet unit. */
export function anteOf(stake: number, times: number, ruleset: Ruleset): number {
  const { bet_unit_minor: unit, limits } = ruleset;
  const ante = Math.ceil((stake * times) / unit) * unit;
  return within(ante, limits?.smallest_ante, limits?.largest_ante);
}

/** Trips of so many stakes; none for 0. */
export function tripsOf(stake: number, times: number, { limits }: Ruleset): number {
  const trips = Math.round(stake * times);
  return trips === 0 ? 0 : within(trips, limits?.smallest_trips, limits?.largest_trips);
}

/** Some multiples of the stake without those that the limits turn into a bet that an earlier one is. */
export function distinct(
  times: readonly number[],
  betOf: (times: number) => number,
): readonly { readonly times: number; readonly bet: number }[] {
  return times
    .map((one) => ({ times: one, bet: betOf(one) }))
    .filter(({ bet }, place, all) => all.findIndex((other) => other.bet === bet) === place);
}

function within(bet: number, smallest = 0, largest = Infinity): number {
  return Math.min(Math.max(bet, smallest), largest);
}
