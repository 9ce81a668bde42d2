/** Questions about a sealed hand, which go to the referee itself. */

import { fromProto, protoName } from "../cards/card";
import { ask } from "../connection/gateway";
import type { Text } from "../words/say";
import type { Arrangement } from "./messages";

const toProto = ({ back, middle, front }: Arrangement): object => ({
  back: back.map(protoName),
  middle: middle.map(protoName),
  front: front.map(protoName),
});

interface ProtoArrangement {
  back: string[];
  middle: string[];
  front: string[];
}

export const fromProtoArrangement = (one: ProtoArrangement): Arrangement => ({
  back: one.back.map(fromProto),
  middle: one.middle.map(fromProto),
  front: one.front.map(fromProto),
});

export interface ProtoCheck {
  violations?: { code: string; text: Text }[];
  acceptable?: boolean;
  values?: { category: string; name: Text }[];
}

/** What the referee says of an arrangement of a hand that only its seat can show. */
export const checkSealed = (
  gateway: string,
  round: { header: unknown; certificates: readonly string[] },
  seat: number,
  arrangement: Arrangement,
): Promise<ProtoCheck> =>
  ask(gateway, "MauBinhService/CheckArrangement", {
    round,
    seat,
    arrangement: toProto(arrangement),
  });

export interface ProtoSuggestion {
  arrangement: ProtoArrangement;
  values: { category: string; name: Text }[];
  expected?: { minor?: string; remainder?: number };
}

export const suggestSealed = async (
  gateway: string,
  round: { header: unknown; certificates: readonly string[] },
  seat: number,
): Promise<ProtoSuggestion[]> =>
  (
    await ask<{ suggestions?: ProtoSuggestion[] }>(gateway, "MauBinhService/SuggestArrangement", {
      dealt: { round, seat },
      count: 3,
    })
  ).suggestions ?? [];
