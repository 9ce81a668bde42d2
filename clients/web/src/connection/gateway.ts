/** Questions that go to the referee itself, past the table server: Connect over JSON. */

import { type Card, fromProto, protoName } from "../cards/card";
import type { Text } from "../words/say";
import type { Arrangement } from "./messages";

/** The referee did not answer, or refused. */
export class GatewayError extends Error {
  override name = "GatewayError";
}

export async function ask<Answer>(
  gateway: string,
  method: string,
  request: object,
): Promise<Answer> {
  const address = `${gateway.replace(/\/$/, "")}/referee.v1.${method}`;
  let response: Response;
  try {
    response = await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json", "connect-protocol-version": "1" },
      body: JSON.stringify(request),
    });
  } catch (error) {
    throw new GatewayError(String(error));
  }
  if (!response.ok) {
    throw new GatewayError(`${response.status} ${(await response.text()).slice(0, 300)}`);
  }
  return (await response.json()) as Answer;
}

/** A seat's own hand on a sealed table, with the certificate that shows it. */
export async function openHand(
  gateway: string,
  at: { table: string; number: number; seat: number; token: string },
): Promise<{ certificate: string; cards: Card[] }> {
  const answer = await ask<{ certificate: string; hand: { cards: string[] } }>(
    gateway,
    "ShufflerService/OpenHand",
    { tableId: at.table, roundNumber: String(at.number), seat: at.seat, token: at.token },
  );
  return { certificate: answer.certificate, cards: answer.hand.cards.map(fromProto) };
}

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

export interface ProtoAdvice {
  options?: { decision: string; valueMinor?: string }[];
}

/** What each decision of a sealed seat is worth. */
export const adviseSealed = (
  gateway: string,
  round: {
    header: unknown;
    certificates: readonly string[];
    events: readonly unknown[];
    receipt: string;
    signatures?: readonly string[];
  },
  seat: number,
): Promise<ProtoAdvice> => ask(gateway, "UltimateTexasService/Advise", { round, seat });
