/** A ruleset file as a header names it: id, version, and the SHA-256 of the bytes. */

import { sha256 } from "@noble/hashes/sha2.js";

import { type Bytes, hex, SpellingError, text } from "./bytes.js";
import type { HeldRuleset } from "./round-leaves.js";

/** The ruleset in a TOML file's bytes; SpellingError where it names no id and version at its top. */
export function heldRuleset(data: Bytes): HeldRuleset {
  const top = text(data).split(/^\s*\[/m)[0] ?? "";
  const value = (name: string): string => {
    const match = new RegExp(`^${name}\\s*=\\s*"([^"]*)"`, "m").exec(top);
    if (match === null) {
      throw new SpellingError(`the file has no ${name}, so it is no ruleset`);
    }
    return match[1] ?? "";
  };
  return { id: value("id"), version: value("version"), digest: hex(sha256(data)) };
}
