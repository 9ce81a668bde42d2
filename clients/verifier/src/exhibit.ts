/**
 * What people hold of a round: a certificate and the log must show one deal, and every certificate the same. Two
 * receipts of one round with one number and different histories are noted: asking again makes them. A receipted event,
 * which has the events' bytes and the seat's signature as well, shows a move that was received and dropped.
 *
 * A receipted event: what a player keeps of a move, so that nobody can drop the move unseen. A file in canonical JSON
 * with `events`, the bytes of events 1 to k as texts, `receipt`, the envelope of the referee's receipt of event k, and
 * `signature`, that of its seat in hex, empty where the seat does not sign it.
 *
 * A receipt is the referee's word alone. So a receipted event counts only if its events start from the round's h_0, a
 * seat with a key signed the last one, and it was received between DEAL and SETTLE. Whether that is an event of the
 * game is for those who have its rules.
 */

import { attempt } from "./attempt.js";
import { type Bytes, hex, isHex, SpellingError, unhex, utf8 } from "./bytes.js";
import { decode, encode, type Json } from "./canonical.js";
import { type Certificate, CertificateError, readCertificate, REFUSALS } from "./certificate.js";
import type { CheckCode, Report } from "./check.js";
import { Course } from "./course.js";
import { openEnvelope, parseEnvelope } from "./dsse.js";
import { isSignature, SIGNATURE_SIZE } from "./ed25519.js";
import { type Code, differ, unlike } from "./finding.js";
import { FormError, list, type Of, record, text } from "./form.js";
import { gameOf, NO_KEY } from "./header.js";
import {
  type EventReceipt,
  type InputEvent,
  isTimeout,
  member,
  RECEIPT_TYPE,
  receiptForm,
  type Role,
  seatOf,
} from "./leaf.js";
import { examineShown, type Opened, sectionsOf } from "./opening.js";
import type { Exhibits, HeldSeed, RoundLeaves } from "./round-leaves.js";
import { examineOpened, type OpenedKey, roundIdsIn } from "./secrecy.js";

/** Most bytes of a file; the events of a round that can be settled take less. */
const MAX_SIZE = 131_072;

const receiptedForm = record({ events: list(text), receipt: text, signature: text }, {});

export type ReceiptedEvent = Of<typeof receiptedForm>;

/** The file of a receipted event, in canonical JSON. */
export function writeReceiptedEvent(kept: ReceiptedEvent): string {
  const { events, receipt, signature } = kept;
  return encode({ events, receipt, signature });
}

/** The receipted event in a file; null where it is another file. Nothing is verified here. */
export function readReceiptedEvent(data: Bytes): ReceiptedEvent | null {
  if (data.length > MAX_SIZE) {
    return null;
  }
  const kept = attempt(() => receiptedForm(decode(data), ""), SpellingError, FormError);
  if (kept instanceof Error || kept.events.length === 0) {
    return null;
  }
  return kept.signature === "" || isHex(kept.signature, SIGNATURE_SIZE) ? kept : null;
}

/** The course of the events in a receipted event; null where one of them is not canonical. */
function courseIn({ events }: ReceiptedEvent, roundId: string, deckRoot: string): Course | null {
  const read = (event: string): InputEvent => ({ event: decode(utf8(event)), received: 1, time: 0 });
  const entries = attempt(() => events.map(read), SpellingError);
  return entries instanceof Error ? null : Course.of(roundId, deckRoot, entries);
}

