/** The vectors of courses, each as this library finds it. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { hex, utf8 } from "../src/bytes.js";
import { decode, encode } from "../src/canonical.js";
import { arrangementCommitment } from "../src/commitment.js";
import { Course, isReceipted } from "../src/course.js";
import { openEnvelope, parseEnvelope, isSignedBy } from "../src/dsse.js";
import { isSignature } from "../src/ed25519.js";
import { isTimeout } from "../src/events.js";
import { NO_KEY } from "../src/header.js";
import { KeyRing } from "../src/keys.js";
import { type InputEvent, RECEIPT_TYPE, receiptForm } from "../src/leaf.js";
import { readReceiptedEvent, receiptedFault, writeReceiptedEvent } from "../src/receipted.js";
import { readLeaf } from "../src/reading.js";
import type { RoundLeaves } from "../src/round-leaves.js";
import { bytes, type Row, vectors } from "./files.js";

function courseOf(row: Row): Course {
  return new Course(row["round_id"], row["deck_root"], row["events"] as InputEvent[]);
}

function reported(events: readonly unknown[]): InputEvent[] {
  return events.map((event) => ({ event, received: 0, time: 1 }) as InputEvent);
}

for (const row of vectors("transcript/chains")) {
  test(`course ${row["id"]}: ${row["why"]}`, () => {
    const course = courseOf(row);
    assert.deepEqual(course.hashes.map(hex), row["hashes"]);
    assert.deepEqual(course.histories.map(hex), row["histories"]);
  });
}

for (const row of vectors("transcript/seat_chains")) {
  test(`chains of seats, ${row["id"]}: ${row["why"]}`, () => {
    const course = new Course(row["round_id"], row["deck_root"], reported(row["events"]));
    const keys = row["seat_keys"] as string[];
    const chains = course.seatChains(keys);
    assert.deepEqual(
      chains?.map((chain) => chain.map(hex)),
      row["chains"],
    );
    assert.deepEqual(course.unsignedSeats(keys, row["signatures"]), []);
  });
}

for (const row of vectors("transcript/refused_seat_chains")) {
  test(`no chain of a seat, ${row["id"]}: ${row["why"]}`, () => {
    const course = new Course(row["round_id"], row["deck_root"], reported(row["events"]));
    assert.equal(course.seatChains(row["seat_keys"]), null);
  });
}

for (const row of vectors("transcript/courses")) {
  test(`what is signed of course ${row["id"]}: ${row["why"]}`, () => {
    const course = courseOf(row);
    const fault = course.receiptFault(row["receipt"], [bytes(row["public_key"])]);
    const unsigned = course.unsignedSeats(row["seat_keys"], row["signatures"]);
    if (row["fault"] === "") {
      assert.deepEqual([fault, unsigned], [null, []]);
      assert.equal(course.level(row["seat_keys"]), row["level"]);
    } else if (row["fault"] === "EVENT_UNSIGNED") {
      assert.equal(fault, null);
      assert.ok(unsigned === null || unsigned.length > 0);
    } else {
      assert.notEqual(fault, null);
    }
  });
}

for (const row of vectors("transcript/receipts")) {
  test(`receipt ${row["id"]}: ${row["why"]}`, () => {
    const read = () => {
      const terms = { type: RECEIPT_TYPE, keys: [bytes(row["public_key"])] };
      return receiptForm(decode(openEnvelope(utf8(row["receipt"]), terms)), "");
    };
    if (row["holds"]) {
      for (const [name, value] of Object.entries(read())) {
        assert.equal(value, row[name]);
      }
    } else {
      assert.throws(read);
    }
  });
}

test("a longer file is no receipted event", () => {
  for (const size of [60_000, 131_072]) {
    const file = writeReceiptedEvent({
      events: ['{"kind":"PASS","seat":2}'],
      receipt: "x".repeat(size),
      signature: "",
    });
    assert.equal(readReceiptedEvent(utf8(file)) === null, file.length > 131_072);
  }
});

for (const row of vectors("transcript/receipted_events")) {
  test(`receipted event ${row["id"]}: ${row["why"]}`, () => {
    const kept = readReceiptedEvent(utf8(row["file"]));
    assert.equal(kept !== null, row["is_file"]);
    if (kept === null) {
      return;
    }
    assert.equal(writeReceiptedEvent(kept), row["file"]);
    const read = () => {
      const terms = { type: RECEIPT_TYPE, keys: [bytes(row["public_key"])] };
      return receiptForm(decode(openEnvelope(utf8(kept.receipt), terms)), "");
    };
    const inputs = { closed_time: row["closed_time"] as number };
    const leaves = {
      roundId: row["round_id"],
      header: { seat_keys: row["seat_keys"] },
      deal: { value: { deck_root: row["deck_root"], dealt_time: row["dealt_time"] } },
      settle: { value: { inputs } },
    } as unknown as RoundLeaves;
    if (row["holds"]) {
      assert.deepEqual([read().number, read().event_hash], [row["number"], row["event_hash"]]);
      assert.equal(receiptedFault(kept, read(), leaves), null);
    } else {
      assert.throws(() => assert.equal(receiptedFault(kept, read(), leaves), null));
    }
  });
}

for (const row of vectors("dealing/unseals")) {
  test(`UNSEAL ${row["id"]}: ${row["why"]}`, () => {
    const placed = readLeaf(utf8(row["envelope"]), { index: 0, ring: new KeyRing([], []) });
    assert.ok(placed.kind === "UNSEAL");
    assert.ok(isSignedBy(parseEnvelope(utf8(row["envelope"])), bytes(row["public_key"])));
    const receipt = receiptForm(decode(utf8(row["receipt"])), "");
    assert.equal(encode({ ...placed.value, ...receipt }), row["payload"]);
    const { receipt_signature: signature } = placed.value;
    assert.equal(isReceipted(receipt, signature, [bytes(row["referee_key"])]), row["holds"]);
  });
}

test("the seat with a key signs its chain in a sealed round, and opens what it committed to", () => {
  const rows = vectors("dealing/sealed_events");
  const [first] = rows as [Row];
  const events = reported(rows.map((row) => decode(utf8(row["event"]))));
  assert.ok(rows.length > 3);
  for (const [place, row] of rows.entries()) {
    const course = new Course(first["round_id"], first["deck_root"], events.slice(0, place + 1));
    assert.equal(hex(course.hashes[place + 1] ?? new Uint8Array()), row["hash"]);
    const last = course.seatChains([row["public_key"], NO_KEY])?.[0]?.at(-1);
    const event = events[place] as InputEvent;
    assert.equal(isTimeout(event), row["signed"] === "");
    if (row["signed"] !== "") {
      assert.equal(hex(last ?? new Uint8Array()), row["signed"]);
      const [signature, key] = [bytes(row["signature"]), bytes(row["public_key"])];
      assert.ok(isSignature(signature, bytes(row["signed"]), key));
    }
    if (row["opens"] !== "") {
      const { back, middle, front, nonce, seat } = JSON.parse(row["event"]) as Row;
      const inputs = { cards: [...back, ...middle, ...front] as number[], nonce: bytes(nonce) };
      assert.equal(hex(arrangementCommitment(bytes(row["round_id"]), seat, inputs)), row["opens"]);
    }
  }
});
