/**
 * Rounds verified in this page, over the bundle that the log gives out. The verifier trusts nothing in it but two
 * keys, which this browser keeps from the first time it saw them; others for the same log are said to be others.
 */

import { type ClockDifference, unbase64 } from "referee-client/signer";
import type { Check, RoundResult } from "referee-verifier";

import { attending } from "../connection/attending.svelte";
import { clock } from "../connection/clock.svelte";
import { connection } from "../connection/connection.svelte";
import { recall } from "../connection/keepsakes";
import type { Last, LogKeys } from "../connection/messages";
import { compareTimes } from "../connection/times";
import { checkOwn, checkShown, netsOf, timesIn, type OwnCheck, type OwnOutcome } from "./own";

/** Who looks: the seat in its own browser, the seat in one that kept nothing of the round, or another person. */
export type Viewer = "SEAT" | "SEAT_ELSEWHERE" | "OTHER";

export interface Verdict {
  readonly state: "WAITING" | "CHECKING" | "VERIFIED" | "FAILED" | "UNREACHED";
  readonly result?: RoundResult;
  readonly own?: Partial<Record<OwnCheck, OwnOutcome>>;
  readonly viewer?: Viewer;
  /** The codes of checks that failed, in order. */
  readonly failed: readonly string[];
  /** What each seat won or lost, as the referee signed it. */
  readonly nets?: readonly number[];
  readonly trouble?: string;
  readonly areNewKeys?: boolean;
  /** Times of the round that differ from this device's clock: no fault of the round as such. */
  readonly differences?: readonly ClockDifference[];
}

/** By the path of the round's bundle. */
const verdicts = $state<Record<string, Verdict>>({});

export const verdictAt = (path: string): Verdict => verdicts[path] ?? { state: "WAITING", failed: [] };

export const verdictOf = ({ proof }: Last): Verdict => verdictAt(proof?.bundle ?? "");

/** Whether these are other keys than those first seen for the log of this origin. */
function areOther(log: LogKeys): boolean {
  const place = `referee.log.${log.origin}`;
  const keys = `${log.log_key}\n${log.root_key}`;
  try {
    const kept = localStorage.getItem(place);
    if (kept === null) {
      localStorage.setItem(place, keys);
    }
    return kept !== null && kept !== keys;
  } catch {
    return false;
  }
}

/** From now on the log's present keys are the ones known. */
export function acceptKeys(): void {
  const log = connection.welcome?.log;
  if (log !== undefined) {
    localStorage.setItem(`referee.log.${log.origin}`, `${log.log_key}\n${log.root_key}`);
  }
}

/** Verifies a finished round that the table shows, and what it shows of it. */
export async function verify(last: Last): Promise<void> {
  if (last.proof !== undefined) {
    await verifyAt(last.proof.bundle, last);
  }
}

/** Fetches a round's bundle and verifies it; the verdict is kept under its path. */
export async function verifyAt(path: string, last?: Last): Promise<void> {
  const { welcome } = connection;
  if (welcome === null || verdictAt(path).state === "CHECKING") {
    return;
  }
  const { log } = welcome;
  verdicts[path] = { state: "CHECKING", failed: [] };
  try {
    const [bundle, { verifyRound }] = await Promise.all([
      fetchBundle(path).then((fetched) => withHeld(fetched, last?.round_id ?? "")),
      import("referee-verifier"),
    ]);
    const keys = { origin: log.origin, logKey: log.log_key, rootKey: log.root_key };
    const rulesets = welcome.rulesets.map(({ id, version, digest, round_ms }) => ({
      id,
      version,
      digest,
      ...round_ms,
    }));
    const result = verifyRound(bundle, keys, { now: Math.floor(clock.now), rulesets });
    const kept = recall(result.round_id);
    const hasSeat = last?.seats?.some(({ person }) => person === connection.view?.you) === true;
    const own = {
      ...(hasSeat || kept?.seat !== undefined ? checkOwn(bundle, result.round_id, kept) : {}),
      ...(last === undefined ? {} : { SHOWN_RESULT: checkShown(bundle, last) }),
    };
    const failed = [
      ...result.checks.filter(({ outcome }) => outcome === "FAILED").map(({ code }) => code),
      ...Object.entries(own).flatMap(([code, outcome]) => (outcome === "FAILED" ? [code] : [])),
      ...(last === undefined || result.round_id === last.round_id ? [] : ["ROUND_ID"]),
    ];
    const holds = result.passed && failed.length === 0;
    const nets = netsOf(bundle, result.round_id);
    verdicts[path] = {
      state: holds ? "VERIFIED" : "FAILED",
      result,
      failed,
      own,
      viewer: own.OWN_SEED === "PASSED" ? "SEAT" : hasSeat ? "SEAT_ELSEWHERE" : "OTHER",
      areNewKeys: areOther(log),
      differences: compareTimes(result.round_id, timesIn(bundle, result.round_id)),
      ...(nets === undefined ? {} : { nets }),
    };
  } catch (error) {
    const isTheirs = error instanceof Error && /^(Bundle|Spelling|Unreached)Error$/.test(error.name);
    const reached = isTheirs && error.name !== "UnreachedError";
    verdicts[path] = {
      state: reached ? "FAILED" : "UNREACHED",
      failed: reached ? ["BUNDLE"] : [],
      trouble: error instanceof Error ? error.message : String(error),
    };
  }
}

/**
 * The bundle with what this page holds of the round: the certificate that its own sealed hand came with, which has to
 * show the deal in the log, and the receipts of its own moves, which have to be in the settled course.
 */
function withHeld(bundle: object, roundId: string): object {
  const { hand } = attending;
  const moves = recall(roundId)?.moves;
  return {
    ...bundle,
    ...(hand?.roundId === roundId ? { certificates: [new TextDecoder().decode(unbase64(hand.certificate))] } : {}),
    ...(moves === undefined ? {} : { event_receipts: moves }),
  };
}

/** The file of a round's bundle with what this page holds of the round. */
export const bundleFile = async (path: string, roundId: string): Promise<Blob> =>
  new Blob([JSON.stringify(withHeld(await fetchBundle(path), roundId))], { type: "application/json" });

async function fetchBundle(path: string): Promise<object> {
  const response = await fetch(new URL(path, location.href), { cache: "no-store" });
  if (!response.ok) {
    const { reason = "" } = (await response.json().catch(() => ({}))) as { reason?: string };
    const error = new Error(reason || `${response.status}`);
    error.name = "UnreachedError";
    throw error;
  }
  return (await response.json()) as object;
}

export type { Check };
