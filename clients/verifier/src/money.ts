/**
 * Money: what each seat won or lost is what the transfers come to, and all of it sums to zero. In a
 * game against the house the house has its own line. Amounts are whole minor units; sums are taken
 * as bigint, for they may pass 2^53.
 */

import type { Json } from "./canonical.js";
import type { Docket } from "./check.js";
import { differ } from "./difference.js";
import { FormError, integer, list, natural, type Of, record, text } from "./form.js";
import type { GatheredRound } from "./gathered.js";
import { gameOf } from "./header.js";
import type { Placed } from "./reading.js";

const HOUSE = 255;

const transferForm = record({
  amount: natural,
  from: natural,
  reason: text,
  subject: text,
  to: natural,
});
type Transfer = Of<typeof transferForm>;

export function examineMoney(
  gathered: GatheredRound,
  settle: Placed<"SETTLE">,
  docket: Docket,
): void {
  docket.begin("MONEY");
  const seats = gathered.header.seat_keys.length;
  const hasHouse = gameOf(gathered.header) === "ultimate_texas";
  const where = { leaf_index: settle.index };
  let transfers: Transfer[];
  let told: Map<number, number>;
  try {
    const { results: found } = settle.value;
    transfers = list(transferForm)(part(found, "transfers"), "results.transfers");
    told = netsTold(found, seats, hasHouse);
  } catch (error) {
    if (!(error instanceof FormError)) {
      throw error;
    }
    docket.find("MONEY", "WRONG_RESULT", `the result cannot be read: ${error.message}`, where);
    return;
  }
  const found = new Map<number, bigint>([...told.keys()].map((who) => [who, 0n]));
  for (const [place, { amount, from, to }] of transfers.entries()) {
    const [payer, payee] = [found.get(from), found.get(to)];
    if (payer === undefined || payee === undefined || from === to || amount === 0) {
      const detail = `transfer ${place} is none between the seats of this round`;
      const path = `results.transfers[${place}]`;
      const difference = differ(path, [from, to, amount], [...told.keys()]);
      docket.find("MONEY", "WRONG_RESULT", detail, { ...where, ...difference });
      return;
    }
    found.set(from, payer - BigInt(amount));
    found.set(to, payee + BigInt(amount));
  }
  for (const [who, net] of told) {
    if (BigInt(net) !== found.get(who)) {
      const path = who === HOUSE ? "results.house.net" : `results.seats[${who}].net`;
      const detail = "the transfers come to another net amount";
      const difference = differ(path, net, Number(found.get(who)));
      docket.find("MONEY", "WRONG_RESULT", detail, { ...where, ...difference });
      return;
    }
  }
  const total = [...told.values()].reduce((sum, net) => sum + BigInt(net), 0n);
  if (total !== 0n) {
    const detail = `the net amounts sum to ${total}, not to zero`;
    docket.find("MONEY", "WRONG_RESULT", detail, where);
  }
}

/** The net amounts told, by seat, the house's under 255. */
function netsTold(found: Json, seats: number, hasHouse: boolean): Map<number, number> {
  const lines = part(found, "seats");
  if (!Array.isArray(lines) || lines.length !== seats) {
    throw new FormError("results.seats", `a list of ${seats}`);
  }
  const nets = lines.map((line, seat) => integer(part(line, "net"), `results.seats[${seat}].net`));
  const told = new Map(nets.entries());
  if (hasHouse) {
    told.set(HOUSE, integer(part(part(found, "house"), "net"), "results.house.net"));
  }
  return told;
}

function part(value: Json, name: string): Json {
  const found =
    typeof value === "object" && !Array.isArray(value) && Object.hasOwn(value, name)
      ? value[name]
      : undefined;
  if (found === undefined) {
    throw new FormError(name, "there");
  }
  return found;
}
