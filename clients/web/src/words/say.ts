/** Words in the language chosen, with values put in at {braces}. */

import { settings } from "../settings.svelte";
import { type Key, WORDS } from "./words";

/** Text of the referee or the table server in both languages. */
export interface Text {
  readonly vi: string;
  readonly en: string;
}

export function say(key: Key, values: Record<string, string | number> = {}): string {
  const words = WORDS[key][settings.language === "vi" ? 0 : 1];
  return words.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** The one of two languages that was chosen; empty for no text. */
export const pick = (text: Text | undefined | null): string => text?.[settings.language] ?? "";

/** An amount of play money, with its sign where one is asked for. */
export function amount(minor: number, { signed = false } = {}): string {
  const size = Math.abs(minor).toLocaleString(settings.language === "vi" ? "vi-VN" : "en-GB");
  const sign = minor < 0 ? "−" : signed && minor > 0 ? "+" : "";
  return sign + size;
}

export const capital = (text: string): string => text.charAt(0).toLocaleUpperCase() + text.slice(1);
