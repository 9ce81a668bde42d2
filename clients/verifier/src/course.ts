/**
 * The course of a round: its events as hashes that cover all before them, and what is signed over these.
 *
 *     h_0 = TH("transcript", round_id, deck_root)
 *     h_k = TH("event", h_{k-1}, u32 k, event bytes)               k = 1, 2, ..
 *     r_0 = h_0
 *     r_k = TH("history", r_{k-1}, h_k, u64 time, u8 received)     the course with its times
 *     g_{i,0} = TH("seat", h_0, u8 i)
 *     g_{i,j} = TH("move", g_{i,j-1}, h_s, event bytes)            seat i's own events
 *
 * Event bytes are the canonical JSON of the seat's choice; s is the newest event that its player had seen. The
 * referee's newest receipt signs h_k and r_k, each seat's newest signature g_{i,j}: so each speaks for all before it.
 */

import { type Bytes, hex, isHex, unhex, utf8 } from "./bytes.js";
import { encode } from "./canonical.js";
import { pae } from "./dsse.js";
import { isSignature, SIGNATURE_SIZE } from "./ed25519.js";
import { taggedHash, u32, u64, u8 } from "./encoding.js";
import { isTimeout, member, seatOf } from "./events.js";
import { NO_KEY } from "./header.js";
import { type EventReceipt, type InputEvent, type Inputs, RECEIPT_TYPE } from "./leaf.js";
import type { EventLevel } from "./level.js";

/** g_{i,0} of a seat; `start` is h_0. */
export function firstMove(start: Bytes, seat: number): Bytes {
  return taggedHash("seat", start, u8(seat));
}

/** g_{i,j} of an event, after g_{i,j-1}; `seenHash` is h_s. */
export function nextMove(previous: Bytes, seenHash: Bytes, event: Bytes): Bytes {
  return taggedHash("move", previous, seenHash, event);
}

export class Course {
  /** h_0 to h_n. */
  readonly hashes: readonly Bytes[];
  /** r_0 to r_n. */
  readonly histories: readonly Bytes[];

  constructor(
    readonly roundId: string,
    deckRoot: string,
    readonly events: readonly InputEvent[],
  ) {
    const first = taggedHash("transcript", unhex(roundId), unhex(deckRoot));
    const [hashes, histories] = [[first], [first]];
    let [hash, history] = [first, first];
    for (const [place, { event, received, time }] of events.entries()) {
      hash = taggedHash("event", hash, u32(place + 1), utf8(encode(event)));
      history = taggedHash("history", history, hash, u64(time), u8(received));
      hashes.push(hash);
      histories.push(history);
    }
    [this.hashes, this.histories] = [hashes, histories];
  }

  /** The receipt of an event; null where there is no such event. */
  receipt(number: number, opensSection: number | undefined): EventReceipt | null {
    const [event, hash, history] = [this.events[number - 1], this.hashes[number], this.histories[number]];
    if (event === undefined || hash === undefined || history === undefined) {
      return null;
    }
    return {
      event_hash: hex(hash),
      history: hex(history),
      number,
      received_time: event.time,
      round_id: this.roundId,
      ...(opensSection === undefined ? {} : { opens_section: opensSection }),
    };
  }

  /** g_{i,0} to g_{i,j} by seat; null where `seen` is missing, needless, or not below its event. */
  seatChains(seatKeys: readonly string[]): Bytes[][] | null {
    const first = this.hashes[0] as Bytes;
    const chains = seatKeys.map((_, seat) => [firstMove(first, seat)]);
    for (const [place, entry] of this.events.entries()) {
      const [seat, seen] = [seatOf(entry), member(entry.event, "seen")];
      const chain = chains[seat];
      if (chain === undefined || seatKeys[seat] === NO_KEY || isTimeout(entry)) {
        if (seen !== undefined) {
          return null;
        }
        continue;
      }
      const seenHash = typeof seen === "number" && seen <= place ? this.hashes[seen] : undefined;
      if (seenHash === undefined) {
        return null;
      }
      const last = chain[chain.length - 1] as Bytes;
      chain.push(nextMove(last, seenHash, utf8(encode(entry.event))));
    }
    return chains;
  }

  /** The seats whose signature is not over exactly what they did; null where no chain can be made. */
  unsignedSeats(seatKeys: readonly string[], signatures: readonly string[]): number[] | null {
    const chains = this.seatChains(seatKeys);
    if (chains === null || signatures.length !== seatKeys.length) {
      return null;
    }
    return chains.flatMap((chain, seat) => {
      const [key, text, last] = [seatKeys[seat] ?? NO_KEY, signatures[seat] ?? "", chain[chain.length - 1]];
      const isSigned =
        chain.length === 1
          ? text === ""
          : isHex(text, SIGNATURE_SIZE) && isSignature(unhex(text, SIGNATURE_SIZE), last as Bytes, unhex(key));
      return isSigned ? [] : [seat];
    });
  }

  /** What is wrong with the newest receipt, under the referee's keys; null where nothing is. */
  receiptFault(receipt: Inputs["receipt"], keys: readonly Bytes[]): string | null {
    const newest = this.events.reduce((last, { received }, at) => (received ? at + 1 : last), 0);
    if (receipt === undefined) {
      return newest === 0 ? null : `event ${newest} was received, and there is no receipt`;
    }
    if (receipt.number !== newest || newest === 0) {
      return `the receipt is of event ${receipt.number}, and the last one received is ${newest}`;
    }
    const rebuilt = this.receipt(receipt.number, receipt.opens_section);
    return rebuilt !== null && isReceipted(rebuilt, receipt.signature, keys)
      ? null
      : `the referee did not sign event ${newest} after these events, times and flags`;
  }

  /** The lowest level of the events. */
  level(seatKeys: readonly string[]): EventLevel {
    const levels = this.events.map((entry): EventLevel => {
      const isKeyed = (seatKeys[seatOf(entry)] ?? NO_KEY) !== NO_KEY;
      return entry.received === 0 ? "E0" : isKeyed ? "E2" : "E1";
    });
    return levels.sort()[0] ?? "NONE";
  }
}

/** Whether one of the keys signed exactly this receipt; the signature is hex. */
export function isReceipted(receipt: EventReceipt, signature: string, keys: readonly Bytes[]): boolean {
  if (!isHex(signature, SIGNATURE_SIZE)) {
    return false;
  }
  const message = pae(RECEIPT_TYPE, utf8(encode(receipt)));
  return keys.some((key) => isSignature(unhex(signature, SIGNATURE_SIZE), message, key));
}
