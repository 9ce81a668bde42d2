/**
 * What only this page can check: that the log has the seed which this browser put into the shuffle, and that the payouts
 * shown here are those that the referee signed. The verifier has proved by then that the leaves are the log's.
 */

import { unbase64 } from "referee-verifier/bytes";

import type { Last } from "../connection/messages";

export const OWN_CHECKS = ["OWN_SEED", "SHOWN_RESULT"] as const;
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

export function checkOwn(
  bundle: unknown,
  last: Last,
  own: { readonly seed: string | undefined; readonly seat: number },
): Record<OwnCheck, OwnOutcome> {
  const payloads = payloadsOf(bundle, last.round_id);
  const seeds = payloads.find((one) => "client_seeds" in one)?.["client_seeds"] as
    string[] | undefined;
  const results = payloads.find((one) => "results" in one)?.["results"] as
    { transfers: SignedTransfer[] } | undefined;
  const outcome = (known: boolean, holds: () => boolean): OwnOutcome =>
    known ? (holds() ? "PASSED" : "FAILED") : "NOT_CHECKED";
  return {
    OWN_SEED: outcome(
      own.seed !== undefined && own.seat >= 0 && seeds !== undefined,
      () => seeds?.[own.seat] === own.seed,
    ),
    SHOWN_RESULT: outcome(
      results !== undefined && last.transfers !== undefined,
      () =>
        spelt(
          (last.transfers ?? []).map((one) => [one.payer, one.payee, one.amount_minor, one.reason]),
        ) ===
        spelt((results?.transfers ?? []).map((one) => [one.from, one.to, one.amount, one.reason])),
    ),
  };
}

/** The nets by seat in the settlement of a round; undefined where none was. */
export function netsOf(bundle: unknown, roundId: string): number[] | undefined {
  const results = payloadsOf(bundle, roundId).find((one) => "results" in one)?.["results"];
  const seats = (results as { seats?: readonly { net?: number }[] } | undefined)?.seats;
  return seats?.map(({ net }) => net ?? 0);
}
