/**
 * Money: what each seat won or lost is the sum of its transfers, and together it is zero. Where the
 * house plays or takes a commission, it has its own line. Amounts are whole minor units; sums are taken
 * as bigint, for they may pass 2^53.
 */

import { attempt } from "./attempt.js";
import type { Json } from "./canonical.js";
import type { Report } from "./check.js";
import { differ } from "./finding.js";
import { FormError, hasOwn, integer, list, natural, record, text } from "./form.js";
import { gameOf } from "./header.js";
import type { Placed } from "./reading.js";
import type { RoundLeaves } from "./round-leaves.js";

const HOUSE = 255;
const ZERO = BigInt(0); // a literal 0n is younger than some engines

const transferForm = record({ amount: natural, from: natural, reason: text, subject: text, to: natural });

export function examineMoney(leaves: RoundLeaves, settle: Placed<"SETTLE">, report: Report): void {
  report.begin("MONEY");
  const seats = leaves.header.seat_keys.length;
  const isAgainstHouse = gameOf(leaves.header) === "ultimate_texas";
  const where = { leaf_index: settle.index };
  const { results } = settle.value;
  const read = attempt(() => {
    const transfers = list(transferForm)(part(results, "transfers"), "results.transfers");
    return { transfers, nets: netsOf(results, seats, isAgainstHouse) };
  }, FormError);
  if (read instanceof FormError) {
    report.find("MONEY", "WRONG_RESULT", `the result cannot be read: ${read.message}`, where);
    return;
  }
  const { transfers, nets } = read;
  const found = new Map<number, bigint>([...nets.keys()].map((who) => [who, ZERO]));
  for (const [place, { amount, from, to }] of transfers.entries()) {
    const [payer, payee] = [found.get(from), found.get(to)];
    if (payer === undefined || payee === undefined || from === to || amount === 0) {
      const detail = `transfer ${place} is none between the seats of this round`;
      const difference = differ(`results.transfers[${place}]`, [from, to, amount], [...nets.keys()]);
      report.find("MONEY", "WRONG_RESULT", detail, { ...where, ...difference });
      return;
    }
    found.set(from, payer - BigInt(amount));
    found.set(to, payee + BigInt(amount));
  }
  for (const [who, net] of nets) {
    if (BigInt(net) !== found.get(who)) {
      const path = who === HOUSE ? "results.house.net" : `results.seats[${who}].net`;
      const detail = "the transfers sum to another net amount";
      const difference = differ(path, net, Number(found.get(who)));
      report.find("MONEY", "WRONG_RESULT", detail, { ...where, ...difference });
      return;
    }
  }
  const total = [...nets.values()].reduce((sum, net) => sum + BigInt(net), ZERO);
  if (total !== ZERO) {
    report.find("MONEY", "WRONG_RESULT", `the net amounts sum to ${total}, not to zero`, where);
  }
}

/** The net amounts of the results, by seat, the house's under 255 where it has one or must. */
function netsOf(found: Json, seats: number, isAgainstHouse: boolean): Map<number, number> {
  const lines = part(found, "seats");
  if (!Array.isArray(lines) || lines.length !== seats) {
    throw new FormError("results.seats", `a list of ${seats}`);
  }
  const nets = lines.map((line, seat) => integer(part(line, "net"), `results.seats[${seat}].net`));
  const bySeat = new Map(nets.entries());
  const hasHouse = typeof found === "object" && !Array.isArray(found) && hasOwn(found, "house");
  if (hasHouse || isAgainstHouse) {
    bySeat.set(HOUSE, integer(part(part(found, "house"), "net"), "results.house.net"));
  }
  return bySeat;
}

function part(value: Json, name: string): Json {
  const found = typeof value === "object" && !Array.isArray(value) && hasOwn(value, name) ? value[name] : undefined;
  if (found === undefined) {
    throw new FormError(name, "there");
  }
  return found;
}
