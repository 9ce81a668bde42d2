/** Words in the language chosen, with values put in at {braces}. */

import { spell } from "../cards/card";
import { settings } from "../settings.svelte";
import { type Key, WORDS } from "./words";

/** Text of the referee or the table server in both languages. */
export interface Text {
  readonly vi: string;
  readonly en: string;
}

type Pair = readonly [vietnamese: string, english: string];

/** Put values in at braces; ``{name:one|many}`` is the word for that number of things. */
function filled(words: string, values: Readonly<Record<string, string | number>>): string {
  return words
    .replace(/\{(\w+):(\w+)\|(\w+)\}/g, (_, name: string, one: string, many: string) =>
      /^[+−]?1$/.test(String(values[name])) ? one : many,
    )
    .replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** What says words by their keys: in the language chosen, with values; or in both, as the table server sends its own. */
interface Speaker<Known extends string> {
  readonly say: (key: Known, values?: Readonly<Record<string, string | number>>) => string;
  readonly both: (key: Known) => Text;
}

/** Return a speaker of a game's own words and of those that all games share. */
export function speaker<Own extends string>(own: Readonly<Record<Own, Pair>>): Speaker<Key | Own> {
  const words: Readonly<Record<Key | Own, Pair>> = { ...WORDS, ...own };
  return {
    say: (key, values = {}) => filled(words[key][settings.language === "vi" ? 0 : 1], values),
    both: (key) => ({ vi: words[key][0], en: words[key][1] }),
  };
}

export const { say, both } = speaker<never>({});

/** The one of two languages that was chosen; empty for no text. */
export const pick = (text: Text | undefined | null): string => text?.[settings.language] ?? "";

/** An amount of play money. */
export function amount(minor: number): string {
  const size = Math.abs(minor).toLocaleString(settings.language === "vi" ? "vi-VN" : "en-GB");
  return (minor < 0 ? "−" : "") + size;
}

/** An amount with its sign. */
export const signed = (minor: number): string => (minor > 0 ? "+" : "") + amount(minor);

export const capital = (text: string): string => text.charAt(0).toLocaleUpperCase() + text.slice(1);

/** Card codes in a text, such as "3H", as the eye reads cards: "3♥". */
export const glyphs = (text: string): string =>
  text.replace(
    /(?<![\p{L}\d])(10|[2-9TJQKA])([SCDH])(?![\p{L}\d])/gu,
    (whole, rank: string, suit: string) => spell((rank === "10" ? "T" : rank) + suit) || whole,
  );

/** What is said of broken rules, in one line. */
export const broken = (violations: readonly { readonly text: Text }[]): string =>
  violations.map(({ text }) => glyphs(pick(text))).join(" ");
