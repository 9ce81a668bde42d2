/** A ruleset file as a header names it: id, version, and the SHA-256 of the bytes; and its bounds of a round. */

import { sha256 } from "@noble/hashes/sha2.js";

import { type Bytes, hex, SpellingError, text } from "./bytes.js";
import type { HeldRuleset } from "./round-leaves.js";

/** The ruleset in a TOML file's bytes; SpellingError where it names no id, version or bounds. */
export function heldRuleset(data: Bytes): HeldRuleset {
  const file = text(data);
  const top = file.split(/^\s*\[/m)[0] ?? "";
  const round = /^\s*\[round\]\s*$([^]*?)(?=^\s*\[|(?![^]))/m.exec(file)?.[1] ?? "";
  const value = (part: string, name: string, form: string): string => {
    const match = new RegExp(`^${name}\\s*=\\s*${form}`, "m").exec(part);
    if (match === null) {
      throw new SpellingError(`the file has no ${name}, so it is no ruleset`);
    }
    return match[1] ?? "";
  };
  const seconds = (name: string): number => 1000 * Number(value(round, name, "([0-9]{1,5})\\b"));
  return {
    id: value(top, "id", '"([^"]*)"'),
    version: value(top, "version", '"([^"]*)"'),
    digest: hex(sha256(data)),
    shortest: seconds("shortest_seconds"),
    longest: seconds("longest_seconds"),
  };
}
