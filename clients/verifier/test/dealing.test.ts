/** The vectors of deals and courses, which a second derivation in Python wrote: each as this library finds it. */

import { test } from "node:test";

import assert from "node:assert/strict";
import { type Bytes, hex, utf8 } from "../src/bytes.js";
import { decode, encode } from "../src/canonical.js";
import { CertificateError, readCertificate } from "../src/certificate.js";
import { arrangementCommitment, clientCommitment, seatTokenHash, seedStatement } from "../src/commitment.js";
import { Course, isReceipted } from "../src/course.js";
import { deriveDeal, drawLeader, sectionRoot, shuffle, StreamUsedUpError } from "../src/deal.js";
import { formatEnvelope, isSignedBy, openEnvelope, parseEnvelope } from "../src/dsse.js";
import { isSignature } from "../src/ed25519.js";
import { readReceiptedEvent, receiptedFault, writeReceiptedEvent } from "../src/exhibit.js";
import { type Header, NO_KEY, roundIdOf, SUITE_FIXTURE } from "../src/header.js";
import { KeyRing } from "../src/keys.js";
import { seatOfWinner } from "../src/lead.js";
import {
  type EventReceipt,
  type InputEvent,
  isTimeout,
  KINDS,
  RECEIPT_TYPE,
  receiptForm,
  type Transcript,
} from "../src/leaf.js";
import { readLeaf } from "../src/reading.js";
import type { RoundLeaves } from "../src/round-leaves.js";
import { winnerOf } from "../src/table.js";
import { bytes, eachRow, expect, type Row, vectors } from "./files.js";

const leafOf = (envelope: string) => readLeaf(utf8(envelope), { index: 0, ring: new KeyRing() });
const bent = (value: Bytes): Bytes => value.map((byte, at) => (at === 0 ? byte ^ 1 : byte));
const hexes = (values: Iterable<Bytes>): string[] => Array.from(values, hex);

eachRow("dealing/headers", (row) => assert.equal(hex(roundIdOf(row["header"] as Header)), row["round_id"]));

eachRow("dealing/deals", (row) => {
  const header = row["header"] as Header;
  const clientSeeds = (row["client_seeds"] as string[]).map(bytes);
  const deal = deriveDeal(header, { serverSeed: bytes(row["server_seed"]), clientSeeds });
  assert.deepEqual(
    [hex(deal.commitment), hex(deal.mixed), hex(deal.deckRoot), deal.sections.flat()],
    [row["server_commitment"], row["mix"], row["deck_root"], row["deck"]],
  );
  const commitments = clientSeeds.map((seed, seat) => clientCommitment(deal.roundId, seat, seed));
  assert.deepEqual(hexes(commitments), row["client_commitments"]);
  const source = header.randomness_suite === SUITE_FIXTURE ? deal.commitment : deal.mixed;
  const seats = header.seat_keys.length;
  const drawn = drawLeader(bytes(row["server_seed"]), { mixed: source, roundId: deal.roundId, seats });
  assert.equal(drawn, row["drawn"]);
  const leads = header.ruleset_id.startsWith("tien_len.");
  assert.deepEqual([deal.drawn, deal.lowest], leads ? [drawn, row["lowest"]] : [null, null]);
  const sections = deal.sections.map((cards, at) => {
    return { cards, key: hex(deal.keys[at] as Bytes), root: hex(deal.roots[at] as Bytes) };
  });
  assert.deepEqual(
    sections,
    (row["sections"] as Row[]).map(({ cards, key, root }) => ({ cards, key, root })),
  );
});

eachRow("dealing/leads", (row) => {
  const winner = winnerOf({ results: row["results"] } as unknown as Transcript, row["before"] as Header);
  assert.equal(winner === null ? null : seatOfWinner(winner, row["header"] as Header), row["seat"]);
});

