/** A seat's chain, by the vectors and by what it must refuse to sign. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ed25519 } from "@noble/curves/ed25519.js";
import { contentHash } from "../src/asking.js";
import {
  create,
  Decision,
  MAU_BINH,
  MauBinhEventSchema,
  TIEN_LEN,
  TienLenEventSchema,
  ULTIMATE_TEXAS,
  UltimateTexasEventSchema,
} from "../src/index.js";
import {
  AlreadySignedError,
  type AnyEvent,
  Course,
  CourseError,
  type EventEncoder,
  eventBytes,
  SeatChain,
} from "../src/seat.js";
import { hex, unhex, vectors } from "./server.js";

interface Content {
  readonly id: string;
  readonly seats: number;
  readonly certificates: readonly string[];
  readonly receipt: string;
  readonly signatures: readonly string[];
  readonly content: string;
}

const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

test("the content of a round message is the vectors'", () => {
  const rows = vectors<Content>("transcript/contents");
  assert.ok(rows.length > 5);
  for (const { id, seats, certificates, receipt, signatures, content } of rows) {
    const said = {
      certificates: certificates.map(unhex),
      signatures: signatures.map(unhex),
      ...(receipt === "" ? {} : { receipt: unhex(receipt) }),
    };
    assert.equal(hex(contentHash(said, seats)), content, id);
  }
});

test("the bytes of an event are the vectors'", () => {
  const texts = new Map(
    vectors<{ readonly id: string; readonly event: string }>("transcript/events").map(({ id, event }) => [id, event]),
  );
  const bytes = <Event extends AnyEvent>(game: EventEncoder<Event>, event: Event) =>
    new TextDecoder().decode(eventBytes(game, event));
  const [back, middle, front] = [
    [1, 2, 3, 4, 5],
    [6, 7, 8, 9, 10],
    [11, 12, 13],
  ];
  const arrange = { case: "arrange" as const, value: { back, middle, front } };
  const commit = { case: "commit" as const, value: { commitment: new Uint8Array(32) } };
  const leave = { case: "leave" as const, value: {} };
  const binh = (id: string, event: Parameters<typeof create<typeof MauBinhEventSchema>>[1]) =>
    assert.equal(bytes(MAU_BINH, create(MauBinhEventSchema, event)), texts.get(`mau_binh.${id}`));
  binh("arrange", { seat: 0, choice: arrange });
  binh("leave", { seat: 3, choice: leave });
  binh("leave-seen", { seat: 3, choice: leave, seen: 0 });
  binh("commit", { seat: 1, choice: commit });
  binh("commit-seen", { seat: 1, choice: commit, seen: 0 });
  const pass = create(TienLenEventSchema, { seat: 1, seen: 4, choice: { case: "passTurn", value: {} } });
  assert.equal(bytes(TIEN_LEN, pass), '{"kind":"PASS","seat":1,"seen":4}');
  const bet = create(UltimateTexasEventSchema, { seat: 2, decision: Decision.PLAY_4X, seen: 0 });
  assert.equal(bytes(ULTIMATE_TEXAS, bet), '{"decision":"PLAY_4X","kind":"DECIDE","seat":2,"seen":0}');
});

describe("a seat", () => {
  const key = new Uint8Array(32).fill(7);
  const [roundId, deckRoot] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  const pass = { kind: "PASS", seat: 0 };
  const leave = { kind: "LEAVE", seat: 0 };
  const played = (card: number) => ({ cards: [card], kind: "PLAY", seat: 1 });

  const courseOf = (...events: object[]) => {
    const course = new Course(roundId, deckRoot);
    for (const [index, event] of events.entries()) {
      course.append(json(event), { time: BigInt(index), received: true });
    }
    return course;
  };
  const publicKey = ed25519.getPublicKey(key);
  const chained = () => new SeatChain(0, publicKey, courseOf());

  test("signs what it had seen, and the same choice the same way", () => {
    const chain = chained();
    chain.show(courseOf(played(1)));
    const signed = chain.next(pass);
    assert.deepEqual(JSON.parse(new TextDecoder().decode(signed.event)), { ...pass, seen: 1 });
    const after = courseOf(played(1), { ...pass, seen: 1 });
    assert.deepEqual(after.moves.get(0), signed.move);
    chain.show(courseOf(played(1), played(2)));
    assert.deepEqual(chain.next(pass), signed);
  });

  test("signs no other event in one place, unless it has become unlawful", () => {
    const chain = chained();
    chain.next(pass);
    assert.throws(() => chain.next(leave), AlreadySignedError);
    chain.show(courseOf({ kind: "TIMEOUT", seat: 1 }));
    assert.throws(() => chain.next(leave), AlreadySignedError);
    assert.equal(chain.next(leave, () => true).seen, 1);
    chain.show(courseOf({ kind: "TIMEOUT", seat: 1 }, { kind: "TIMEOUT", seat: 0 }));
    assert.equal(chain.next(pass).seen, 2);
  });

  test("accepts no course but the one that it was shown", () => {
    const chain = chained();
    chain.show(courseOf(played(1), played(2)));
    const others = [
      courseOf(),
      courseOf(played(1)),
      courseOf(played(2), played(1), played(3)),
      new Course(roundId, roundId),
      courseOf(played(1), played(2), { ...leave, seen: 0 }),
    ];
    for (const other of others) {
      assert.throws(() => chain.show(other), CourseError);
    }
  });

  test("knows its own signature from another device", () => {
    const [here, there] = [chained(), chained()];
    const signature = ed25519.sign(there.next(leave).move, key);
    const course = courseOf({ ...leave, seen: 0 });
    assert.throws(() => here.show(course, new Uint8Array(64)), CourseError);
    here.show(course, signature);
    assert.equal(here.next(pass).seen, 1);
  });

  test("has no pending move once its time has run out", () => {
    const chain = chained();
    const { event } = chain.next(pass);
    assert.deepEqual(chain.pending?.event, event);
    chain.show(courseOf({ kind: "TIMEOUT", seat: 0 }));
    assert.equal(chain.pending, undefined);
    assert.equal(chain.next(leave).seen, 1);
  });

  test("signs on after its own events alone while the others are hidden", () => {
    const [chain, arrange] = [chained(), { cards: [1], kind: "ARRANGE", seat: 0, seen: 0 }];
    chain.next(pass);
    chain.showOwn(courseOf(), [json({ ...pass, seen: 0 })]);
    assert.equal(chain.pending, undefined);
    const { seen, move } = chain.next({ cards: [1], kind: "ARRANGE", seat: 0 });
    assert.equal(seen, 0);
    const whole = courseOf(played(1), { ...pass, seen: 0 }, played(2), arrange);
    assert.deepEqual(whole.moves.get(0), move); // as the course itself chains both moves
    chain.showOwn(courseOf(), [json({ ...pass, seen: 0 }), json(arrange)]);
    chain.show(whole);
    assert.equal(chain.next(leave).seen, 4);
  });

  test("accepts no hidden course with an event that it did not sign", () => {
    const chain = chained();
    const own = json({ ...leave, seen: 0 });
    assert.throws(() => chain.showOwn(courseOf(), [own]), CourseError);
    const signature = ed25519.sign(chained().next(leave).move, key);
    assert.throws(() => chain.showOwn(new Course(roundId, roundId), [own], signature), CourseError);
    assert.throws(() => chain.showOwn(courseOf(), [json({ ...leave, seen: 3 })]), CourseError);
    assert.throws(() => chain.showOwn(courseOf(), [json(played(1))], signature), CourseError);
    chain.showOwn(courseOf(), [own], signature); // by the same key on another device
    assert.throws(() => chain.showOwn(courseOf(), [own, own]), CourseError);
  });

  test("signs on top of a move that is acknowledged before it is shown", () => {
    const chain = chained();
    const first = chain.next(pass);
    assert.throws(() => chain.next(leave), AlreadySignedError);
    chain.acknowledge();
    assert.equal(chain.pending, undefined);
    const second = chain.next(leave);
    assert.equal(second.seen, 0);
    const course = courseOf({ ...pass, seen: 0 }, played(1), { ...leave, seen: 0 });
    assert.deepEqual(course.moves.get(0), second.move); // as the course itself chains both moves
    assert.notDeepEqual(first.move, second.move);
    chain.show(course, ed25519.sign(second.move, key));
    assert.equal(chain.pending, undefined);
  });

  test("remembers over a restart what it signed", () => {
    const chain = chained();
    const signed = chain.next(pass);
    const again = SeatChain.restore(chain.save(), publicKey, courseOf());
    assert.deepEqual(again.next(pass), signed);
    assert.throws(() => again.next(leave), AlreadySignedError);
    const other = new Course(roundId, roundId);
    assert.throws(() => SeatChain.restore(chain.save(), publicKey, other), CourseError);
  });
});

test("a receipt is of one history alone", () => {
  const course = new Course(new Uint8Array(32).fill(1), new Uint8Array(32).fill(2));
  course.append(json({ kind: "LEAVE", seat: 0 }), { time: 5n, received: true });
  const [link] = course.links;
  assert.ok(link !== undefined);
  const payload = {
    event_hash: hex(link.eventHash),
    history: hex(link.history),
    number: 1,
    opens_section: 2,
    received_time: 5,
    round_id: hex(course.roundId),
  };
  const enveloped = (given: object) =>
    json({
      payload: btoa(JSON.stringify(given)),
      payloadType: "application/vnd.referee.event.v1+json",
      signatures: [],
    });
  const found = course.receipt(enveloped(payload));
  assert.deepEqual(found, { number: 1, receivedTime: 5n, opensSection: 2 });
  const others = [
    { history: payload.event_hash },
    { event_hash: payload.history },
    { received_time: 6 },
    { number: 2 },
    { round_id: payload.history },
  ];
  for (const other of others) {
    assert.throws(() => course.receipt(enveloped({ ...payload, ...other })), CourseError);
  }
  assert.deepEqual(course.steps(), [{ eventHash: link.eventHash, time: 5n, received: true }]);
});
