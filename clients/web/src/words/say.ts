/** Words in the language chosen, with values put in at {braces}. */

import { spell } from "../cards/card";
import { settings } from "../settings.svelte";
import { type Key, WORDS } from "./words";

/** Text of the referee or the table server in both languages. */
export interface Text {
  readonly vi: string;
  readonly en: string;
}

/** The words of a key with its values; ``{name:one|many}`` is the word for that number of things. */
export function say(key: Key, values: Record<string, string | number> = {}): string {
  const words = WORDS[key][settings.language === "vi" ? 0 : 1];
  return words
    .replace(/\{(\w+):(\w+)\|(\w+)\}/g, (_, name: string, one: string, many: string) =>
      /^[+−]?1$/.test(String(values[name])) ? one : many,
    )
    .replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** Words of this page in both languages, as the table server sends its own. */
export const both = (key: Key): Text => ({ vi: WORDS[key][0], en: WORDS[key][1] });

/** The one of two languages that was chosen; empty for no text. */
export const pick = (text: Text | undefined | null): string => text?.[settings.language] ?? "";

/** An amount of play money, with its sign where one is asked for. */
export function amount(minor: number, { signed = false } = {}): string {
  const size = Math.abs(minor).toLocaleString(settings.language === "vi" ? "vi-VN" : "en-GB");
  const sign = minor < 0 ? "−" : signed && minor > 0 ? "+" : "";
  return sign + size;
}

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