eachRow("dealing/shuffles", (row) => {
  const work = () => shuffle(bytes(row["stream"]));
  if (row["deck"].length > 0) {
    assert.deepEqual(work(), row["deck"]);
  } else {
    assert.throws(work, StreamUsedUpError);
  }
});

/** A section has its root, and no other cards, key or place have it. */
eachRow("dealing/sections", (row) => {
  const where = { roundId: bytes(row["round_id"]), section: row["section"] as number };
  const [key, cards] = [bytes(row["key"]), row["cards"] as number[]];
  assert.equal(hex(sectionRoot(key, where, cards)), row["root"]);
  const first = cards[0] as number;
  const others = [
    sectionRoot(key, where, [(first % 52) + 1, ...cards.slice(1)]),
    sectionRoot(key, where, cards.toReversed()),
    sectionRoot(key, where, cards.slice(1)),
    sectionRoot(key, where, [...cards, first]),
    sectionRoot(bent(key), where, cards),
    sectionRoot(key, { ...where, section: where.section + 1 }, cards),
    sectionRoot(key, { ...where, roundId: bent(where.roundId) }, cards),
  ];
  assert.ok(!hexes(others).includes(row["root"]));
});

eachRow("dealing/refused_openings", (row) => {
  if (row["kind"] === "SECTION") {
    const where = { roundId: bytes(row["round_id"]), section: row["section"] as number };
    assert.notEqual(hex(sectionRoot(bytes(row["key"]), where, row["cards"])), row["root"]);
  }
});

eachRow("dealing/certificates dealing/sealed_certificates", (row) => {
  const read = () => readCertificate(utf8(row["certificate"]), [bytes(row["public_key"])], row["header"] as Header);
  if (row["fault"]) {
    assert.throws(read, (error) => error instanceof CertificateError && error.fault === row["fault"]);
    return;
  }
  const shown = read();
  const sections = shown.sections.map(({ cards, index }) => [String(index), cards]);
  const times = shown.sections.map(({ index, unsealed_time: time }) => [String(index), time]);
  assert.deepEqual(Object.fromEntries(sections), row["sections"]);
  assert.deepEqual(Object.fromEntries(times.filter(([, time]) => time !== undefined)), row["unsealed"] ?? {});
  assert.deepEqual([shown.deck_root, shown.dealt_time], [row["deck_root"], row["dealt_time"]]);
});

eachRow("dealing/arrangements", (row) => {
  const inputs = { cards: row["cards"] as number[], nonce: bytes(row["nonce"]) };
  assert.equal(hex(arrangementCommitment(bytes(row["round_id"]), row["seat"], inputs)), row["commitment"]);
});

eachRow("dealing/seed_signatures", (row) => {
  const inputs = { seat: row["seat"] as number, tokenHash: bytes(row["token_hash"]), seed: bytes(row["seed"]) };
  const of = (more: Partial<typeof inputs>): Bytes =>
    seedStatement(bytes(row["round_id"]), bytes(row["server_commitment"]), { ...inputs, ...more });
  const [signature, key] = [bytes(row["signature"]), bytes(row["public_key"])];
  assert.equal(hex(of({})), row["statement"]);
  assert.ok(isSignature(signature, of({}), key));
  for (const more of [{ seat: inputs.seat + 1 }, { tokenHash: new Uint8Array(32) }, { seed: bent(inputs.seed) }]) {
    assert.ok(!isSignature(signature, of(more), key));
  }
});

eachRow("dealing/seat_tokens", (row) => {
  assert.equal(hex(seatTokenHash(bytes(row["round_id"]), row["seat"], bytes(row["token"]))), row["hash"]);
});

