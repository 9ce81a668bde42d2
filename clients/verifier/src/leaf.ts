/**
 * The payloads of leaves: OPEN, DEAL, UNSEAL, SETTLE (a transcript), ABORT, REVEAL, KEY and START, as
 * canonical JSON. Bytes stand as lowercase hex, an absent seed or commitment as an empty string, and an
 * absent member is left out. `SIGNERS` says who may sign a leaf.
 *
 * What an event of any game says: its seat, what its player had seen, its cards.
 */

import { isHex } from "./bytes.js";
import type { Json } from "./canonical.js";
import { SIGNATURE_SIZE } from "./ed25519.js";
import {
  anything,
  type Form,
  hash,
  hasOwn,
  hex32,
  integer,
  list,
  natural,
  type Of,
  oneOf,
  record,
  text,
} from "./form.js";
import { headerForm, RULESET_ID, TABLE_ID, VERSION } from "./header.js";

const MEDIA = (leaf: string): string => `application/vnd.referee.${leaf}.v1+json`;

export const CERTIFICATE_TYPE = MEDIA("certificate");
export const RECEIPT_TYPE = MEDIA("event");
/** nonce, seed and tag of XChaCha20-Poly1305. */
const SEALED_SIZE = 24 + 32 + 16;
/** Bytes of the cosigned checkpoint in a DEAL. */
const MAX_NOTE_SIZE = 4096;
/** Version of a program. */
const RELEASE = /^[A-Za-z0-9.+!_-]{1,64}$/;

export type Role = "root" | "log" | "referee" | "shuffler" | "witness";

/** Who signs each kind of leaf; null where nobody does. */
export const SIGNERS = {
  OPEN: "shuffler",
  DEAL: "shuffler",
  UNSEAL: "shuffler",
  SETTLE: "referee",
  ABORT: "shuffler",
  REVEAL: null,
  KEY: "root",
  START: "referee",
} satisfies Record<string, Role | null>;

export type Kind = keyof typeof SIGNERS;

/** Kinds by the type of an envelope. */
export const KINDS: ReadonlyMap<string, Kind> = new Map(
  (Object.keys(SIGNERS) as Kind[]).map((kind) => [MEDIA(kind.toLowerCase()), kind]),
);

/** `seat_tokens`, one a seat, stand there on a sealed table only. */
export const openForm = record(
  {
    client_commitments: list(text),
    header: headerForm,
    opened_time: natural,
    round_id: hex32,
    sealed_seed: text,
    server_commitment: hex32,
  },
  { seat_tokens: list(hex32) },
);

/** Why a seat leads. */
export const leaderByForm = oneOf("WINNER", "DRAW", "LOWEST_CARD");

/**
 * `seed_signatures` are by seat, empty for a seat that did not sign. `cosigned_checkpoint` is the hex
 * of a note by which witnesses vouch for OPEN.
 */
export const dealForm = record(
  {
    client_seeds: list(text),
    dealt_time: natural,
    deck_root: hex32,
    mix: hex32,
    opened_sections: list(natural),
    round_id: hex32,
  },
  { cosigned_checkpoint: text, leader: natural, leader_by: leaderByForm, seed_signatures: list(text) },
);

/** What an event receipt says, and what the cards opened after it; `receipt_signature` is the referee's. */
export const unsealForm = record({
  event_hash: hex32,
  history: hex32,
  number: natural,
  opens_section: natural,
  receipt_signature: text,
  received_time: natural,
  round_id: hex32,
  sections: list(natural),
  unsealed_time: natural,
});

export const abortForm = record({
  aborted_time: natural,
  client_seeds: list(text),
  reason: oneOf("SEED_MISSING", "DEADLINE", "OPERATOR", "VOID"),
  round_id: hex32,
  stage: oneOf("OPENED", "DEALT"),
});

export const revealForm = record({ round_id: hex32, server_seed: hex32 });

export const keyForm = record({
  action: oneOf("ADD", "REVOKE"),
  key: text,
  role: oneOf("log", "referee", "shuffler", "witness"),
});

