/**
 * Streets: a part of the board, or the hands of a sealed table, opens when a receipt says so, and
 * never before. Receipts of one round agree with the settlement on which event opens a section,
 * name sections in the order in which they open, and were given in the order of their events: one
 * that was given after a section opened, for an event before, let somebody decide knowing it. A
 * certificate that opens such a section needs a receipt that names it, or a later one; where none
 * is at hand nothing is proved either way, and that is noted.
 *
 * Which events close a street is for the rules to say, and not asked here.
 */

import type { Report } from "./check.js";
import { unlike } from "./difference.js";
import type { RoundLeaves } from "./round-leaves.js";
import { gameOf, type Header, layoutOf } from "./header.js";
import type { EventReceipt } from "./leaf.js";

/** What lies open once a section that a receipt names does, and the section that nobody is dealt. */
export interface Streets {
  readonly hands: readonly number[];
  readonly openWith: ReadonlyMap<number, readonly number[]>;
  readonly stock: number | null;
}

/** A receipt of an event: its number, when it was given, and the section it opens, -1 for none. */
interface Given {
  readonly number: number;
  readonly time: number;
  readonly section: number;
}

/** The streets of a header's game; null where the header does not cut the deck as its game does. */
export function streetsOf(header: Header): Streets | null {
  const seats = header.seat_keys.length;
  const game = gameOf(header);
  const sizes = layoutOf(game, seats);
  if (sizes === null || sizes.join() !== header.layout.join()) {
    return null;
  }
  const hands = Array.from({ length: seats }, (_, seat) => seat);
  const hasBoard = game === "ultimate_texas";
  const [house, flop, river] = [seats, seats + 1, seats + 2];
  const order = hasBoard ? [flop, river, house] : [];
  const openWith = new Map<number, number[]>(
    order.map((section, at) => [section, [...hands, ...order.slice(0, at + 1)]]),
  );
  if (!hasBoard) {
    openWith.set(seats - 1, hands); // how the hands of a sealed table open
  }
  const dealt = seats + (hasBoard ? 3 : 0);
  return { hands, openWith, stock: dealt < sizes.length ? dealt : null };
}

/** Receipts that somebody holds and certificates agree on when each section opened. */
export function examineStreets(
  leaves: RoundLeaves,
  streets: Streets,
  { held, opened }: { held: readonly EventReceipt[]; opened: readonly number[] },
  report: Report,
): void {
  report.begin("STREETS");
  const where = { leaf_index: (leaves.deal ?? leaves.open).index };
  const inTranscript = settledIn(leaves);
  const given = held.map(givenBy);
  for (const { number, section } of given) {
    const settled = inTranscript.find((one) => one.number === number);
    if (settled !== undefined && settled.section !== section) {
      const detail = `a receipt of event ${number} opens another section than the event does`;
      const difference = unlike("opens_section", name(section), name(settled.section));
      report.find("STREETS", "STREET_OPENED_EARLY", detail, { ...where, ...difference });
      return;
    }
  }
  const receipts = [...inTranscript, ...given].sort(
    (one, other) =>
      one.number - other.number || one.time - other.time || one.section - other.section,
  );
  const fault = orderFault(receipts, streets);
  if (fault !== null) {
    report.find("STREETS", "STREET_OPENED_EARLY", fault, where);
    return;
  }
  const due = new Set(receipts.flatMap(({ section }) => streets.openWith.get(section) ?? []));
  for (const section of [...new Set(opened)].sort((one, other) => one - other)) {
    if (!due.has(section) && !streets.hands.includes(section) && section !== streets.stock) {
      const detail = `a certificate opens section ${section}, and no receipt at hand opens it`;
      report.find("STREETS", "STREET_UNRECEIPTED", detail, where);
    }
  }
}

/** What is wrong with the order of receipts, which stand by number; null where nothing is. */
function orderFault(receipts: readonly Given[], { openWith }: Streets): string | null {
  const opening = receipts.filter(({ section }) => section !== -1);
  for (const { number, section } of opening) {
    if (!openWith.has(section)) {
      return `a receipt of event ${number} opens section ${section}, which no event opens`;
    }
  }
  const reach = ({ section }: Given): number => openWith.get(section)?.length ?? 0;
  for (const [at, other] of opening.entries()) {
    const one = opening[at - 1];
    if (one !== undefined && one.number < other.number && reach(one) >= reach(other)) {
      return `a receipt of event ${one.number} opens section ${one.section}, and event ${other.number} opens section ${other.section}, which comes first`;
    }
  }
  for (const one of opening) {
    const late = receipts.find((other) => other.number < one.number && other.time > one.time);
    if (late !== undefined) {
      return `event ${late.number} was received at ${late.time}, after event ${one.number} had opened section ${one.section} at ${one.time}`;
    }
  }
  return null;
}

/** The receipts in the settlement. */
function settledIn({ settle }: RoundLeaves): Given[] {
  const events = settle?.value.inputs.events ?? [];
  return events.flatMap(({ receipt, time, opens_section: section = -1 }, place) =>
    receipt === undefined ? [] : [{ number: place + 1, time, section }],
  );
}

function givenBy({
  number,
  received_time: time,
  opens_section: section = -1,
}: EventReceipt): Given {
  return { number, time, section };
}

function name(section: number): string {
  return section === -1 ? "none" : String(section);
}