/** Why a receipted event counts for nothing; null where it counts. Whose the receipt is, is asked elsewhere. */
export function receiptedFault(kept: ReceiptedEvent, receipt: EventReceipt, leaves: RoundLeaves): string | null {
  const { deal, settle, header } = leaves;
  if (deal === undefined) {
    return "the round has no DEAL that its events could start from";
  }
  const course = courseIn(kept, leaves.roundId, deal.value.deck_root);
  const last = course?.links[course.number - 1];
  if (course === null || last === undefined) {
    return "an event in it is not canonical";
  }
  if (receipt.number !== course.number || receipt.event_hash !== hex(last.eventHash)) {
    return "its receipt is of other events, or they start from another deal";
  }
  const { received_time: time } = receipt;
  if (time < deal.value.dealt_time || (settle !== undefined && time > settle.value.inputs.closed_time)) {
    return `it was received at ${time}, which is not between the deal and the settlement`;
  }
  const chains = course.seatChains(header.seat_keys);
  const seat = seatOf(last.said);
  const key = header.seat_keys[seat];
  if (chains === null || key === undefined) {
    return "its events do not say which seats made them and what these had seen";
  }
  if (key === NO_KEY || isTimeout(last.said)) {
    return kept.signature === "" ? null : "it has a signature, and its seat signs no such event";
  }
  const move = chains[seat]?.at(-1);
  const isSigned =
    kept.signature !== "" && move !== undefined && isSignature(unhex(kept.signature, SIGNATURE_SIZE), move, unhex(key));
  return isSigned ? null : `the signature of seat ${seat} over the event is missing or is not its own`;
}

/**
 * What a settled course has in place of an event that counts, or that it ends before it; null where it has the event, or
 * another one there. A timeout of a seat with a key is no act of the seat.
 */
export function leftOut(
  kept: ReceiptedEvent,
  receipt: EventReceipt,
  { leaves, course }: { leaves: RoundLeaves; course: Course },
): { code: "MOVE_DROPPED" | "EVENTS_ALTERED"; instead: string } | null {
  const moved = decode(utf8(kept.events.at(-1) ?? ""));
  const isOthers = isTimeout(moved);
  if (isOthers && leaves.header.seat_keys[seatOf(moved)] !== NO_KEY) {
    return null;
  }
  const instead = isOthers ? null : droppedFor(moved, BigInt(receipt.received_time), leaves, course);
  if (instead !== null) {
    return { code: "MOVE_DROPPED", instead };
  }
  const { number } = course;
  return receipt.number > number ? { code: "EVENTS_ALTERED", instead: `ends with event ${number}` } : null;
}

/** What a course has in place of a move: a timeout of its seat or, on an open table of Mậu Binh, nothing from then on. */
function droppedFor(moved: Json, received: bigint, { header, open }: RoundLeaves, course: Course): string | null {
  const [event, seat] = [encode(moved), seatOf(moved)];
  if (course.links.some(({ said }) => encode(said) === event)) {
    return null;
  }
  const later = course.links.filter(({ time, said }) => time >= received && seatOf(said) === seat);
  const timeout = later.find(({ said }) => isTimeout(said));
  if (timeout !== undefined) {
    return `has a timeout of seat ${seat} as event ${course.links.indexOf(timeout) + 1}`;
  }
  const hasTimeouts = open.value.seat_tokens !== undefined || gameOf(header) !== "mau_binh";
  return hasTimeouts || later.length > 0 ? null : `has no event of seat ${seat} from then on`;
}

/**
 * Exhibits by the round that each names; under "" those that name none. An export is under all
 * in it that could be a round's id.
 */
export function byRound(exhibits: Exhibits): Map<string, Exhibits> {
  const none = () => ({
    certificates: [] as Bytes[],
    eventReceipts: [] as Bytes[],
    exports: [] as Bytes[],
    seeds: [] as HeldSeed[],
  });
  const held = new Map<string, ReturnType<typeof none>>();
  const of = (name: string) => {
    const mine = held.get(name) ?? none();
    held.set(name, mine);
    return mine;
  };
  for (const kind of ["certificates", "eventReceipts"] as const) {
    for (const data of exhibits[kind]) {
      of(roundNamed(data))[kind].push(data);
    }
  }
  for (const data of exhibits.exports ?? []) {
    for (const name of roundIdsIn(data)) {
      of(name).exports.push(data);
    }
  }
  for (const seed of exhibits.seeds ?? []) {
    of(seed.roundId).seeds.push(seed);
  }
  return held;
}

