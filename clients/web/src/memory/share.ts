/** Finished rounds that one of their seats shows: the address of one, and what is fetched from it. */

import type { Replay, SeatResult } from "../connection/messages";
import { say, type Text } from "../words/say";

/** A round as its link answers it: seats without names where they are hidden. */
interface Share {
  readonly share: string;
  readonly until: number;
  readonly ruleset: string;
  readonly stake_minor: number;
  readonly has_names: boolean;
  readonly round: Replay;
}

/** Why a link shows nothing, in the words of the table server. */
export class ShareError extends Error {
  override name = "ShareError";
  readonly text: Text;

  constructor(reason: string, text: Text) {
    super(reason);
    this.text = text;
  }
}

/** The share that the page's address names; null on every other page. */
export const shareAsked = (): string | null => new URLSearchParams(location.search).get("share");

export function addressOfShare(share: string): string {
  const address = new URL(location.origin + location.pathname);
  address.searchParams.set("share", share);
  return address.href;
}

/** Fetches a share; ShareError where the table server has a reason for showing nothing. */
export async function fetchShare(share: string): Promise<Share> {
  const response = await fetch(`api/shares/${encodeURIComponent(share)}`, { cache: "no-store" });
  const answer = (await response.json()) as Share & { reason?: string; text?: Text };
  if (!response.ok && answer.reason !== undefined && answer.text !== undefined) {
    throw new ShareError(answer.reason, answer.text);
  }
  return answer;
}

/** The label of a seat whose name is hidden. */
export const seatLabel = (seat: number): string => say("seatNumber", { number: seat + 1 });

/** A round whose seats have labels in the place of names, and no person that is somebody's. */
export function withoutNames<Round extends { readonly seats?: readonly SeatResult[] }>(
  round: Round,
): Round {
  const seats = (round.seats ?? []).map((one, seat) => ({
    ...one,
    name: seatLabel(seat),
    person: `seat ${seat}`,
  }));
  return { ...round, seats };
}

/** A fetched round as the page's own parts read it. */
export function readRound({ round, has_names }: Share): Replay {
  if (!has_names) {
    return withoutNames(round);
  }
  const seats = (round.seats ?? []).map((one, seat) => ({ ...one, person: `seat ${seat}` }));
  return { ...round, seats };
}
