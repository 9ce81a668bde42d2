/** Net payments pair by pair, and who pays. */

import type { Last } from "../connection/messages";
import { say } from "../words/say";

/** The house's place in transfers. */
export const HOUSE = 255;

/** Who has a place in transfers. */
export const payerName = ({ seats }: Last, seat: number): string =>
  seat === HOUSE ? say("house") : (seats?.[seat]?.name ?? `#${seat}`);

export interface PairNet {
  readonly payer: number;
  readonly payee: number;
  readonly minor: number;
}

/** The largest first; pairs that are even are left out. */
export function pairsOf(last: Last): readonly PairNet[] {
  const nets = new Map<string, number>();
  for (const { payer, payee, amount_minor } of last.transfers ?? []) {
    const [key, sign] = payer < payee ? [`${payer} ${payee}`, 1] : [`${payee} ${payer}`, -1];
    nets.set(key, (nets.get(key) ?? 0) + sign * amount_minor);
  }
  return [...nets]
    .filter(([, net]) => net !== 0)
    .map(([key, net]) => {
      const [low = 0, high = 0] = key.split(" ").map(Number);
      const [payer, payee] = net > 0 ? [low, high] : [high, low];
      return { payer, payee, minor: Math.abs(net) };
    })
    .sort((one, other) => other.minor - one.minor);
}
