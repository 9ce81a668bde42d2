/**
 * A server's word checked, by the verifier that shares no code with it: a log receipt at once, a
 * whole round once its seed is revealed. The keys should come from somewhere else than the server.
 */

import {
  type Keys,
  type LogSource,
  type Options,
  pagesOf,
  type ProofResult,
  type RoundResult,
  verifyProof,
  verifyRound as verifyBundle,
} from "referee-verifier";
import { base64, hex } from "referee-verifier/protocol";
import { RoundStage } from "./gen/referee/v1/log_pb.js";
import type { LogReceipt } from "./gen/referee/v1/round_pb.js";
import type { Referee } from "./referee.js";

export type { Keys, ProofResult, RoundResult } from "referee-verifier";

const utf8 = new TextEncoder();
const text = new TextDecoder();
const [OPEN_TYPE, SETTLE_TYPE, ABORT_TYPE] = ["open", "settle", "abort"].map(
  (name) => `application/vnd.referee.${name}.v1+json`,
);

/** A log receipt as a C2SP tlog-proof, which common tools read. */
export function receiptText({ leafIndex, inclusionProof, checkpoint }: LogReceipt): string {
  const proof = inclusionProof.map((hash) => `${base64(hash)}\n`).join("");
  return `c2sp.org/tlog-proof@v1\nindex ${leafIndex}\n${proof}\n${checkpoint}`;
}

/** Verify that the leaf of a receipt is in the log that these keys name. */
export function verifyReceipt(
  receipt: LogReceipt,
  keys: Pick<Keys, "origin" | "logKey">,
  options: Options = {},
): ProofResult {
  return verifyProof(utf8.encode(receiptText(receipt)), receipt.leaf, keys, options);
}

/** The whole log, for `verifyLog` of the verifier, over whichever transport. */
export async function logSource({ log }: Pick<Referee, "log">): Promise<LogSource> {
  const { checkpoint } = await log.getCheckpoint({});
  const leaves = pagesOf(async (start) => (await log.listEntries({ start: BigInt(start) })).leaves);
  return { checkpoint: utf8.encode(checkpoint), cosigned: [], leaves };
}

/** Which round, and what its seats hold of it besides. */
export interface RoundRequest {
  /** Id of the table. */
  readonly tableId: string;
  /** Number of the round at its table, from 1. */
  readonly roundNumber: bigint;
  /** Certificates that a player holds of the round. */
  readonly certificates?: readonly Uint8Array[];
  /** Receipts of events that a player holds of the round. */
  readonly eventReceipts?: readonly Uint8Array[];
}

/** All that one round takes to be verified, as the verifier's bundle; it can be kept as a file. */
export async function bundleOf(
  { log }: Pick<Referee, "log">,
  keys: Keys,
  { tableId, roundNumber, certificates = [], eventReceipts = [] }: RoundRequest,
): Promise<object> {
  const round = await log.getTableRound({ round: { tableId, roundNumber } });
  const leaves = new Map<number, Uint8Array>();
  for (const { leafIndex, leaf } of round.leaves) {
    leaves.set(Number(leafIndex), leaf);
  }
  for (let before = roundNumber - 1n; before > 0n; before -= 1n) {
    const earlier = { tableId, roundNumber: before };
    const { stage, leaves: ended } = await log.getTableRound({ round: earlier });
    const kept = stage === RoundStage.ABORTED ? [OPEN_TYPE, ABORT_TYPE] : [SETTLE_TYPE];
    for (const { leafIndex, leaf } of ended.filter((one) => kept.includes(typeOf(one.leaf)))) {
      leaves.set(Number(leafIndex), leaf);
    }
    if (stage !== RoundStage.ABORTED) {
      break;
    }
  }
  for (let page = await log.getKeys({}); ; page = await log.getKeys({ pageToken: page.nextPageToken })) {
    for (const { leafIndex, leaf } of page.keyLeaves) {
      leaves.set(Number(leafIndex), leaf);
    }
    if (page.nextPageToken === undefined) {
      break;
    }
  }
  const { checkpoint } = await log.getCheckpoint({});
  const treeSize = BigInt(checkpoint.split("\n")[1] ?? "0");
  const placed = [...leaves].sort(([one], [other]) => one - other);
  const proved = placed.map(async ([place, leaf]) => {
    const { inclusionProof } = await log.getInclusionProof({ leafIndex: BigInt(place), treeSize });
    return { index: place, leaf: text.decode(leaf), proof: inclusionProof.map(hex) };
  });
  return {
    format: 1,
    origin: keys.origin,
    log_key: keys.logKey,
    root_key: keys.rootKey,
    round_id: hex(round.roundId),
    checkpoint,
    leaves: await Promise.all(proved),
    certificates: certificates.map((one) => text.decode(one)),
    event_receipts: eventReceipts.map((one) => text.decode(one)),
  };
}

/** Whether a round was dealt and settled as the log has promised; best asked once it is revealed. */
export async function verifyRound(
  referee: Pick<Referee, "log">,
  keys: Keys,
  request: RoundRequest,
  options: Options = {},
): Promise<RoundResult> {
  return verifyBundle(await bundleOf(referee, keys, request), keys, options);
}

function typeOf(leaf: Uint8Array): string {
  return String((JSON.parse(text.decode(leaf)) as { payloadType?: unknown }).payloadType);
}
