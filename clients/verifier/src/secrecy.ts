/**
 * Secrets in exports. An export must not hold the server's seed unless it holds REVEAL too, nor the key of a section
 * that no certificate in it opens; nothing but the seed ever opens the stock. Keys must be random, and each opens one
 * section of one round. Secrets are searched for as bytes, hexadecimal digits and base64, also within nested base64.
 */

import { attempt } from "./attempt.js";
import { base64, binary, type Bytes, hex, looseBase64, SpellingError, text, unhex } from "./bytes.js";
import { certificateForm } from "./certificate.js";
import type { Report } from "./check.js";
import { serverCommitment } from "./commitment.js";
import type { Deal } from "./deal.js";
import type { Where } from "./finding.js";
import { FormError } from "./form.js";
import type { RoundLeaves } from "./round-leaves.js";
import { isTrivial } from "./level.js";

/** A section that a certificate opens, with its key as lowercase hex. */
export interface OpenedKey {
  readonly section: number;
  readonly key: string;
}

const BASE64 = /[A-Za-z0-9+/]{40,}={0,2}/g;
const HEX = /[0-9a-fA-F]{64}/g;
/** Base64 within base64 that is looked into. */
const DEPTH = 4;

/** Everything in the bytes that could be a round's id, as lowercase hex. */
export function roundIdsIn(data: Bytes): Set<string> {
  return new Set(layersOf(data).flatMap(valuesIn));
}

/** The sections that a certificate opens are some that may be opened, by keys that hide them. */
export function examineOpened(opened: readonly OpenedKey[], stock: number | null, where: Where, report: Report): void {
  report.begin("SECRECY");
  const seen = new Map<string, number>();
  for (const { section, key } of opened) {
    if (section === stock) {
      const detail = `a certificate opens section ${section}, the stock, which nobody is dealt`;
      report.find("SECRECY", "SECRET_EXPOSED", detail, where);
    }
    const first = seen.get(key) ?? section;
    if (isTrivial(unhex(key))) {
      report.find("SECRECY", "SECTION_KEY_WEAK", `the key of section ${section} was hardly drawn at random`, where);
    } else if (first !== section) {
      report.find("SECRECY", "SECTION_KEY_WEAK", `sections ${first} and ${section} have the same key`, where);
    }
    seen.set(key, first);
  }
}

/** What was handed out of the round holds none of its secrets; null where it was not dealt again. */
export function examineExports(leaves: RoundLeaves, again: Deal | null, report: Report): void {
  const { reveal } = leaves;
  const revealed = reveal === undefined ? null : binary(reveal.envelope.payload);
  for (const [number, data] of (leaves.exhibits.exports ?? []).entries()) {
    report.begin("SECRECY");
    const layers = layersOf(data);
    if (revealed !== null && layers.includes(revealed)) {
      continue;
    }
    for (const what of exposedIn(layers, leaves, again)) {
      const detail = `what was handed out as ${number} holds ${what}`;
      report.find("SECRECY", "SECRET_EXPOSED", detail, { leaf_index: leaves.open.index });
    }
  }
}

function exposedIn(layers: string[], leaves: RoundLeaves, again: Deal | null): string[] {
  const exposed = holdsSeed(layers, leaves) ? ["the server's seed"] : [];
  if (again === null) {
    return exposed;
  }
  const opened = new Set(layers.flatMap((layer) => openedIn(layer, leaves.roundId)));
  for (const [section, key] of again.keys.entries()) {
    if (!opened.has(section) && isIn(key, layers)) {
      exposed.push(`the key of section ${section}, which nothing in it opens`);
    }
  }
  return exposed;
}

function holdsSeed(layers: string[], { reveal, roundId, open }: RoundLeaves): boolean {
  if (reveal !== undefined) {
    return isIn(unhex(reveal.value.server_seed), layers);
  }
  const isSeed = (value: string): boolean =>
    hex(serverCommitment(unhex(roundId), unhex(value))) === open.value.server_commitment;
  return layers.some((layer) => {
    const whole = layer.length === 32 ? [hex(bytesOf(layer))] : [];
    return [...valuesIn(layer), ...whole].some(isSeed);
  });
}

/** The sections that a certificate of the round opens, where the layer is one's payload. */
function openedIn(layer: string, roundId: string): number[] {
  const read = () => certificateForm(JSON.parse(text(bytesOf(layer))), "");
  const shown = attempt(read, FormError, SyntaxError, SpellingError);
  const isOwn = !(shown instanceof Error) && shown.round_id === roundId;
  return isOwn ? shown.sections.map(({ index }) => index) : [];
}

function isIn(secret: Bytes, layers: string[]): boolean {
  const [digits, letters] = [hex(secret), base64(secret).replace(/=+$/, "")];
  const url = letters.replace(/\+/g, "-").replace(/\//g, "_");
  const spellings = [binary(secret), digits, digits.toUpperCase(), letters, url];
  return layers.some((layer) => spellings.some((spelled) => layer.includes(spelled)));
}

/** The bytes, a character each, and all that base64 in them spells, and in that. */
function layersOf(data: Bytes): string[] {
  const layers = [binary(data)];
  let fresh = layers.slice();
  for (let depth = 0; depth < DEPTH; depth += 1) {
    fresh = fresh.flatMap(decodedIn);
    layers.push(...fresh);
  }
  return layers;
}

/** What base64 in a layer spells, wherever in a row of its characters it begins. */
function decodedIn(layer: string): string[] {
  const rows = layer.match(BASE64) ?? [];
  return rows.flatMap((row) =>
    [0, 1, 2, 3].flatMap((start) => {
      const letters = row.slice(start).replace(/=+$/, "");
      // A letter too many spells nothing, and hides nothing.
      return binary(looseBase64(letters.length % 4 === 1 ? letters.slice(0, -1) : letters));
    }),
  );
}

/** All 64 hexadecimal digits in a row, wherever a row begins. */
function valuesIn(layer: string): string[] {
  return (layer.match(HEX) ?? []).map((digits) => digits.toLowerCase());
}

function bytesOf(layer: string): Bytes {
  return Uint8Array.from(layer, (letter) => letter.charCodeAt(0));
}
