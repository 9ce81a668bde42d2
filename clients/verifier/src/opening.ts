/**
 * Openings: cards are shown only after the course that opens them is in the log. What is open at the deal is in DEAL,
 * everything else is opened by an UNSEAL, which repeats the referee's receipt of the event that opens it; the course
 * that was settled goes through every UNSEAL, and the cards in it, and in certificates, are those that were opened.
 *
 * Which events open a section is for the rules to say, and not asked here.
 */

import { encode } from "./canonical.js";
import type { Report } from "./check.js";
import { type Course, isReceipted } from "./course.js";
import { differ, unlike } from "./finding.js";
import { gameOf, type Header, layoutOf } from "./header.js";
import type { EventReceipt, Inputs, UnsealLeaf } from "./leaf.js";
import type { Placed } from "./reading.js";
import type { RoundLeaves } from "./round-leaves.js";

/** Sections by how they open; `order` is that of openings, `stock` the section that nobody is dealt. */
export interface Sections {
  readonly hands: readonly number[];
  readonly order: readonly number[];
  readonly stock: number | null;
}

/** What was opened: sections at the deal, and others each with its UNSEAL. */
export interface Opened {
  readonly atDeal: readonly number[];
  readonly unsealed: ReadonlyMap<number, UnsealLeaf>;
}

/** The sections of a header's game; null where the header does not cut the deck as its game does. */
export function sectionsOf(header: Header): Sections | null {
  const seats = header.seat_keys.length;
  const game = gameOf(header);
  const sizes = layoutOf(game, seats);
  if (sizes === null || sizes.join() !== header.layout.join()) {
    return null;
  }
  const hands = Array.from({ length: seats }, (_, seat) => seat);
  const [house, flop, river] = [seats, seats + 1, seats + 2];
  const hasBoard = game === "ultimate_texas";
  const order = hasBoard ? [flop, river, house] : game === "mau_binh" ? hands.slice(-1) : [];
  const dealt = seats + (hasBoard ? 3 : 0);
  return { hands, order, stock: dealt < sizes.length ? dealt : null };
}

/** What DEAL and the UNSEALs of a round opened, each by a receipt that the referee signed. */
export function examineUnseals(leaves: RoundLeaves, report: Report): Opened {
  const { header, deal, unseals } = leaves;
  const sections = sectionsOf(header);
  if (deal === undefined) {
    report.skip("the round was not dealt", "OPENINGS");
    return { atDeal: [], unsealed: new Map() };
  }
  report.begin("OPENINGS");
  const atDeal = openedAtDeal(leaves, deal, sections, report);
  const unsealed = new Map<number, UnsealLeaf>();
  for (const one of unseals) {
    const { value: said, index } = one;
    const where = { leaf_index: index };
    const keys = one.ring.since("referee", deal.index);
    if (!isReceipted(receiptOf(said), said.receipt_signature, keys)) {
      const detail = `no key of the referee signed the receipt of event ${said.number} that opened it`;
      report.find("OPENINGS", "UNSEAL_REFUSED", detail, where);
    }
    const due = sections && opensWith(said.opens_section, leaves, sections, { atDeal, unsealed });
    if (said.unsealed_time < said.received_time) {
      const detail = `it opened at ${said.unsealed_time}, and its event was received at ${said.received_time}`;
      report.find("OPENINGS", "STREET_OPENED_EARLY", detail, where);
    } else if (due !== null && due.join() !== said.sections.join()) {
      const detail = `with section ${said.opens_section} open other sections than it says`;
      report.find("OPENINGS", "STREET_OPENED_EARLY", detail, { ...where, ...differ("sections", said.sections, due) });
    }
    for (const section of said.sections) {
      unsealed.set(section, unsealed.get(section) ?? said);
    }
  }
  return { atDeal, unsealed };
}

function openedAtDeal(
  { header, open }: RoundLeaves,
  deal: Placed<"DEAL">,
  sections: Sections | null,
  report: Report,
): number[] {
  const isSealed = open.value.seat_tokens !== undefined;
  const hands = header.seat_keys.map((_, seat) => seat);
  const claimed = deal.value.opened_sections;
  const hasInstantWins = gameOf(header) === "mau_binh";
  const lawful = isSealed ? (hasInstantWins ? [[], hands] : [[]]) : [hands];
  if (sections !== null && !lawful.some((one) => one.join() === claimed.join())) {
    const where = { leaf_index: deal.index, ...differ("opened_sections", claimed, lawful[0]) };
    report.find("OPENINGS", "STREET_OPENED_EARLY", "it opens other sections than are open at the deal", where);
  }
  return claimed;
}

/** The sections that were closed and open once an event opens this one; none where no event does. */
function opensWith(
  section: number,
  { open }: RoundLeaves,
  { hands, order }: Sections,
  { atDeal, unsealed }: Opened,
): number[] {
  const place = order.indexOf(section);
  const isSealed = open.value.seat_tokens !== undefined;
  const isLast = place === order.length - 1;
  const due = place < 0 ? [] : [...order.slice(0, place + 1), ...(isSealed && isLast ? hands : [])];
  return [...new Set(due)]
    .filter((one) => !atDeal.includes(one) && !unsealed.has(one))
    .sort((one, other) => one - other);
}

