/** Questions that go to the referee itself, past the table server: Connect over JSON. */

import { type Card, fromProto } from "../cards/card";

/** The referee's answer; an error where it did not answer, or refused. */
export async function ask<Answer>(gateway: string, method: string, request: object): Promise<Answer> {
  const response = await fetch(`${gateway.replace(/\/$/, "")}/referee.v1.${method}`, {
    method: "POST",
    headers: { "content-type": "application/json", "connect-protocol-version": "1" },
    body: JSON.stringify(request),
  });
  if (!response.ok) {
    throw new Error(`${response.status} ${(await response.text()).slice(0, 300)}`);
  }
  return (await response.json()) as Answer;
}

/** A round as the referee is asked about it: as the table server showed it, with the certificate of one's own hand. */
export interface AskedRound {
  readonly header: unknown;
  readonly certificates: readonly string[];
}

/** A seat's own hand on a sealed table, with the certificate that shows it. */
export async function openHand(
  gateway: string,
  at: { table: string; number: number; seat: number; token: string },
): Promise<{ certificate: string; cards: Card[] }> {
  const { table, number, seat, token } = at;
  const request = { round: { tableId: table, roundNumber: String(number) }, seat, token };
  type Answer = { certificate: string; hand: { cards: string[] } };
  const { certificate, hand } = await ask<Answer>(gateway, "ShufflerService/OpenHand", request);
  return { certificate, cards: hand.cards.map(fromProto) };
}
