/** Ultimate Texas Hold'em in words: the board, the bets, and decisions that are typed. */

import { spellAll } from "../cards/card";
import { lasting } from "../connection/lasting";
import type { Round, Ruleset, View } from "../connection/messages";
import type { TextSide } from "../games";
import { pickName } from "../words/names";
import { amount, capital, signed } from "../words/say";
import { Deciding } from "./deciding.svelte";
import type { Decision } from "./messages";
import { say } from "./words";

/** The street with its board, the house's cards once they are open, one's bets, and what one may decide. */
export function linesOf(_view: View, round: Round, ruleset: Ruleset | undefined): string[] {
  const game = round.ultimate_texas;
  if (game === undefined) {
    return [];
  }
  const { street, board, house, legal = [], seats } = game;
  const bets = round.you === null ? undefined : seats[round.you];
  return [
    `${capital(pickName(ruleset, "street", street))}: ${spellAll(board) || "–"}`,
    house ? `${say("house")}: ${spellAll(house)}` : "",
    bets === undefined ? "" : `Ante ${amount(bets.ante_minor)}, Trips ${amount(bets.trips_minor)}`,
    legal.length === 0 ? "" : `${say("youMay")}: ${legal.map((one) => pickName(ruleset, "decision", one)).join(", ")}`,
  ].filter((line) => line !== "");
}

export function textSide(view: () => View, ruleset: () => Ruleset | undefined): TextSide {
  const deciding = new Deciding(lasting(() => view().round));

  async function decide(decision: Decision): Promise<string> {
    await deciding.decide(decision);
    return deciding.trouble || pickName(ruleset(), "decision", decision);
  }

  const bet = (words: readonly string[]): Promise<string> =>
    decide(`PLAY_${parseInt(words[0] ?? "", 10)}X` as Decision);

  async function suggest(): Promise<string> {
    await deciding.suggest();
    const worth = deciding.worth.map(
      (one) => `${pickName(ruleset(), "decision", one.decision)} ${signed(one.value_minor)}`,
    );
    return deciding.trouble || worth.join(", ");
  }

  return {
    lines: [],
    warning: "",
    may: [],
    get help() {
      return say("typedCommands");
    },
    commands: [
      { phrases: ["check"], act: () => decide("CHECK") },
      { phrases: ["bet", "to", "play", "danh"], act: bet },
      { phrases: ["fold", "bo bai"], act: () => decide("FOLD") },
      { phrases: ["suggest", "hint", "goi y"], act: suggest },
    ],
  };
}
