/**
 * A SETTLE leaf: its header is OPEN's, its deal is DEAL's, the result was found from exactly these
 * events, the newest receipt and the seats' signatures are over them, cards come from the hands that held them,
 * and the money adds up. What the rules make of the events is not asked: no game is played here.
 */

import { hex } from "./bytes.js";
import { encode } from "./canonical.js";
import type { Report } from "./check.js";
import { Course } from "./course.js";
import { type Code, differ, type Where } from "./finding.js";
import { gameOf, type Header } from "./header.js";
import { examineSettledLeader } from "./lead.js";
import { member, numbers } from "./leaf.js";
import { examineMoney } from "./money.js";
import { examineSettledOpenings, type Opened } from "./opening.js";
import type { Placed } from "./reading.js";
import type { RoundLeaves } from "./round-leaves.js";
import { examineOpenings, examineSeal } from "./seal.js";

type Settle = Placed<"SETTLE">;

/** What a settlement gives to later checks: its sections and its course, if they are sound. */
export interface Settled {
  readonly sections: number[][];
  readonly course: Course | null;
}

export const NOTHING_SETTLED: Settled = { sections: [], course: null };

/** How the header of a transcript is unlike OPEN's, by the first member that is; null for equal. */
export function headerFault(settled: Header, opened: Header): { code: Code; where: Where } | null {
  const names = (Object.keys(opened) as (keyof Header)[])
    .sort()
    .filter((name) => encode(settled[name]) !== encode(opened[name]));
  const [name] = names;
  if (name === undefined) {
    return null;
  }
  const where = differ(`inputs.header.${name}`, settled[name], opened[name]);
  if (names.includes("table_id") || names.includes("round_number")) {
    return { code: "SETTLED_OTHER_ROUND", where };
  }
  const areStakes = names.every((one) => one === "stake" || one === "seat_stakes");
  return { code: areStakes ? "STAKE_MISMATCH" : "HEADER_MISMATCH", where };
}

export function examineSettlement(leaves: RoundLeaves, settle: Settle, opened: Opened, report: Report): Settled {
  const { inputs } = settle.value;
  const where = { leaf_index: settle.index };
  report.begin("SETTLED_HEADER");
  const fault = headerFault(inputs.header, leaves.header);
  if (fault !== null) {
    const detail = "the transcript has another header than OPEN";
    report.find("SETTLED_HEADER", fault.code, detail, { ...where, ...fault.where });
    const rest = ["CARDS", "EVENT_CHAIN", "ATTESTATIONS", "HELD_CARDS", "MONEY"] as const;
    report.skip("the transcript is of another header", ...rest);
    return NOTHING_SETTLED;
  }
  examineSettledDeal(leaves, settle, report);
  examineSeal(leaves, settle, report);
  if (inputs.closed_time > leaves.header.round_deadline) {
    const detail = `it was settled at ${inputs.closed_time}, after the round's deadline ${leaves.header.round_deadline}`;
    report.find("TIMES", "SETTLED_LATE", detail, where);
  }
  const sections = soundSections(leaves, settle, report);
  if (sections.length === 0 || report.has("DUPLICATE_CARD")) {
    const rest = ["EVENT_CHAIN", "ATTESTATIONS", "HELD_CARDS", "MONEY"] as const;
    report.skip("no deal can have the cards of the settlement", ...rest);
    return { sections, course: null };
  }
  const course = Course.of(leaves.roundId, inputs.deck_root, inputs.events);
  examineAttestations(leaves, settle, course, report);
  examineSettledOpenings(leaves, settle, course, opened, report);
  if (examineChain(settle, course, report)) {
    examineMoney(leaves, settle, report);
  } else {
    report.skip("the result was found from other events", "MONEY");
  }
  const broken = examineOpenings(leaves, settle, report);
  examineHeldCards(leaves, settle, broken, report);
  return { sections, course };
}

function examineSettledDeal(leaves: RoundLeaves, settle: Settle, report: Report): void {
  const { inputs } = settle.value;
  const { deal } = leaves;
  if (deal === undefined) {
    return;
  }
  const where = { leaf_index: settle.index };
  if (inputs.dealt_time !== deal.value.dealt_time) {
    const detail = "the transcript has another time of the deal than DEAL";
    const difference = differ("inputs.dealt_time", inputs.dealt_time, deal.value.dealt_time);
    report.find("SETTLED_HEADER", "DEAL_MISMATCH", detail, { ...where, ...difference });
  }
  examineSettledLeader(deal, settle, report);
}

/**
 * The sections settled, where they are the layout's from the first on and of cards that exist; none
 * otherwise. A card that is there twice is found and still compared with the deal.
 */
