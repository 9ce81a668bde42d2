/** The dealing vectors, which a second derivation in Python wrote: each as this library finds it. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { type Bytes, hex, utf8 } from "../src/bytes.js";
import { decode, encode } from "../src/canonical.js";
import { CertificateError, readCertificate } from "../src/certificate.js";
import { arrangementCommitment, clientCommitment, seatTokenHash, seedStatement } from "../src/commitment.js";
import { deriveDeal } from "../src/deal.js";
import { drawLeader, shuffle, StreamUsedUpError } from "../src/deck.js";
import { isSignedBy, parseEnvelope } from "../src/dsse.js";
import { isSignature } from "../src/ed25519.js";
import { type Header, roundIdOf, SUITE_FIXTURE } from "../src/header.js";
import { seatOfWinner } from "../src/lead.js";
import { KINDS, type Transcript } from "../src/leaf.js";
import { KeyRing } from "../src/keys.js";
import { readLeaf } from "../src/reading.js";
import { sectionRoot } from "../src/section.js";
import { winnerOf } from "../src/table.js";
import { bytes, type Row, vectors } from "./files.js";

for (const row of vectors("dealing/headers")) {
  test(`header ${row["id"]} hashes to its round id`, () => {
    assert.equal(hex(roundIdOf(row["header"] as Header)), row["round_id"]);
  });
}

for (const row of vectors("dealing/deals")) {
  test(`deal ${row["id"]} follows from header and seeds`, () => {
    const header = row["header"] as Header;
    const clientSeeds = (row["client_seeds"] as string[]).map(bytes);
    const deal = deriveDeal(header, { serverSeed: bytes(row["server_seed"]), clientSeeds });
    assert.equal(hex(deal.commitment), row["server_commitment"]);
    assert.equal(hex(deal.mixed), row["mix"]);
    assert.equal(hex(deal.deckRoot), row["deck_root"]);
    assert.deepEqual(deal.sections.flat(), row["deck"]);
    const commitments = clientSeeds.map((seed, seat) => clientCommitment(deal.roundId, seat, seed));
    assert.deepEqual(commitments.map(hex), row["client_commitments"]);
    const source = header.randomness_suite === SUITE_FIXTURE ? deal.commitment : deal.mixed;
    const seats = header.seat_keys.length;
    const drawn = drawLeader(bytes(row["server_seed"]), { mixed: source, roundId: deal.roundId, seats });
    assert.equal(drawn, row["drawn"]);
    const leads = header.ruleset_id.startsWith("tien_len.");
    assert.equal(deal.drawn, leads ? drawn : null);
    assert.equal(deal.lowest, leads ? row["lowest"] : null);
    for (const [section, inputs] of (row["sections"] as Row[]).entries()) {
      const [cards, key, root] = [deal.sections[section], deal.keys[section], deal.roots[section]];
      assert.ok(cards && key && root);
      assert.deepEqual(cards, inputs["cards"]);
      assert.equal(hex(key), inputs["key"]);
      assert.equal(hex(root), inputs["root"]);
    }
  });
}

for (const row of vectors("dealing/leads")) {
  test(`lead ${row["id"]}: ${row["why"]}`, () => {
    const transcript = { results: row["results"] } as unknown as Transcript;
    const winner = winnerOf(transcript, row["before"] as Header);
    const seat = winner === null ? null : seatOfWinner(winner, row["header"] as Header);
    assert.equal(seat, row["seat"]);
  });
}

for (const row of vectors("dealing/shuffles")) {
  test(`shuffle ${row["id"]}: ${row["why"]}`, () => {
    const stream = bytes(row["stream"]);
    if (row["deck"].length > 0) {
      assert.deepEqual(shuffle(stream), row["deck"]);
    } else {
      assert.throws(() => shuffle(stream), StreamUsedUpError);
    }
  });
}

for (const row of vectors("dealing/sections")) {
  test(`section ${row["id"]} has its root, and no other cards, key or place have it`, () => {
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
    assert.ok(!others.map(hex).includes(row["root"]));
  });
}

function bent(value: Bytes): Bytes {
  return value.map((byte, at) => (at === 0 ? byte ^ 1 : byte));
}

for (const row of vectors("dealing/refused_openings").filter((one) => one["kind"] === "SECTION")) {
  test(`${row["id"]} does not open its section: ${row["why"]}`, () => {
    const where = { roundId: bytes(row["round_id"]), section: row["section"] as number };
    assert.notEqual(hex(sectionRoot(bytes(row["key"]), where, row["cards"])), row["root"]);
  });
}

for (const row of [...vectors("dealing/certificates"), ...vectors("dealing/sealed_certificates")]) {
  test(`certificate ${row["id"]}: ${row["why"]}`, () => {
    const read = () => readCertificate(utf8(row["certificate"]), [bytes(row["public_key"])], row["header"] as Header);
    if (row["fault"]) {
      assert.throws(read, (error) => error instanceof CertificateError && error.fault === row["fault"]);
      return;
    }
    const shown = read();
    const sections = shown.sections.map(({ cards, index }) => [String(index), cards]);
    assert.deepEqual(Object.fromEntries(sections), row["sections"]);
    const times = shown.sections.flatMap(({ index, unsealed_time: time }) =>
      time === undefined ? [] : [[String(index), time]],
    );
    assert.deepEqual(Object.fromEntries(times), row["unsealed"] ?? {});
    assert.equal(shown.deck_root, row["deck_root"]);
    assert.equal(shown.dealt_time, row["dealt_time"]);
  });
}

for (const row of vectors("dealing/arrangements")) {
  test(`arrangement ${row["id"]} has its commitment`, () => {
    const inputs = { cards: row["cards"] as number[], nonce: bytes(row["nonce"]) };
    const found = arrangementCommitment(bytes(row["round_id"]), row["seat"], inputs);
    assert.equal(hex(found), row["commitment"]);
  });
}

for (const row of vectors("dealing/seed_signatures")) {
  test(`seed ${row["id"]}: ${row["why"]}`, () => {
    const inputs = { seat: row["seat"] as number, tokenHash: bytes(row["token_hash"]), seed: bytes(row["seed"]) };
    const of = (more: Partial<typeof inputs>): Bytes =>
      seedStatement(bytes(row["round_id"]), bytes(row["server_commitment"]), { ...inputs, ...more });
    const statement = of({});
    const [signature, key] = [bytes(row["signature"]), bytes(row["public_key"])];
    assert.equal(hex(statement), row["statement"]);
    assert.ok(isSignature(signature, statement, key));
    assert.ok(!isSignature(signature, of({ seat: inputs.seat + 1 }), key));
    assert.ok(!isSignature(signature, of({ tokenHash: new Uint8Array(32) }), key));
    assert.ok(!isSignature(signature, of({ seed: inputs.seed.map((byte) => byte ^ 1) }), key));
  });
}

for (const row of vectors("dealing/seat_tokens")) {
  test(`seat token ${row["id"]}: ${row["why"]}`, () => {
    const found = seatTokenHash(bytes(row["round_id"]), row["seat"], bytes(row["token"]));
    assert.equal(hex(found), row["hash"]);
  });
}

for (const row of [...vectors("dealing/leaves"), ...vectors("dealing/seat_leaves")]) {
  test(`leaf ${row["id"]}: ${row["why"]}`, () => {
    const envelope = parseEnvelope(utf8(row["envelope"]));
    assert.equal(KINDS.get(envelope.payloadType), row["kind"].toUpperCase());
    assert.equal(encode(decode(envelope.payload)), row["payload"]);
    const placed = readLeaf(utf8(row["envelope"]), { index: 0, ring: new KeyRing([], []) });
    assert.equal(encode(placed.value), row["payload"]);
    if (row["public_key"]) {
      assert.ok(isSignedBy(envelope, bytes(row["public_key"])));
      assert.ok(!isSignedBy({ ...envelope, payloadType: "text/plain" }, bytes(row["public_key"])));
    } else {
      assert.equal(envelope.signature, null);
    }
  });
}

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