/** What judges from here on; `package` is the digest of the program's installed files, or "editable". */
export const startForm = record({
  instance: text,
  package: text,
  python: text,
  rulesets: list(record({ digest: hex32, id: text, version: text })),
  settings: hex32,
  started_time: natural,
  version: text,
});

/** `received` is 1 where the referee's clock gave the time, 0 where the frontend reported it. */
const inputEventForm = record({ event: anything, received: oneOf(0, 1), time: natural });
const inputReceiptForm = record({ number: natural, signature: text }, { opens_section: natural });
const unsealedForm = record({ number: natural, sections: list(natural), time: natural });

const inputsForm = record(
  {
    header: headerForm,
    deck_root: hash,
    dealt_time: integer,
    closed_time: integer,
    sections: list(list(integer)),
    events: list(inputEventForm),
    signatures: list(text),
    unsealed: list(unsealedForm),
  },
  { receipt: inputReceiptForm, leader: integer, leader_by: leaderByForm, sealed: oneOf(1) },
);

/** The members of `results` are the game's own. */
export const transcriptForm = record({ format: oneOf(1), inputs: inputsForm, results: anything, round_id: hash });

export const receiptForm = record(
  { event_hash: hash, history: hash, number: natural, received_time: natural, round_id: hash },
  { opens_section: natural },
);

export type OpenLeaf = Of<typeof openForm>;
export type DealLeaf = Of<typeof dealForm>;
export type UnsealLeaf = Of<typeof unsealForm>;
export type AbortLeaf = Of<typeof abortForm>;
export type RevealLeaf = Of<typeof revealForm>;
export type KeyLeaf = Of<typeof keyForm>;
export type StartLeaf = Of<typeof startForm>;
export type Transcript = Of<typeof transcriptForm>;
export type Inputs = Of<typeof inputsForm>;
export type InputEvent = Of<typeof inputEventForm>;
export type EventReceipt = Of<typeof receiptForm>;

export const FORMS = {
  OPEN: openForm,
  DEAL: dealForm,
  UNSEAL: unsealForm,
  SETTLE: transcriptForm,
  ABORT: abortForm,
  REVEAL: revealForm,
  KEY: keyForm,
  START: startForm,
} satisfies Record<Kind, Form<unknown>>;

export type Leaf = { [K in Kind]: { kind: K; value: Of<(typeof FORMS)[K]> } }[Kind];

/** The first text in a leaf that should be lowercase hex and is not; null where there is none. */
export function misspelledHex(leaf: Leaf): string | null {
  const sized = hexesOf(leaf).map((one) => (typeof one === "string" ? ([one, 32] as const) : one));
  return sized.find(([text, size]) => !isHex(text, size))?.[0] ?? null;
}

/** The texts of a leaf that should be lowercase hex, each with its size in bytes where that is not 32. */
function hexesOf(leaf: Leaf): (string | readonly [string, number])[] {
  switch (leaf.kind) {
    case "OPEN": {
      const { round_id, server_commitment, client_commitments, sealed_seed, seat_tokens = [] } = leaf.value;
      const commitments = [server_commitment, ...client_commitments.filter(Boolean)];
      return [[sealed_seed, SEALED_SIZE], round_id, ...commitments, ...seat_tokens];
    }
    case "DEAL": {
      const { round_id, mix, deck_root, client_seeds, seed_signatures = [], cosigned_checkpoint: note } = leaf.value;
      const size = Math.min(Math.max((note?.length ?? 0) / 2, 1), MAX_NOTE_SIZE);
      const notes = note === undefined ? [] : [[note, size] as const];
      const signatures = seed_signatures.filter(Boolean).map((signature) => [signature, SIGNATURE_SIZE] as const);
      return [...notes, ...signatures, round_id, mix, deck_root, ...client_seeds.filter(Boolean)];
    }
    case "UNSEAL": {
      const { round_id, event_hash, history, receipt_signature } = leaf.value;
      return [[receipt_signature, SIGNATURE_SIZE], round_id, event_hash, history];
    }
    case "ABORT":
      return [leaf.value.round_id, ...leaf.value.client_seeds.filter(Boolean)];
    case "REVEAL":
      return [leaf.value.round_id, leaf.value.server_seed];
    case "START": {
      const { package: digest, rulesets, settings } = leaf.value;
      return [settings, ...rulesets.map((one) => one.digest), ...(digest === "editable" ? [] : [digest])];
    }
    case "SETTLE":
    case "KEY":
      return [];
  }
}

