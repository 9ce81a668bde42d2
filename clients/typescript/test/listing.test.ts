/** Lists of rounds: what is signed for them, page by page, and what a server answers. */

import assert from "node:assert/strict";
import { createHash, webcrypto } from "node:crypto";
import { test } from "node:test";
import { ed25519 } from "@noble/curves/ed25519.js";
import { DeniedError, type ListedRound, RoundStage, type SeatKey, SeatSecrets } from "../src/index.js";
import { listingStatement, listSeatRounds } from "../src/listing.js";
import { connect } from "../src/node.js";
import type { Session } from "../src/session.js";
import { clients, hex, server, tableNamed, unhex, vectors, without } from "./server.js";

interface Row {
  readonly id: string;
  readonly origin: string;
  readonly public_key: string;
  readonly start_time: number;
  readonly end_time: number;
  readonly signed_time: number;
  readonly statement: string;
  readonly signature: string;
  readonly holds: boolean;
}

/** The private key of the vectors' first seat. */
const VECTOR_KEY = new Uint8Array(createHash("sha256").update("seat key 0").digest());

/** A key as WebCrypto has it, whose private part no program can read. */
async function webKey(privateKey: Uint8Array): Promise<SeatKey> {
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");
  const jwk = { kty: "OKP", crv: "Ed25519", x: text(ed25519.getPublicKey(privateKey)) };
  const { subtle } = webcrypto;
  const [secret, open] = [{ ...jwk, d: text(privateKey) }, jwk];
  return {
    privateKey: await subtle.importKey("jwk", secret, "Ed25519", false, ["sign"]),
    publicKey: await subtle.importKey("jwk", open, "Ed25519", true, ["verify"]),
  } as SeatKey;
}

type Asked = Readonly<Record<string, unknown>>;

/** A session of a log of this origin, which answers one page after the other; and what it is asked. */
function pagesOf(origin: string, answers: readonly object[]): [Session, Asked[]] {
  const asked: Asked[] = [];
  const ask = (_: unknown, request: Asked) => Promise.resolve(answers[asked.push(request) - 1]);
  const session = { line: { ask }, believed: () => Promise.resolve({ origin }) };
  return [session as unknown as Session, asked];
}

async function slots(rounds: AsyncIterable<ListedRound>): Promise<string[]> {
  const found: string[] = [];
  for await (const { round } of rounds) {
    found.push(`${round?.tableId}/${round?.roundNumber}`);
  }
  return found;
}

test("a key's request is that of the vectors, byte by byte, for both kinds of keys", async (t) => {
  const keys = [VECTOR_KEY, await webKey(VECTOR_KEY)];
  const outcomes = new Set<boolean>();
  for (const row of vectors<Row>("dealing/list_requests")) {
    const { start_time: startTime, end_time: endTime, signed_time: signedTime } = row;
    const times = { startTime, endTime, signedTime };
    const statement = listingStatement(row.origin, unhex(row.public_key), times);
    assert.equal(hex(statement), row.statement, row.id);
    const clock = t.mock.method(Date, "now", () => signedTime);
    for (const key of keys) {
      const [session, asked] = pagesOf(row.origin, [{ rounds: [] }]);
      assert.deepEqual(await slots(listSeatRounds(session, key, { startTime, endTime })), []);
      const [request] = asked as { seatKey: Uint8Array; signature: Uint8Array }[];
      assert.equal(request && hex(request.seatKey), row.public_key, row.id);
      assert.equal((request && hex(request.signature)) === row.signature, row.holds, row.id);
      outcomes.add(row.holds);
    }
    clock.mock.restore();
  }
  assert.deepEqual(outcomes, new Set([true, false]));
});

test("a page is fetched when it is needed, and each of a key's own is signed anew", async (t) => {
  let time = 1_800_000_000_000;
  t.mock.method(Date, "now", () => (time += 1));
  const round = (number: number) => ({ round: { tableId: "t", roundNumber: BigInt(number) } });
  const pages = [
    { rounds: [round(3), round(2)], nextPageToken: "a" },
    { rounds: [], nextPageToken: "b" },
    { rounds: [round(1)] },
  ];
  const [session, asked] = pagesOf("log.example/1", pages);
  const own = listSeatRounds(session, VECTOR_KEY, { startTime: 1_700_000_000_000, pageSize: 2 });
  assert.deepEqual(asked, []);
  assert.equal((await own.next()).value?.round?.roundNumber, 3n);
  assert.equal(asked.length, 1);
  assert.deepEqual(await slots(own), ["t/2", "t/1"]);
  assert.deepEqual(
    asked.map(({ pageToken, pageSize, startTime, endTime }) => [pageToken, pageSize, startTime, endTime]),
    [undefined, "a", "b"].map((token) => [token, 2, 1_700_000_000_000n, undefined]),
  );
  assert.equal(new Set(asked.map(({ signedTime }) => signedTime)).size, 3);
  assert.equal(new Set(asked.map(({ signature }) => hex(signature as Uint8Array))).size, 3);
});

for (const [name, made] of Object.entries(clients)) {
  test(`rounds are found over ${name}, and by the key of a seat`, { skip: without }, async () => {
    const client = made();
    const privateKey = crypto.getRandomValues(new Uint8Array(32));
    const secrets = [SeatSecrets.make(0, { privateKey }), SeatSecrets.make(1)];
    const prefix = tableNamed("listed");
    const table = `${prefix}.1`;
    const terms = { table, ruleset: "mau_binh.classic", seats: 2, stake: 10 };
    const ended = client.mauBinh(terms, { secrets });
    await ended.open();
    await ended.abort();
    await ended.reveal();
    await client.mauBinh(terms, { secrets }).open();
    await client.mauBinh({ ...terms, table: `${prefix}.2` }).open();

    const both = [`${table}/2`, `${table}/1`];
    const all = [`${prefix}.2/1`, ...both];
    assert.deepEqual(await slots(client.rounds({ table })), both);
    assert.deepEqual(await slots(client.rounds({ tablePrefix: `${prefix}.`, pageSize: 1 })), all);
    assert.deepEqual(await slots(client.rounds({ table, endTime: 1e12 })), []);
    const period = { startTime: 1e12, endTime: Date.now() + 60_000 };
    const key = await webKey(privateKey);
    assert.deepEqual(await slots(client.ownRounds(privateKey, { ...period, pageSize: 1 })), both);
    assert.deepEqual(await slots(client.ownRounds(key)), both);
    assert.deepEqual(await slots(client.ownRounds(new Uint8Array(32))), []);

    const listed: ListedRound[] = [];
    for await (const round of client.rounds({ seatKey: ended.seatKeys[0]! })) {
      listed.push(round);
    }
    const stages = listed.map(({ stage }) => stage);
    assert.deepEqual(stages, [RoundStage.OPENED, RoundStage.REVEALED]);
    assert.equal(listed[0]?.revealed, undefined);
    assert.equal(hex(listed[1]?.revealed?.roundId ?? new Uint8Array()), hex(ended.roundId));
    client.close();
  });
}

test("a clock that is an hour behind is refused", { skip: without }, async (t) => {
  const client = connect(server.grpc, { trust: server.keys });
  await client.checkpoint();
  const { now } = Date;
  t.mock.method(Date, "now", () => now() - 3_600_000);
  const refused = client.ownRounds(VECTOR_KEY).next();
  await assert.rejects(refused, (error) => error instanceof DeniedError && error.message.includes("sign it anew"));
  client.close();
});