function soundSections(leaves: RoundLeaves, settle: Settle, report: Report): number[][] {
  const { sections } = settle.value.inputs;
  const { layout, seat_keys: seats } = leaves.header;
  const where = { leaf_index: settle.index };
  const sizes = sections.map((section) => section.length);
  const isCut = sizes.every((size, index) => size === layout[index]);
  if (!isCut || sizes.length < seats.length) {
    const difference = differ("inputs.sections", sizes, layout);
    report.find("CARDS", "SECTION_WRONG_SIZE", "the sections are not the layout's", { ...where, ...difference });
    return [];
  }
  const cards = sections.flat();
  const unknown = cards.filter((card) => card < 1 || card > 52);
  if (unknown.length > 0) {
    report.find("CARDS", "CARDS_MISMATCH", `no card has the numbers ${unknown.join(", ")}`, where);
    return [];
  }
  const twice = cards.filter((card, place) => cards.indexOf(card) !== place);
  if (twice.length > 0) {
    report.find("CARDS", "DUPLICATE_CARD", `cards ${twice.join(", ")} are there more than once`, where);
  }
  return sections;
}

/** Whether the result was found from these events. */
function examineChain(settle: Settle, course: Course, report: Report): boolean {
  report.begin("EVENT_CHAIN");
  const claimed = member(settle.value.results, "events_hash");
  const found = lastHash(course);
  if (claimed === found) {
    return true;
  }
  const where = { leaf_index: settle.index, ...differ("results.events_hash", claimed, found) };
  report.find("EVENT_CHAIN", "EVENTS_ALTERED", "the events are not those that the result was found from", where);
  return false;
}

function lastHash(course: Course): string {
  return hex(course.hashAt(course.number));
}

/** Whether the newest receipt and each seat's newest signature speak for the whole course. */
function examineAttestations(
  { header, deal, open }: RoundLeaves,
  settle: Settle,
  course: Course,
  report: Report,
): void {
  const { inputs, results } = settle.value;
  if (inputs.events.length > 0 || inputs.receipt !== undefined) {
    report.begin("ATTESTATIONS");
  }
  const where = { leaf_index: settle.index };
  const keys = settle.ring.since("referee", (deal ?? open).index);
  const fault = course.receiptFault(inputs.receipt, keys);
  if (fault !== null) {
    const isBeyond = (inputs.receipt?.number ?? 0) > inputs.events.length;
    const isOther = isBeyond || member(results, "events_hash") !== lastHash(course);
    const code = isOther ? "EVENTS_ALTERED" : "HISTORY_ALTERED";
    report.find("ATTESTATIONS", code, fault, where);
    return;
  }
  const unsigned = course.unsignedSeats(header.seat_keys, inputs.signatures);
  if (unsigned === null) {
    const detail = "there is not a signature for each seat, or an event does not say what its player had seen";
    report.find("ATTESTATIONS", "EVENT_UNSIGNED", detail, where);
  }
  for (const seat of unsigned ?? []) {
    const detail = `the signature of seat ${seat} is not over exactly what it did`;
    report.find("ATTESTATIONS", "EVENT_UNSIGNED", detail, where);
  }
}

/**
 * Cards in an event are the seat's own: an arrangement is its hand, a play's cards still held. The
 * events before place `end` are looked at, where a seal was broken that nothing follows from.
 */
function examineHeldCards(leaves: RoundLeaves, settle: Settle, end: number, report: Report): void {
  const game = gameOf(leaves.header);
  if (game !== "mau_binh" && game !== "tien_len") {
    return;
  }
  report.begin("HELD_CARDS");
  const { events, sections } = settle.value.inputs;
  const hands = sections.map((section) => new Set(section));
  for (const [place, { event }] of events.slice(0, end).entries()) {
    const kind = member(event, "kind");
    const parts = { ARRANGE: ["back", "middle", "front"], PLAY: ["cards"] }[String(kind)] ?? [];
    const cards = parts.flatMap((part) => numbers(member(event, part)));
    const seat = member(event, "seat");
    const hand = typeof seat === "number" ? hands[seat] : undefined;
    const foreign = cards.filter((card, at) => !hand?.has(card) || cards.indexOf(card) !== at);
    if (foreign.length > 0 || (kind === "ARRANGE" && cards.length !== hand?.size)) {
      report.find(
        "HELD_CARDS",
        "CARD_NOT_IN_HAND",
        `event ${place + 1} of ${events.length} uses cards that seat ${String(seat)} does not hold`,
        { leaf_index: settle.index, ...differ(`inputs.events[${place}].event`, cards, [...(hand ?? [])]) },
      );
      return;
    }
    if (kind === "PLAY") {
      cards.forEach((card) => hand?.delete(card));
    }
  }
}
