/** Questions about a sealed hand, which go to the referee itself. */

import { fromProto, protoName } from "../cards/card";
import { ask, type AskedRound } from "../connection/gateway";
import type { Violation } from "../connection/messages";
import type { Text } from "../words/say";
import type { Arrangement, Checked } from "./messages";

/** An arrangement, each card of which is spelled another way. */
const spelled = ({ back, middle, front }: Arrangement, by: (card: string) => string) => ({
  back: back.map(by),
  middle: middle.map(by),
  front: front.map(by),
});

/** What the referee says of an arrangement of a hand that only its seat can show. */
export async function checkSealed(
  gateway: string,
  round: AskedRound,
  seat: number,
  given: Arrangement,
): Promise<Checked> {
  type Answer = { violations?: Violation[]; values?: { name: Text }[] };
  const request = { round, seat, arrangement: spelled(given, protoName) };
  const method = "MauBinhService/CheckArrangement";
  const { violations = [], values = [] } = await ask<Answer>(gateway, method, request);
  return { violations, value_names: values.map(({ name }) => name) };
}

/** The three best arrangements of such a hand. */
export async function suggestSealed(
  gateway: string,
  round: AskedRound,
  seat: number,
): Promise<{ readonly arrangement: Arrangement }[]> {
  type Answer = { suggestions?: { arrangement: Arrangement }[] };
  const request = { dealt: { round, seat }, count: 3 };
  const method = "AdviceService/SuggestArrangement";
  const { suggestions = [] } = await ask<Answer>(gateway, method, request);
  return suggestions.map(({ arrangement }) => ({ arrangement: spelled(arrangement, fromProto) }));
}