/** Whether a settlement's course goes through every UNSEAL, and its cards are those opened. */
export function examineSettledOpenings(
  leaves: RoundLeaves,
  settle: Placed<"SETTLE">,
  course: Course,
  opened: Opened,
  report: Report,
): void {
  const { inputs } = settle.value;
  const where = { leaf_index: settle.index };
  const claimed = inputs.unsealed.map((entry) => encode(entry));
  const known = leaves.unseals.map(({ value: said, index }) => {
    const entry = encode(unsealedOf(said));
    const isReceived = course.links[said.number - 1]?.received === true;
    const mine = isReceived ? course.receiptText(said.number, said.opens_section) : undefined;
    const receipt = encode(receiptOf(said));
    if (mine !== receipt || !claimed.includes(entry)) {
      const detail = "the course that was settled does not go through what opened these cards";
      const difference = unlike(`event ${said.number}`, receipt, mine ?? "there is none");
      report.find("OPENINGS", "UNSEAL_NOT_IN_COURSE", detail, { leaf_index: index, ...difference });
    }
    return entry;
  });
  if (known.filter((entry) => claimed.includes(entry)).join() !== claimed.join()) {
    const detail = "the transcript names openings of which the log has no UNSEAL";
    const difference = differ("inputs.unsealed", claimed, known);
    report.find("OPENINGS", "OPENED_WITHOUT_UNSEAL", detail, { ...where, ...difference });
  }
  examineSettledSections(leaves, settle, opened, report);
  examineNewest(leaves, inputs, where, report);
}

function examineSettledSections(
  { deal }: RoundLeaves,
  settle: Placed<"SETTLE">,
  { atDeal, unsealed }: Opened,
  report: Report,
): void {
  if (deal === undefined) {
    return;
  }
  const where = { leaf_index: settle.index };
  const shown = settle.value.inputs.sections.map((_, section) => section);
  const opened = [...new Set([...atDeal, ...unsealed.keys()])].sort((one, other) => one - other);
  const difference = differ("inputs.sections", shown, opened);
  if (shown.some((section) => !opened.includes(section))) {
    const detail = "the transcript has sections that nothing opened";
    report.find("OPENINGS", "OPENED_WITHOUT_UNSEAL", detail, { ...where, ...difference });
  }
  if (opened.some((section) => !shown.includes(section))) {
    const detail = "the transcript lacks sections that were opened";
    report.find("OPENINGS", "SECTION_WRONG_SIZE", detail, { ...where, ...difference });
  }
}

/** Whether the newest receipt names what the UNSEAL of its event opened. */
function examineNewest(
  { unseals }: RoundLeaves,
  { receipt }: Inputs,
  where: { leaf_index: number },
  report: Report,
): void {
  const unseal = unseals.find(({ value }) => value.number === receipt?.number);
  const [said, opens] = [receipt?.opens_section, unseal?.value.opens_section];
  if (receipt === undefined || said === opens) {
    return;
  }
  const difference = differ("inputs.receipt.opens_section", said, opens);
  if (unseal === undefined) {
    const detail = "the newest receipt opens a section, and the log has no UNSEAL of its event";
    report.find("OPENINGS", "OPENED_WITHOUT_UNSEAL", detail, { ...where, ...difference });
  } else {
    const detail = "the newest receipt opens another section than the UNSEAL of its event";
    report.find("OPENINGS", "STREET_OPENED_EARLY", detail, { ...where, ...difference });
  }
}

/** Whether the sections that a certificate shows were open, and since when it says they were. */
export function examineShown(
  { header, open, deal }: RoundLeaves,
  shown: readonly { readonly index: number; readonly unsealed_time?: number }[],
  { atDeal, unsealed }: Opened,
  report: Report,
): void {
  const where = { leaf_index: (deal ?? open).index };
  const stock = sectionsOf(header)?.stock ?? null;
  const isSealed = open.value.seat_tokens !== undefined;
  for (const { index, unsealed_time: time } of shown) {
    const unseal = unsealed.get(index);
    const isOwn = isSealed && index < header.seat_keys.length && time === undefined;
    const isOpen = atDeal.includes(index) || isOwn;
    if (!isOpen && unseal === undefined) {
      if (index !== stock) {
        const detail = `a certificate opens section ${index}, and nothing in the log does`;
        report.find("OPENINGS", "OPENED_WITHOUT_UNSEAL", detail, where);
      }
      continue;
    }
    const expected = isOpen ? undefined : unseal?.unsealed_time;
    if (time !== expected) {
      const detail = `a certificate has another time for the opening of section ${index} than the log`;
      const difference = differ(`sections[${index}].unsealed_time`, time, expected);
      report.find("OPENINGS", "CERTIFICATES_DISAGREE", detail, { ...where, ...difference });
    }
  }
}

function receiptOf(said: UnsealLeaf): EventReceipt {
  const { event_hash, history, number, opens_section, received_time, round_id } = said;
  return { event_hash, history, number, opens_section, received_time, round_id };
}

function unsealedOf({ number, sections, unsealed_time: time }: UnsealLeaf): Inputs["unsealed"][0] {
  return { number, sections, time };
}