/**
 * What is wrong with how many tokens an OPEN has, or signatures a DEAL, or with the sections of a
 * DEAL or an UNSEAL, or with the texts of a START; null where nothing is.
 */
export function miscounted(leaf: Leaf): string | null {
  if (leaf.kind === "OPEN") {
    const [seats, tokens] = [leaf.value.header.seat_keys.length, leaf.value.seat_tokens?.length];
    return tokens === undefined || tokens === seats ? null : `${seats} seats have ${tokens} tokens`;
  }
  if (leaf.kind === "DEAL") {
    const { client_seeds: seeds, seed_signatures: signatures } = leaf.value;
    const lead = strayLeader(leaf.value, seeds.length);
    if (lead !== null) {
      return lead;
    }
    const isRight = signatures === undefined || (signatures.length === seeds.length && signatures.some(Boolean));
    if (!isRight) {
      return `${seeds.length} seats have other signatures than one a seat, or none`;
    }
    const { opened_sections: sections } = leaf.value;
    return isAscending(sections) ? null : `sections ${sections.join(", ")} do not ascend`;
  }
  if (leaf.kind === "UNSEAL") {
    const { number, opens_section: section, sections } = leaf.value;
    if (number === 0 || number >= 2 ** 32) {
      return `events are numbered from 1 to 2^32-1, and it names ${number}`;
    }
    const isRight = isAscending(sections) && sections.includes(section);
    return isRight ? null : `sections ${sections.join(", ")} do not ascend or lack ${section}`;
  }
  if (leaf.kind === "START") {
    return misnamed(leaf.value);
  }
  return null;
}

function misnamed({ instance, python, rulesets, version }: StartLeaf): string | null {
  const texts: [RegExp, string][] = [
    [TABLE_ID, instance],
    [RELEASE, python],
    [RELEASE, version],
    ...rulesets.flatMap((one): [RegExp, string][] => [
      [RULESET_ID, one.id],
      [VERSION, one.version],
    ]),
  ];
  const odd = texts.find(([form, said]) => !form.test(said));
  if (odd !== undefined) {
    return `'${odd[1]}' is not of the form ${odd[0].source}`;
  }
  // "!" sorts before every character of an id, so that a shorter id comes before one that goes on.
  const names = rulesets.map((one) => `${one.id}!${one.version}`);
  const isRising = names.every((name, at) => at === 0 || name > (names[at - 1] ?? ""));
  return isRising ? null : "its rulesets do not ascend by id and version";
}

/** What is wrong with a leader and its reason by themselves; null where nothing is. */
export function strayLeader(
  { leader, leader_by: by }: { leader?: number; leader_by?: string },
  seats: number,
): string | null {
  if ((leader === undefined) !== (by === undefined)) {
    return "leader and leader_by are there together, or neither";
  }
  return leader !== undefined && leader >= seats ? `a round of ${seats} seats has no seat ${leader}` : null;
}

function isAscending(sections: readonly number[]): boolean {
  return sections.every((section, at) => at === 0 || section > (sections[at - 1] ?? -1));
}

/** The seat whose event it is; -1 where the event names none. */
export function seatOf(event: Json): number {
  const seat = member(event, "seat");
  return typeof seat === "number" ? seat : -1;
}

/** Whether the time of its seat ran out, which others report. */
export function isTimeout(event: Json): boolean {
  return member(event, "kind") === "TIMEOUT" || member(event, "decision") === "TIMEOUT";
}

/** A member of an event; undefined where it has none. */
export function member(value: Json | undefined, name: string): Json | undefined {
  const isRecord = typeof value === "object" && !Array.isArray(value);
  return isRecord && hasOwn(value, name) ? value[name] : undefined;
}

/** The numbers in a member that is a list. */
export function numbers(value: Json | undefined): number[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "number") : [];
}
