/** The table in words, line by line, for a listener. */

import { byTienLen, type Card, spellAll } from "../cards/card";
import type { Round, Ruleset, View } from "../connection/messages";
import { noteOf } from "../table/notes";
import { pickName } from "../words/names";
import { amount, capital, pick, say } from "../words/say";

export function tableLines(view: View, ruleset: Ruleset | undefined): string[] {
  const { round } = view;
  const persons = view.persons.map((person) => {
    const { note = "", isOnTurn = false, cards } = noteOf(view, person);
    const parts = [
      person.name + (person.person === view.you ? ` (${say("you")})` : ""),
      amount(person.score_minor, { signed: true }),
      isOnTurn ? say("onTurn") : note,
      cards == null ? "" : say("cardsLeft", { count: cards }),
    ];
    return parts.filter((part) => part !== "").join(", ");
  });
  const game =
    round === null || view.phase === "LOBBY" ? lastLines(view) : gameLines(round, ruleset);
  const binds = view.sealed && view.phase === "PLAYING" && round?.mau_binh !== undefined;
  return [...persons, ...game, ...(binds && round.you !== null ? [say("sealedStay")] : [])];
}

function gameLines(round: Round, ruleset: Ruleset | undefined): string[] {
  const { tien_len, ultimate_texas } = round;
  if (tien_len !== undefined) {
    const beat = tien_len.to_beat;
    const name = beat == null ? "" : (round.seats[beat.seat]?.name ?? "");
    return beat == null
      ? [say("toLead")]
      : [`${say("toBeat")}: ${name}, ${pick(beat.name)}, ${spellAll(beat.cards)}`];
  }
  if (ultimate_texas !== undefined) {
    const { street, board, house, legal = [], seats } = ultimate_texas;
    const bets = round.you === null ? undefined : seats[round.you];
    return [
      `${capital(pickName(ruleset, "street", street))}: ${spellAll(board) || "–"}`,
      house ? `${say("house")}: ${spellAll(house)}` : "",
      bets === undefined
        ? ""
        : `Ante ${amount(bets.ante_minor)}, Trips ${amount(bets.trips_minor)}`,
      legal.length === 0
        ? ""
        : `${say("youMay")}: ${legal.map((one) => pickName(ruleset, "decision", one)).join(", ")}`,
    ].filter((line) => line !== "");
  }
  return (round.mau_binh?.showdown?.chi ?? []).flatMap((chi) => [
    `${capital(pick(chi.name))}:`,
    ...chi.hands.map((hand) => {
      const units = amount(hand.units_won - hand.units_lost, { signed: true });
      return `  ${round.seats[hand.seat]?.name ?? ""}: ${spellAll(hand.cards)}, ${pick(hand.name)}, ${units}`;
    }),
  ]);
}

function lastLines({ last }: View): string[] {
  if (last === null) {
    return [];
  }
  if (last.end !== "SETTLED") {
    return [say(last.end === "ABORTED" ? "aborted" : "givenUp")];
  }
  const nameOf = (seat: number): string =>
    seat === 255 ? say("house") : (last.seats?.[seat]?.name ?? `#${seat}`);
  return [
    `${say("resultOf", { number: last.number })}:`,
    ...(last.seats ?? []).map((one) => `  ${one.name}: ${amount(one.net_minor, { signed: true })}`),
    ...(last.house_net_minor === undefined
      ? []
      : [`  ${say("house")}: ${amount(last.house_net_minor, { signed: true })}`]),
    ...(last.transfers ?? []).map(
      (one) =>
        `  ${nameOf(one.payer)} → ${nameOf(one.payee)}: ${amount(one.amount_minor)}, ${pick(one.reason_name) || one.reason}`,
    ),
  ];
}

export const handLine = (cards: readonly Card[], game: Ruleset["game"] | undefined): string =>
  `${say("yourCards")}: ${spellAll(game === "tien_len" ? byTienLen(cards) : cards)}`;
