/**
 * Sealed tables: OPEN has a token's hash for each seat, and the transcript says `sealed`. In Mậu
 * Binh each seat commits to its arrangement before any hand is open; the hands open once every seat still in has
 * committed or run out of time, and then each opens exactly what it committed to last.
 */

import { hex, isHex, unhex } from "./bytes.js";
import type { Report } from "./check.js";
import { arrangementCommitment } from "./commitment.js";
import { differ } from "./finding.js";
import { gameOf } from "./header.js";
import { type InputEvent, member, numbers, seatOf } from "./leaf.js";
import type { Placed } from "./reading.js";
import type { RoundLeaves } from "./round-leaves.js";

type Settle = Placed<"SETTLE">;

/** OPEN and transcript agree on whether the table is sealed. */
export function examineSeal({ open }: RoundLeaves, settle: Settle, report: Report): void {
  const { inputs } = settle.value;
  const [isClaimed, isSealed] = [inputs.sealed === 1, open.value.seat_tokens !== undefined];
  if (!isClaimed && !isSealed) {
    report.skip("the table is an open one", "SEAL");
    return;
  }
  report.begin("SEAL");
  const where = { leaf_index: settle.index };
  if (isClaimed !== isSealed) {
    const detail = "OPEN and the transcript do not agree on whether the table was sealed";
    const difference = differ("inputs.sealed", Number(isClaimed), Number(isSealed));
    report.find("SEAL", "SEAL_BROKEN", detail, { ...where, ...difference });
  }
}

/**
 * The place of the first event of a sealed Mậu Binh round that opens what its seat did not commit
 * to, or while others could still choose; the number of events where there is none.
 */
export function examineOpenings({ header, roundId }: RoundLeaves, settle: Settle, report: Report): number {
  const { events, sealed } = settle.value.inputs;
  if (gameOf(header) !== "mau_binh" || sealed !== 1) {
    return events.length;
  }
  const sealing = new Sealing(header.seat_keys.length, roundId);
  for (const [place, event] of events.entries()) {
    const fault = sealing.take(event);
    if (fault === "UNLAWFUL") {
      return events.length;
    }
    if (fault !== null) {
      const detail = `event ${place + 1} of ${events.length}: seat ${seatOf(event.event)} ${fault}`;
      report.find("SEAL", "SEAL_BROKEN", detail, { leaf_index: settle.index });
      return place;
    }
  }
  return events.length;
}

/** How far a sealed round has come, by seat. */
class Sealing {
  readonly #commitments = new Map<number, string>();
  readonly #isDone: boolean[];
  readonly #arranged = new Set<number>();
  #isOpen = false;

  constructor(
    seats: number,
    private readonly roundId: string,
  ) {
    this.#isDone = Array.from({ length: seats }, () => false);
  }

  /** What is wrong with an event; null for nothing, UNLAWFUL where the rules alone refuse it. */
  take(event: InputEvent): string | null {
    const seat = seatOf(event.event);
    if (!(seat in this.#isDone)) {
      return "UNLAWFUL";
    }
    switch (member(event.event, "kind")) {
      case "ARRANGE": {
        const fault = this.#opening(seat, event);
        this.#arranged.add(seat);
        return fault;
      }
      case "COMMIT":
        if (this.#isOpen) {
          return "UNLAWFUL";
        }
        this.#commitments.set(seat, String(member(event.event, "commitment")));
        break;
      case "TIMEOUT":
        if (this.#isOpen || this.#isDone[seat]) {
          return "UNLAWFUL";
        }
        break;
      case "LEAVE":
        break;
      default:
        return "UNLAWFUL";
    }
    this.#isDone[seat] = true;
    this.#isOpen ||= this.#isDone.every(Boolean);
    return null;
  }

  #opening(seat: number, { event }: InputEvent): string | null {
    if (!this.#isOpen) {
      return "arranges while others may still choose their arrangements";
    }
    const commitment = this.#commitments.get(seat);
    if (commitment === undefined) {
      return "arranges and never committed to an arrangement";
    }
    if (this.#arranged.has(seat)) {
      return "UNLAWFUL";
    }
    const cards = ["back", "middle", "front"].flatMap((part) => numbers(member(event, part)));
    const nonce = member(event, "nonce");
    if (nonce === undefined) {
      return "opens nothing by its arrangement";
    }
    if (typeof nonce !== "string" || !isHex(nonce) || !cards.every(isCard)) {
      return "UNLAWFUL";
    }
    const found = { cards, nonce: unhex(nonce) };
    return hex(arrangementCommitment(unhex(this.roundId), seat, found)) === commitment
      ? null
      : "opens another arrangement than it committed to";
  }
}

function isCard(card: number): boolean {
  return card >= 1 && card <= 52;
}
