/** Finished rounds that one of their seats shows: the address of one, and what is fetched from it. */

import { faultOfShare } from "../connection/checking";
import type { Last, Replay, SeatResult, Share, SharedSeat } from "../connection/messages";
import { say, type Text } from "../words/say";

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
  const fault = faultOfShare(answer);
  if (fault !== null) {
    throw new Error(`${fault.where}: ${fault.why}`);
  }
  return answer;
}

/** Saves a file under a name. */
export function download(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1_000);
}

/** The room of a round, whose tables in the log it names with a number behind a dot. */
export const roomOf = ({ table }: { readonly table: string }): string => table.replace(/\.\d+$/, "");

/** The label of a seat whose name is hidden. */
export const seatLabel = (seat: number): string => say("seatNumber", { number: seat + 1 });

/** A seat with a label in the place of a name that is hidden, and no person that is somebody's. */
const labelled = (one: SharedSeat, seat: number, name = seatLabel(seat)): SeatResult => ({
  ...one,
  name,
  person: `seat ${seat}`,
});

export const withoutNames = (round: Last): Last => ({
  ...round,
  seats: (round.seats ?? []).map((one, seat) => labelled(one, seat)),
});

/** A fetched round as the page's own parts read it. */
export const readRound = ({ round, has_names }: Share): Replay => ({
  ...round,
  seats: (round.seats ?? []).map((one, seat) => labelled(one, seat, has_names ? one.name : undefined)),
});
