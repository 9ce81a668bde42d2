/**
 * Cards opened by events. The newest receipt says which of them open, and the log has that before anyone sees them.
 */

import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type Course,
  CourseError,
  type CourseReceipt,
  hex,
  parseEnvelope,
  RECEIPT_TYPE,
  sectionsOf,
  unhex,
} from "referee-verifier/protocol";
import { DealtRound } from "./dealing.js";
import { VerificationError } from "./errors.js";
import type { GameTypes } from "./game.js";
import { type OpenSectionRequestSchema, ShufflerService } from "./gen/referee/v1/shuffler_pb.js";
import { present, same } from "./terms.js";
import { verified } from "./trust.js";

/** A round whose cards open as it is played. */
export class OpeningRound<Types extends GameTypes> extends DealtRound<Types> {
  /** The answer to an event whose cards did not open yet, and the event's choice. */
  protected unopened: { readonly choice: string; readonly answer: Types["accepted"] } | undefined;

  /**
   * Open the cards that the newest receipt opens; the opening is in the log, and the cards are the
   * deal's. `acceptEvent` does it by itself, and asks again where the answer was lost.
   */
  async openSection(): Promise<void> {
    const envelope = present(this.message.receipt, "receipt");
    const receipt = await this.receipted(envelope, this.course);
    const request: MessageInitShape<typeof OpenSectionRequestSchema> = {
      ...this.place,
      steps: this.course.steps(receipt.number),
      receipt: envelope,
    };
    const answer = await this.session.line.ask(ShufflerService.method.openSection, request);
    const proved = await this.prove(answer.logReceipt, "UNSEAL");
    const { value } = proved.placed;
    const link = this.course.links[receipt.number - 1];
    const signature = parseEnvelope(envelope).signature ?? new Uint8Array();
    same(
      "the logged opening",
      [value.number, value.event_hash, value.history, value.received_time, value.opens_section],
      [
        receipt.number,
        link && hex(link.eventHash),
        link && hex(link.history),
        Number(receipt.receivedTime),
        receipt.opensSection,
      ],
    );
    same("the receipt in the logged opening", value.receipt_signature, hex(signature));
    same("the time of the opening", Number(answer.unsealedTime), value.unsealed_time);
    if (!this.leaves.unseals.some(({ index }) => index === proved.index)) {
      this.leaves.unseals.push(proved);
    }
    const since = receipt.number === this.course.number ? this.clock.eventSent : 0;
    this.clock.compare("UNSEAL", value.unsealed_time, since, receipt.number);
    const before = new Set(this.sections.keys());
    await this.takeCertificate(answer.certificate);
    for (const section of value.sections) {
      same(`the time of section ${section}`, this.unsealed.get(section), value.unsealed_time);
    }
    for (const section of this.sections.keys()) {
      if (!before.has(section) && !value.sections.includes(section)) {
        throw new VerificationError(`section ${section} opened, and the logged opening lacks it`);
      }
    }
    this.checkHands(answer.hands, value.sections);
    const opened = answer.opened.map(({ section, cards }) => [section, cards]);
    const board = [...this.sections].filter(([section]) => section >= this.terms.seats);
    same("the sections answered", opened, this.#inOrder(board));
    same("the section answered", answer.section, value.opens_section);
    same("its cards", answer.cards, this.sections.get(answer.section));
    await this.examine();
    this.unopened = undefined;
  }

  /** What an event receipt says; the referee signed it, and it is of this course. */
  protected async receipted(envelope: Uint8Array, course: Course): Promise<CourseReceipt> {
    const since = this.opened.index;
    await this.session.check((believed) => believed.open(envelope, RECEIPT_TYPE, { role: "referee", since }));
    return refusing(() => course.receipt(envelope));
  }

  /** Open the cards that an accepted event opens, where that is still to be done. */
  protected async openLeft(): Promise<void> {
    if (this.unopened !== undefined) {
      await this.session.repeating.untilAnswered(() => this.openSection());
    }
  }

  protected get deckRoot(): Uint8Array {
    return unhex(this.dealt.placed.value.deck_root);
  }

  /** Sections in the order they open. */
  #inOrder<T>(sections: [number, T][]): [number, T][] {
    const order = sectionsOf(this.header)?.order ?? [];
    return sections.sort(([one], [other]) => order.indexOf(one) - order.indexOf(other));
  }
}

/** Run a check of a course; what it refuses becomes a VerificationError. */
export function refusing<T>(check: () => T): T {
  try {
    return verified("the event's receipt", check);
  } catch (error) {
    throw error instanceof CourseError ? new VerificationError(error.message) : error;
  }
}