eachRow("dealing/leaves dealing/seat_leaves", (row) => {
  const envelope = parseEnvelope(utf8(row["envelope"]));
  assert.equal(KINDS.get(envelope.payloadType), row["kind"].toUpperCase());
  assert.equal(encode(decode(envelope.payload)), row["payload"]);
  assert.equal(encode(leafOf(row["envelope"]).value), row["payload"]);
  if (row["public_key"]) {
    assert.ok(isSignedBy(envelope, bytes(row["public_key"])));
    assert.ok(!isSignedBy({ ...envelope, payloadType: "text/plain" }, bytes(row["public_key"])));
  } else {
    assert.equal(envelope.signature, null);
  }
});

/** What contradicts a leaf's other members alone is for the examination of its round. */
const READABLE = ["open.round_id", "deal.missing_seed"];

eachRow("dealing/refused_leaves", (row) => {
  const payloadType = `application/vnd.referee.${row["kind"]}.v1+json`;
  const envelope = formatEnvelope({ payloadType, payload: utf8(row["payload"]), signature: null });
  expect(READABLE.includes(row["id"]), () => leafOf(envelope));
});

test("each byte that counts draws each of n places equally often, for n from 2 to 52", () => {
  for (let n = 2; n <= 52; n += 1) {
    const counts = new Array<number>(n).fill(0);
    for (let byte = 0; byte < 256; byte += 1) {
      // Draws above n cards take byte 0, which leaves the deck's first card where it was; the draw
      // for n cards takes this byte, and where it does not count the 0 after it; the rest take 0.
      const stream = new Uint8Array(128);
      stream[52 - n] = byte;
      const isTaken = byte < 256 - (256 % n);
      const expected = shuffleBySwaps(52 - n, isTaken ? byte % n : 0);
      assert.deepEqual(shuffle(stream), expected);
      if (isTaken) {
        counts[byte % n] = (counts[byte % n] ?? 0) + 1;
      }
    }
    assert.equal(new Set(counts).size, 1);
  }
});

/** The deck where all swaps are with place 0 but the one after `before` of them, which is with j. */
function shuffleBySwaps(before: number, j: number): number[] {
  const deck = Array.from({ length: 52 }, (_, place) => place + 1);
  for (let i = 51; i > 0; i -= 1) {
    const other = 51 - i === before ? j : 0;
    const held = deck[i] as number;
    deck[i] = deck[other] as number;
    deck[other] = held;
  }
  return deck;
}

const reported = (events: readonly unknown[]): InputEvent[] =>
  events.map((event) => ({ event, received: 0, time: 1 }) as InputEvent);
const courseOf = (row: Row, events = row["events"] as InputEvent[]): Course =>
  Course.of(row["round_id"], row["deck_root"], events);
const receiptOf = (envelope: string, row: Row): EventReceipt => {
  const terms = { type: RECEIPT_TYPE, keys: [bytes(row["public_key"])] };
  return receiptForm(decode(openEnvelope(utf8(envelope), terms)), "");
};

eachRow("transcript/chains", (row) => {
  const { start, links } = courseOf(row);
  assert.deepEqual(hexes([start, ...links.map(({ eventHash }) => eventHash)]), row["hashes"]);
  assert.deepEqual(hexes([start, ...links.map(({ history }) => history)]), row["histories"]);
});

eachRow("transcript/seat_chains", (row) => {
  const course = courseOf(row, reported(row["events"]));
  assert.deepEqual(course.seatChains(row["seat_keys"])?.map(hexes), row["chains"]);
  assert.deepEqual(course.unsignedSeats(row["seat_keys"], row["signatures"]), []);
  const newest = (row["chains"] as string[][]).map((chain) => (chain.length > 1 ? chain.at(-1) : undefined));
  const moves = newest.map((_, seat) => course.moves.get(seat));
  assert.deepEqual(
    moves.map((move) => move && hex(move)),
    newest,
  );
});

eachRow("transcript/refused_seat_chains", (row) => {
  assert.equal(courseOf(row, reported(row["events"])).seatChains(row["seat_keys"]), null);
});