/** What people hold of rounds that are not there. */
export function findForeign(
  held: ReadonlyMap<string, Exhibits>,
  isThere: (roundId: string) => boolean,
  find: (check: CheckCode, code: Code, detail: string) => void,
): void {
  for (const [roundId, { certificates, eventReceipts, seeds }] of held) {
    if (isThere(roundId)) {
      continue;
    }
    const name = `${roundId === "" ? "no round" : `round ${roundId}`}, which is not at hand`;
    if (certificates.length > 0) {
      find("CERTIFICATES", "CERTIFICATE_REFUSED", `a certificate is of ${name}`);
    }
    if (eventReceipts.length > 0) {
      find("EVENT_RECEIPTS", "RECEIPT_REFUSED", `an event receipt is of ${name}`);
    }
    if (seeds !== undefined && seeds.length > 0) {
      find("CLIENT_SEEDS", "HELD_SEED_REFUSED", `a seed was handed in for ${name}`);
    }
  }
}

/** What certificates that agree with DEAL show: the roots of all sections, and what they open. */
export interface Certified {
  readonly roots: string[];
  readonly opened: OpenedKey[];
}

/** What certificates and receipts show, held against the course, the UNSEALs and one another. */
export function examineExhibits(leaves: RoundLeaves, course: Course | null, inLog: Opened, report: Report): Certified {
  const certified = examineCertificates(leaves, inLog, report);
  examineReceipts(leaves, course, report);
  return certified;
}

function examineCertificates(leaves: RoundLeaves, inLog: Opened, report: Report): Certified {
  let roots: string[] = [];
  const opened: OpenedKey[] = [];
  const stock = sectionsOf(leaves.header)?.stock ?? null;
  const keys = keysOf(leaves, "shuffler");
  const where = { leaf_index: (leaves.deal ?? leaves.open).index };
  for (const [number, data] of leaves.exhibits.certificates.entries()) {
    report.begin("CERTIFICATES");
    const shown = attempt(() => readCertificate(data, keys, leaves.header), CertificateError);
    if (shown instanceof CertificateError) {
      const detail = `certificate ${number} is refused: ${shown.fault}: ${shown.message}`;
      report.find("CERTIFICATES", codeOf(shown), detail, where);
    } else if (agrees(shown, leaves, number, report)) {
      roots = shown.section_roots;
      const mine = shown.sections.map(({ index, key }) => ({ section: index, key }));
      examineOpened(mine, stock, where, report);
      examineShown(leaves, shown.sections, inLog, report);
      opened.push(...mine);
    }
  }
  return { roots, opened };
}

/**
 * Receipts that people hold agree with one another and, where the round was settled, with its
 * course; none may be of a later event, or open another section than an UNSEAL of its number.
 */
function examineReceipts(leaves: RoundLeaves, course: Course | null, report: Report): void {
  const keys = keysOf(leaves, "referee");
  const known = new Map<number, string>();
  const where = { leaf_index: (leaves.deal ?? leaves.open).index };
  for (const [place, data] of leaves.exhibits.eventReceipts.entries()) {
    report.begin("EVENT_RECEIPTS");
    const kept = readReceiptedEvent(data);
    const receipt = readReceipt(kept === null ? data : utf8(kept.receipt), keys);
    if (receipt === null) {
      const detail = `event receipt ${place} is not signed by the referee, or is no event receipt`;
      report.find("EVENT_RECEIPTS", "RECEIPT_REFUSED", detail, where);
      continue;
    }
    const fault = kept === null ? null : receiptedFault(kept, receipt, leaves);
    if (fault !== null) {
      report.find("EVENT_RECEIPTS", "RECEIPT_REFUSED", `receipted event ${place} counts for nothing: ${fault}`, where);
      continue;
    }
    if (kept !== null && isLeftOut(kept, receipt, { leaves, course, report })) {
      continue;
    }
    const { number, event_hash: hash, opens_section: section } = receipt;
    const settled = course?.links[number - 1]?.eventHash;
    const isAfter = course !== null && settled === undefined;
    const other = settled === undefined ? (known.get(number) ?? (isAfter ? "absent" : hash)) : hex(settled);
    known.set(number, other);
    const unseal = leaves.unseals.find(({ value }) => value.number === number);
    if (other !== hash) {
      const detail = `number ${number} has receipts of two courses, or the settlement has another`;
      report.find("EVENT_RECEIPTS", "FORKED_RECEIPTS", detail, { ...where, ...unlike(`h_${number}`, other, hash) });
    } else if (unseal !== undefined && unseal.value.opens_section !== section) {
      const detail = `a receipt of event ${number} opens another section than its UNSEAL`;
      const difference = differ("opens_section", section, unseal.value.opens_section);
      report.find("OPENINGS", "STREET_OPENED_EARLY", detail, { ...where, ...difference });
    }
  }
}

