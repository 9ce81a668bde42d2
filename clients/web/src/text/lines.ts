/** The table in words, line by line, for a listener. */

import { type Card, spellAll } from "../cards/card";
import type { Ruleset, View } from "../connection/messages";
import { gameOf, type PageGame } from "../games";
import { noteOf } from "../table/notes";
import { payerName } from "../table/pairs";
import { amount, pick, say, signed } from "../words/say";

export function tableLines(view: View, ruleset: Ruleset | undefined): string[] {
  const { round } = view;
  const persons = view.persons.map((person) => {
    const { note = "", isOnTurn = false, cards } = noteOf(view, person);
    const parts = [
      person.name + (person.person === view.you ? ` (${say("you")})` : ""),
      signed(person.score_minor),
      isOnTurn ? say("onTurn") : note,
      cards == null ? "" : say("cardsLeft", { count: cards }),
    ];
    return parts.filter((part) => part !== "").join(", ");
  });
  const game =
    round === null || view.phase === "LOBBY" ? lastLines(view) : (gameOf(round)?.linesOf(view, round, ruleset) ?? []);
  return [...persons, ...game];
}

function lastLines({ last }: View): string[] {
  if (last === null) {
    return [];
  }
  if (last.end !== "SETTLED") {
    return [say(last.end === "ABORTED" ? "aborted" : "givenUp")];
  }
  const nameOf = (seat: number): string => payerName(last, seat);
  return [
    `${say("resultOf", { number: last.number })}:`,
    ...(last.seats ?? []).map((one) => `  ${one.name}: ${signed(one.net_minor)}`),
    ...(last.house_net_minor === undefined ? [] : [`  ${say("house")}: ${signed(last.house_net_minor)}`]),
    ...(last.transfers ?? []).map(
      (one) =>
        `  ${nameOf(one.payer)} → ${nameOf(one.payee)}: ${amount(one.amount_minor)}, ${pick(one.reason_name) || one.reason}`,
    ),
  ];
}

export const handLine = (cards: readonly Card[], game: PageGame | undefined): string =>
  `${say("yourCards")}: ${spellAll(game?.sort(cards) ?? cards)}`;
