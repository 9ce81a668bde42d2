/** Bài Cào for the SDK: `connect(url, { games: [baiCao] })`, and then `client.game<BaiCaoTypes>("bai_cao", terms)`. */

import { type AnyEvent, type AnyOutcome, type Card, defineGame, type PackagedTypes } from "referee-client";

import { DESCRIPTOR } from "./descriptors.js";

/** What a seat does; the numbers are the proto's. */
export enum Act {
  UNSPECIFIED = 0,
  SHOW = 1,
  LEAVE = 2,
}

export type BaiCaoEvent = AnyEvent & { act: Act };

export type BaiCaoOutcome = AnyOutcome & {
  seats: { seat: number; netMinor: bigint; result: string; cards: Card[]; hand: string }[];
};

export type BaiCaoTypes = PackagedTypes<BaiCaoEvent, BaiCaoOutcome>;

export const baiCao = defineGame<BaiCaoEvent, BaiCaoOutcome>({
  name: "bai_cao",
  descriptor: DESCRIPTOR,
  choiceOf: ({ act }) => ({ kind: Act[act] }),
});
