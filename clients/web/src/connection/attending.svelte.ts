/**
 * What a seat does unasked: it binds itself before the deal, shows its seed, fetches its sealed hand from the referee, and
 * opens what it is bound to. Each once for a round and stream; the server drops what it has already.
 */

import { base64, unhex } from "referee-client/signer";

import type { Card } from "../cards/card";
import { gameOf } from "../games";
import { seedCommitment, tokenHash } from "./binding";
import { connection } from "./connection.svelte";
import { openHand } from "./gateway";
import { keep, recall, recallOrDraw } from "./keepsakes";
import type { Round, View } from "./messages";
import { sendAgain, signSeed } from "./signing";
import { clockOf, compareTimes, timesShown } from "./times";

interface SealedHand {
  readonly roundId: string;
  readonly cards: readonly Card[];
  readonly certificate: string;
}

export const attending = $state<{ hand: SealedHand | null; trouble: string }>({ hand: null, trouble: "" });

const done = new Set<string>();

/** The seat's cards, wherever they came from; empty while there are none. */
export function handOf(round: Round | null): readonly Card[] {
  if (round?.hand) {
    return round.hand;
  }
  return round !== null && attending.hand?.roundId === round.round_id ? attending.hand.cards : [];
}

/** Does what the phase asks of the seat. Called for every view. */
export function attend(view: View): void {
  const { round, phase } = view;
  const seat = round?.you ?? null;
  if (round === null) {
    return;
  }
  compareTimes(round.round_id, timesShown(round));
  if (seat === null) {
    return;
  }
  if (phase === "BINDING" && round.bound?.includes(seat) !== true) {
    once(round, "bind", () => bind(view, round, seat));
  } else if (phase === "SEEDING" && round.seeded?.includes(seat) !== true) {
    once(round, "seed", () => void showSeed(view, round, seat).catch(ignore));
  } else if (round.dealt_time !== undefined && view.sealed && handOf(round).length === 0) {
    once(round, "hand", () => void fetchHand(round, seat));
  }
  if (handOf(round).length > 0) {
    once(round, "keep", () => keepHand(round));
  }
  if (round.course !== undefined) {
    once(round, "again", () => void sendAgain(currentOf(round)).catch(ignore));
  }
  if (phase === "OPENING") {
    once(round, "open", () => gameOf(round)?.open?.(round, seat, currentOf(round)));
  }
}

function once(round: Round, step: string, act: () => void): void {
  const key = `${round.round_id}.${step}`;
  if (!done.has(key)) {
    done.add(key);
    act();
  }
}

/** The round as the newest view of it has it. */
function currentOf(round: Round): () => Round {
  let last = round;
  return () => (last = connection.view?.round ?? last);
}

/** The view that follows says what came of it. */
const ignore = (): void => undefined;

function bind(view: View, { round_id }: Round, seat: number): void {
  if (recall(round_id) === null) {
    clockOf(round_id).asked = Date.now();
  }
  const { seed, token } = recallOrDraw(round_id);
  const sealed = view.sealed ? { token_hash: tokenHash(round_id, seat, token) } : {};
  const fields = { round_id, seed_commitment: seedCommitment(round_id, seat, seed), ...sealed };
  void connection.command("bind", fields).catch(ignore);
}

async function showSeed({ sealed }: View, round: Round, seat: number): Promise<void> {
  const own = recall(round.round_id);
  if (own !== null) {
    if (own.seat === undefined) {
      clockOf(round.round_id).seedsShown = Date.now();
    }
    keep(round.round_id, { ...own, seat });
    const signed = await signSeed(round, own, sealed);
    await connection.command("seed", { round_id: round.round_id, seed: own.seed, ...signed });
  }
}

/** Keeps the cards that are shown as the seat's own, so that its proof can compare them with the log's. */
function keepHand(round: Round): void {
  const own = recall(round.round_id);
  if (own !== null && own.hand === undefined) {
    keep(round.round_id, { ...own, hand: handOf(round) });
  }
}

async function fetchHand(round: Round, seat: number): Promise<void> {
  const { table, number, round_id } = round;
  const [gateway, token] = [connection.welcome?.gateway, recall(round_id)?.token];
  if (gateway == null || token === undefined) {
    attending.trouble = "NO_TOKEN";
    return;
  }
  try {
    const at = { table, number, seat, token: base64(unhex(token)) };
    attending.hand = { roundId: round_id, ...(await openHand(gateway, at)) };
    attending.trouble = "";
  } catch (error) {
    attending.trouble = String(error);
    setTimeout(() => {
      done.delete(`${round_id}.hand`);
      if (connection.view !== null) {
        attend(connection.view);
      }
    }, 1_500);
  }
}