/** Whether the settlement dropped an event that counts, or ends before it; report it. */
function isLeftOut(
  kept: ReceiptedEvent,
  receipt: EventReceipt,
  { leaves, course, report }: { leaves: RoundLeaves; course: Course | null; report: Report },
): boolean {
  const { deal, open, settle } = leaves;
  const found = course === null || settle === undefined ? null : leftOut(kept, receipt, { leaves, course });
  if (found === null || settle === undefined) {
    return false;
  }
  const { number, received_time: time } = receipt;
  const isDropped = found.code === "MOVE_DROPPED";
  const why = isDropped ? ": frontend and operator can each have caused it, and neither is proved" : "";
  const detail = `event ${number} was received at ${time}, and the settled course ${found.instead}${why}`;
  report.find("EVENT_RECEIPTS", found.code, detail, { leaf_index: isDropped ? settle.index : (deal ?? open).index });
  return true;
}

function agrees(shown: Certificate, { open, deal, settle }: RoundLeaves, number: number, report: Report): boolean {
  if (deal === undefined) {
    const detail = `certificate ${number} is of a round that has no DEAL`;
    report.find("CERTIFICATES", "CERTIFICATES_DISAGREE", detail, { leaf_index: open.index });
    return false;
  }
  const claimed: [keyof Certificate, unknown][] = [
    ["deck_root", deal.value.deck_root],
    ["mix", deal.value.mix],
    ["dealt_time", deal.value.dealt_time],
    ["leader", deal.value.leader],
    ["leader_by", deal.value.leader_by],
    ["server_commitment", open.value.server_commitment],
  ];
  for (const [name, value] of claimed) {
    if (shown[name] !== value) {
      const detail = `certificate ${number} shows another deal than the log`;
      const where = { leaf_index: deal.index, ...differ(name, value, shown[name]) };
      report.find("CERTIFICATES", "CERTIFICATES_DISAGREE", detail, where);
      return false;
    }
  }
  const sections = settle?.value.inputs.sections ?? [];
  for (const { cards, index } of shown.sections) {
    const section = sections[index];
    if (settle !== undefined && section !== undefined && section.join() !== cards.join()) {
      const detail = `certificate ${number} opens other cards than the transcript has`;
      const where = { leaf_index: settle.index, ...differ(`inputs.sections[${index}]`, section, cards) };
      report.find("CERTIFICATES", "CARDS_MISMATCH", detail, where);
    }
  }
  return true;
}

function codeOf({ fault }: CertificateError): Code {
  if (fault === "WRONG_SIZE") {
    return "SECTION_WRONG_SIZE";
  }
  return fault === "DUPLICATE_CARD" ? "DUPLICATE_CARD" : "CERTIFICATE_REFUSED";
}

function readReceipt(data: Bytes, keys: Bytes[]): EventReceipt | null {
  const open = () => openEnvelope(data, { type: RECEIPT_TYPE, keys });
  const receipt = attempt(() => receiptForm(decode(open()), ""), ...REFUSALS);
  return receipt instanceof Error || receipt.number < 1 ? null : receipt;
}

/** The round that an exhibit names, whatever else is wrong with it; "" where it names none. */
function roundNamed(data: Bytes): string {
  const kept = readReceiptedEvent(data);
  const envelope = kept === null ? data : utf8(kept.receipt);
  const json = attempt(() => decode(parseEnvelope(envelope).payload), ...REFUSALS);
  const named = json instanceof Error ? undefined : member(json, "round_id");
  return typeof named === "string" ? named : "";
}

/** The role's keys that were in force at any leaf of the round. */
function keysOf({ open, deal, unseals, settle, abort }: RoundLeaves, role: Role): Bytes[] {
  const rings = [open, deal, ...unseals, settle, abort].flatMap((placed) => (placed ? [placed.ring] : []));
  const keys = rings.flatMap((ring) => ring.of(role));
  return [...new Map(keys.map((key) => [hex(key), key])).values()];
}
