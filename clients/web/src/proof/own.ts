/**
 * What only this page can check: that the log has the seed which this browser put into the shuffle and the cards that it
 * showed as its seat's, and that the payouts shown are those that the referee signed. The verifier has proved by then that
 * the leaves are the log's.
 */

import { unbase64 } from "referee-client/signer";

import { numberOf } from "../cards/card";
import type { Keepsake } from "../connection/keepsakes";
import type { Last } from "../connection/messages";
import type { DatedTime } from "../connection/times";

export const OWN_CHECKS = ["OWN_SEED", "OWN_CARDS", "SHOWN_RESULT"] as const;
export type OwnCheck = (typeof OWN_CHECKS)[number];
export type OwnOutcome = "PASSED" | "FAILED" | "NOT_CHECKED";

interface SignedTransfer {
  readonly amount: number;
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

/** The payloads of a bundle's leaves that speak of one round; what cannot be read is left out. */
function payloadsOf(bundle: unknown, roundId: string): Record<string, unknown>[] {
  const { leaves } = bundle as { leaves: { leaf: string }[] };
  const read = ({ leaf }: { leaf: string }): Record<string, unknown>[] => {
    try {
      const { payload } = JSON.parse(leaf) as { payload: string };
      const text = new TextDecoder().decode(unbase64(payload));
      const value = JSON.parse(text) as Record<string, unknown>;
      return value["round_id"] === roundId ? [value] : [];
    } catch {
      return [];
    }
  };
  return leaves.flatMap(read);
}

const spelt = (rows: readonly (readonly [number, number, number, string])[]): string =>
  rows
    .map((row) => row.join(" "))
    .sort()
    .join("\n");

const outcome = (isKnown: boolean, holds: () => boolean): OwnOutcome =>
  isKnown ? (holds() ? "PASSED" : "FAILED") : "NOT_CHECKED";

/** What this browser's seat can check of a round; `kept` is null in a browser that kept nothing of it. */
export function checkOwn(
  bundle: unknown,
  roundId: string,
  kept: Pick<Keepsake, "seed" | "seat" | "hand"> | null,
): Record<"OWN_SEED" | "OWN_CARDS", OwnOutcome> {
  const payloads = payloadsOf(bundle, roundId);
  const { seed, seat = -1, hand = [] } = kept ?? {};
  const seeds = payloads.find((one) => "client_seeds" in one)?.["client_seeds"] as string[] | undefined;
  const inputs = payloads.find((one) => "inputs" in one)?.["inputs"] as { sections: number[][] } | undefined;
  return {
    OWN_SEED: outcome(seat >= 0 && seeds !== undefined, () => seeds?.[seat] === seed),
    OWN_CARDS: outcome(seat >= 0 && hand.length > 0 && inputs !== undefined, () =>
      hand.every((card) => inputs?.sections[seat]?.includes(numberOf(card)) === true),
    ),
  };
}

/** Whether the payouts shown for a round are those of its settlement. */
export function checkShown(bundle: unknown, last: Last): OwnOutcome {
  const results = payloadsOf(bundle, last.round_id).find((one) => "results" in one)?.["results"] as
    { transfers: SignedTransfer[] } | undefined;
  return outcome(
    results !== undefined && last.transfers !== undefined,
    () =>
      spelt((last.transfers ?? []).map((one) => [one.payer, one.payee, one.amount_minor, one.reason])) ===
      spelt((results?.transfers ?? []).map((one) => [one.from, one.to, one.amount, one.reason])),
  );
}

/** The times of a round as the log's leaves have them, to compare with this device's clock. */
export function timesIn(bundle: unknown, roundId: string): DatedTime[] {
  interface Leaf {
    readonly opened_time?: number;
    readonly dealt_time?: number;
    readonly unsealed_time?: number;
    readonly number?: number;
    readonly inputs?: { readonly events: readonly { readonly time: number }[] };
  }
  return payloadsOf(bundle, roundId).flatMap((payload): DatedTime[] => {
    const { opened_time, dealt_time, unsealed_time, number = 0, inputs } = payload as Leaf;
    return [
      ...(opened_time === undefined ? [] : [["OPEN", opened_time, 0] as const]),
      ...(dealt_time === undefined ? [] : [["DEAL", dealt_time, 0] as const]),
      ...(unsealed_time === undefined ? [] : [["UNSEAL", unsealed_time, number] as const]),
      ...(inputs?.events ?? []).map(({ time }, place) => ["EVENT", time, place + 1] as const),
    ];
  });
}

/** The nets by seat in the settlement of a round; undefined where none was. */
export function netsOf(bundle: unknown, roundId: string): number[] | undefined {
  const results = payloadsOf(bundle, roundId).find((one) => "results" in one)?.["results"];
  const seats = (results as { seats?: readonly { net?: number }[] } | undefined)?.seats;
  return seats?.map(({ net }) => net ?? 0);
}
