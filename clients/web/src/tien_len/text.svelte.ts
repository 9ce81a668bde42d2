/** Tiến Lên in words: what is to be beaten, and plays that are typed. */

import { parseCard, spell, spellAll } from "../cards/card";
import { lasting } from "../connection/lasting";
import type { Round, View } from "../connection/messages";
import type { TextSide } from "../games";
import { pick } from "../words/say";
import { Choosing } from "./choosing.svelte";
import { say } from "./words";

const LISTED = 30; // legal plays at most

/** The play to beat. */
export function linesOf(_view: View, round: Round): string[] {
  const beat = round.tien_len?.to_beat;
  const name = beat == null ? "" : (round.seats[beat.seat]?.name ?? "");
  return beat == null ? [say("toLead")] : [`${say("toBeat")}: ${name}, ${pick(beat.name)}, ${spellAll(beat.cards)}`];
}

export function textSide(view: () => View): TextSide {
  const choosing = new Choosing(lasting(() => view().round));
  const may = $derived.by((): string[] => {
    const legal = view().round?.tien_len?.legal;
    const plays = (legal?.plays ?? []).slice(0, LISTED).map(({ cards }) => cards.map(spell).join(""));
    return legal?.may_pass === true ? [...plays, say("pass")] : plays;
  });

  async function play(words: readonly string[]): Promise<string> {
    choosing.chosen = words.flatMap((word) => parseCard(word) ?? []);
    await choosing.handIn();
    return choosing.trouble || say("didPlay");
  }

  async function pass(): Promise<string> {
    await choosing.pass();
    return choosing.trouble || say("didPass");
  }

  async function suggest(): Promise<string> {
    await choosing.suggest();
    return choosing.trouble || `${choosing.advice} ${spellAll(choosing.chosen)}`;
  }

  return {
    lines: [],
    warning: "",
    get may() {
      return may;
    },
    get help() {
      return say("typedCommands");
    },
    commands: [
      { phrases: ["play", "danh"], act: play },
      { phrases: ["pass", "bo luot", "qua"], act: pass },
      { phrases: ["suggest", "hint", "goi y"], act: suggest },
    ],
  };
}
