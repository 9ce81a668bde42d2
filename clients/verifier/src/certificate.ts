/**
 * Certificates: cards of a deal, opened under the shuffler's signature, that need no call to be verified. A certificate
 * names its round, repeats C, M and every section's root, and opens some sections with their cards and K_i. Checked in
 * this order: envelope, signature, type, canonical form, round and deadline, each opened section, no card twice, the
 * deck root. Whether it has expired matters to those who play and not to a verifier.
 */

import { attempt } from "./attempt.js";
import { type Bytes, equal, hex, isHex, SpellingError, unhex } from "./bytes.js";
import { decode } from "./canonical.js";
import { deckRoot, sectionRoot } from "./deal.js";
import { EnvelopeError, openEnvelope } from "./dsse.js";
import { FormError, hex32, list, natural, type Of, oneOf, record } from "./form.js";
import { type Header, roundIdOf } from "./header.js";
import { CERTIFICATE_TYPE, leaderByForm, strayLeader } from "./leaf.js";

/** `sealed` is a member on a sealed table only, `leader` in a game that has one, `unsealed_time` of a section that an UNSEAL opened. */
export const certificateForm = record(
  {
    dealt_time: natural,
    deck_root: hex32,
    expires_time: natural,
    mix: hex32,
    round_id: hex32,
    section_roots: list(hex32),
    sections: list(record({ cards: list(natural), index: natural, key: hex32 }, { unsealed_time: natural })),
    server_commitment: hex32,
  },
  { leader: natural, leader_by: leaderByForm, sealed: oneOf(1) },
);

export type Certificate = Of<typeof certificateForm>;

/** Errors of bytes that are no envelope, or one that holds no such payload. */
export const REFUSALS = [EnvelopeError, SpellingError, FormError] as const;

export type CertificateFault =
  | "MALFORMED"
  | "FORGED"
  | "WRONG_TYPE"
  | "FOREIGN_ROUND"
  | "BAD_SECTION"
  | "WRONG_SIZE"
  | "ROOT_MISMATCH"
  | "DUPLICATE_CARD";

/** A certificate that proves nothing. */
export class CertificateError extends Error {
  override name = "CertificateError";
  constructor(
    readonly fault: CertificateFault,
    message: string,
  ) {
    super(message);
  }
}

/** What the certificate shows under one of the shuffler's keys, for the round of this header. */
export function readCertificate(data: Bytes, keys: Bytes[], header: Header): Certificate {
  const shown = signedPayload(data, keys);
  const roundId = roundIdOf(header);
  if (shown.round_id !== hex(roundId)) {
    refuse("FOREIGN_ROUND", `the certificate is for round ${shown.round_id}`);
  }
  if (shown.expires_time !== header.round_deadline) {
    refuse("FOREIGN_ROUND", "the certificate names another deadline than the round");
  }
  const texts = [shown.deck_root, shown.mix, shown.server_commitment, ...shown.section_roots];
  if (![...texts, ...shown.sections.map((section) => section.key)].every((one) => isHex(one))) {
    refuse("MALFORMED", "a hash is not lowercase hex");
  }
  checkSections(shown, header, roundId);
  const whole = deckRoot({
    roundId,
    commitment: unhex(shown.server_commitment),
    mixed: unhex(shown.mix),
    layout: header.layout,
    roots: shown.section_roots.map((root) => unhex(root)),
  });
  if (hex(whole) !== shown.deck_root) {
    refuse("ROOT_MISMATCH", "the roots do not hash to the deck root");
  }
  const stray = strayLeader(shown, header.seat_keys.length);
  if (stray !== null) {
    refuse("MALFORMED", stray);
  }
  return shown;
}

function signedPayload(data: Bytes, keys: Bytes[]): Certificate {
  const open = () => openEnvelope(data, { type: CERTIFICATE_TYPE, keys });
  const shown = attempt(() => certificateForm(decode(open()), ""), ...REFUSALS);
  if (shown instanceof EnvelopeError) {
    const isOdd = shown.fault === "TOO_LONG" || shown.fault === "MALFORMED";
    refuse(isOdd ? "MALFORMED" : (shown.fault as CertificateFault), shown.message);
  }
  if (shown instanceof Error) {
    refuse("MALFORMED", `the payload is no certificate: ${shown.message}`);
  }
  return shown;
}

function checkSections(shown: Certificate, header: Header, roundId: Bytes): void {
  if (shown.section_roots.length !== header.layout.length) {
    refuse("BAD_SECTION", "there is not a root for each section");
  }
  let last = -1;
  for (const { cards, index, key } of shown.sections) {
    const [size, root] = [header.layout[index], shown.section_roots[index]];
    if (index <= last || size === undefined || root === undefined) {
      refuse("BAD_SECTION", `section ${index} is out of order or unknown`);
    }
    last = index;
    if (cards.length !== size) {
      refuse("WRONG_SIZE", `section ${index} has ${cards.length} cards, not ${size}`);
    }
    if (cards.some((card) => card < 1 || card > 52)) {
      refuse("MALFORMED", `section ${index} has a number that no card has`);
    }
    if (!equal(sectionRoot(unhex(key), { roundId, section: index }, cards), unhex(root))) {
      refuse("ROOT_MISMATCH", `section ${index} does not hash to its root`);
    }
  }
  const all = shown.sections.flatMap((section) => section.cards);
  if (new Set(all).size !== all.length) {
    refuse("DUPLICATE_CARD", "a card is in two places");
  }
}

function refuse(fault: CertificateFault, message: string): never {
  throw new CertificateError(fault, message);
}
