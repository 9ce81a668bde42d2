/** Mậu Binh in words: three chi as lines, cards swapped by typing. */

import { type Card, parseCard, spellAll } from "../cards/card";
import { handOf } from "../connection/attending.svelte";
import { lasting } from "../connection/lasting";
import type { Round, Ruleset, View } from "../connection/messages";
import type { TextSide } from "../games";
import { pickName } from "../words/names";
import { broken, capital, pick, signed } from "../words/say";
import { CHI, cardsOf, swapped } from "./arrangement";
import { Arranging } from "./arranging.svelte";
import { say } from "./words";

/** The showdown chi by chi, and what a seat of a sealed table has to know. */
export function linesOf({ sealed, phase }: View, round: Round): string[] {
  const chi = (round.mau_binh?.showdown?.chi ?? []).flatMap(({ name, hands }) => [
    `${capital(pick(name))}:`,
    ...hands.map((hand) => {
      const units = signed(hand.units_won - hand.units_lost);
      return `  ${round.seats[hand.seat]?.name ?? ""}: ${spellAll(hand.cards)}, ${pick(hand.name)}, ${units}`;
    }),
  ]);
  const binds = sealed && phase === "PLAYING" && round.you !== null;
  return binds ? [...chi, say("sealedStay")] : chi;
}

export function textSide(view: () => View, ruleset: () => Ruleset | undefined): TextSide {
  const round = $derived(view().round);
  const hand = $derived(handOf(round));
  const current = lasting(() => view().round);
  let arranging = $state.raw<Arranging | null>(null);
  let arranged = "";
  $effect(() => {
    const isOpen = round?.mau_binh !== undefined && view().phase === "PLAYING" && hand.length === 13;
    const id = isOpen ? round.round_id : "";
    const timer = setTimeout(() => {
      if (id !== arranged) {
        arranged = id;
        arranging = id === "" ? null : new Arranging(hand, current);
      }
    });
    return () => clearTimeout(timer);
  });
  $effect(() => {
    if (round?.mau_binh?.sign_now === true) {
      void arranging?.signNow();
    }
  });

  const lines = $derived(
    arranging === null
      ? []
      : CHI.map((chi, at) => {
          const name = capital(pickName(ruleset(), "chi", chi));
          const value = pick(arranging?.checked?.values[at]?.name);
          return `${name}: ${spellAll(cardsOf(arranging?.places ?? [], chi))}${value === "" ? "" : `, ${value}`}`;
        }),
  );

  /** The place of a card that was named, or numbered from 1. */
  function placeOf(word: string, places: readonly Card[]): number {
    const card = parseCard(word);
    return card === null ? Number(word) - 1 : places.indexOf(card);
  }

  /** The arrangement that is on the table now, as the referee calls it. */
  async function lying(): Promise<string> {
    await arranging?.judged();
    const foul = arranging?.isFouled === true ? [broken(arranging.checked?.violations ?? [])] : [];
    return [...lines, ...foul].join(". ");
  }

  async function swap(words: readonly string[]): Promise<string> {
    const places = arranging?.places ?? [];
    const [one = -1, other = -1] = words.map((word) => placeOf(word, places));
    if (places[one] === undefined || places[other] === undefined) {
      return say("typedWrong");
    }
    arranging?.set(swapped(places, one, other));
    return lying();
  }

  async function sort(by: "rank" | "suit"): Promise<string> {
    arranging?.sort(by);
    return lying();
  }

  async function suggest(): Promise<string> {
    await arranging?.suggest();
    return arranging?.trouble || lying();
  }

  async function handIn(): Promise<string> {
    const isAsked = arranging?.isAsking ?? false;
    await arranging?.handIn({ isAsked });
    return arranging?.isAsking === true
      ? `${broken(arranging.checked?.violations ?? [])} ${say("foulTyped")}`
      : arranging?.trouble || say("handedIn");
  }

  return {
    get lines() {
      return lines;
    },
    get warning() {
      return arranging?.isFouled && arranging.isTouched ? say("foulWarning") : "";
    },
    may: [],
    get help() {
      return say("typedCommands");
    },
    commands: [
      { phrases: ["swap", "doi"], act: swap },
      { phrases: ["sort rank", "xep so"], act: () => sort("rank") },
      { phrases: ["sort suit", "xep chat"], act: () => sort("suit") },
      { phrases: ["suggest", "hint", "goi y"], act: suggest },
      { phrases: ["done", "submit", "xong", "nop"], act: handIn },
    ],
  };
}