eachRow("transcript/courses", (row) => {
  const course = courseOf(row);
  const fault = course.receiptFault(row["receipt"], [bytes(row["public_key"])]);
  const unsigned = course.unsignedSeats(row["seat_keys"], row["signatures"]);
  if (row["fault"] === "") {
    assert.deepEqual([fault, unsigned, course.level(row["seat_keys"])], [null, [], row["level"]]);
  } else if (row["fault"] === "EVENT_UNSIGNED") {
    assert.equal(fault, null);
    assert.ok(unsigned === null || unsigned.length > 0);
  } else {
    assert.notEqual(fault, null);
  }
});

eachRow("transcript/receipts", (row) => {
  expect(row["holds"], () => {
    for (const [name, value] of Object.entries(receiptOf(row["receipt"], row))) {
      assert.equal(value, row[name]);
    }
  });
});

test("a longer file is no receipted event", () => {
  for (const size of [60_000, 131_072]) {
    const kept = { events: ['{"kind":"PASS","seat":2}'], receipt: "x".repeat(size), signature: "" };
    const file = writeReceiptedEvent(kept);
    assert.equal(readReceiptedEvent(utf8(file)) === null, file.length > 131_072);
  }
});

eachRow("transcript/receipted_events", (row) => {
  const kept = readReceiptedEvent(utf8(row["file"]));
  assert.equal(kept !== null, row["is_file"]);
  if (kept === null) {
    return;
  }
  assert.equal(writeReceiptedEvent(kept), row["file"]);
  const leaves = {
    roundId: row["round_id"],
    header: { seat_keys: row["seat_keys"] },
    deal: { value: { deck_root: row["deck_root"], dealt_time: row["dealt_time"] } },
    settle: { value: { inputs: { closed_time: row["closed_time"] as number } } },
  } as unknown as RoundLeaves;
  expect(row["holds"], () => {
    const receipt = receiptOf(kept.receipt, row);
    assert.deepEqual(
      [receipt.number, receipt.event_hash, receiptedFault(kept, receipt, leaves)],
      [row["number"], row["event_hash"], null],
    );
  });
});

eachRow("dealing/unseals", (row) => {
  const placed = leafOf(row["envelope"]);
  assert.ok(placed.kind === "UNSEAL");
  assert.ok(isSignedBy(placed.envelope, bytes(row["public_key"])));
  const receipt = receiptForm(decode(utf8(row["receipt"])), "");
  assert.equal(encode({ ...placed.value, ...receipt }), row["payload"]);
  assert.equal(isReceipted(receipt, placed.value.receipt_signature, [bytes(row["referee_key"])]), row["holds"]);
});

test("the seat with a key signs its chain in a sealed round, and opens what it committed to", () => {
  const rows = vectors("dealing/sealed_events");
  assert.ok(rows.length > 3);
  const course = courseOf(rows[0] as Row, reported(rows.map((row) => decode(utf8(row["event"])))));
  for (const [place, row] of rows.entries()) {
    const link = course.links[place];
    assert.ok(link !== undefined);
    assert.equal(hex(link.eventHash), row["hash"]);
    assert.equal(isTimeout(link.said), row["signed"] === "");
    if (row["signed"] !== "") {
      const upTo = courseOf(row, reported(course.links.slice(0, place + 1).map(({ said }) => said)));
      const move = upTo.seatChains([row["public_key"], NO_KEY])?.[0]?.at(-1);
      assert.equal(move && hex(move), row["signed"]);
      assert.ok(isSignature(bytes(row["signature"]), bytes(row["signed"]), bytes(row["public_key"])));
    }
    if (row["opens"] !== "") {
      const { back, middle, front, nonce, seat } = JSON.parse(row["event"]) as Row;
      const inputs = { cards: [...back, ...middle, ...front] as number[], nonce: bytes(nonce) };
      assert.equal(hex(arrangementCommitment(bytes(row["round_id"]), seat, inputs)), row["opens"]);
    }
  }
});
