/** What outlives a round: receipted events, and a seat's key. */

import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isSignature, readReceiptedEvent, unhex, utf8 } from "referee-verifier/protocol";
import { readSeatKey, SeatSecrets, writeSeatKey } from "../src/index.js";
import { FileJournal, connect, loadSeatKey, saveSeatKey, writeReceipts } from "../src/node.js";
import { readRecord, RecordError } from "../src/record.js";
import { dealt, server, tableNamed, without } from "./server.js";

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "referee-kept-"));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("each accepted event is kept with its receipt, and two at once have their turns", { skip: without }, async () => {
  await inFolder(async (folder) => {
    const journal = new FileJournal(join(folder, "rounds"));
    const client = connect(server.grpc, { trust: server.keys, journal });
    const table = tableNamed("kept");
    const secrets = [0, 1].map((seat) => SeatSecrets.make(seat, { keyed: true }));
    const bets = [{ ante: 20 }, { ante: 20 }];
    const game = await dealt(
      client.ultimateTexas({ table, ruleset: "ultimate_texas.casino", seats: 2, stake: 2, bets }, { secrets }),
    );
    const answers = await Promise.all([game.decide(0, "CHECK"), game.decide(1, "CHECK")]);
    assert.deepEqual(
      answers.map(({ eventNumber }) => eventNumber),
      [1, 2],
    );
    const record = readRecord((await journal.load(table)) ?? "");
    assert.deepEqual(record.receiptedEvents, game.receiptedEvents);
    const paths = await writeReceipts(join(folder, "kept"), game);
    assert.deepEqual(await writeReceipts(join(folder, "kept"), game), paths);
    assert.equal((await readdir(join(folder, "kept"))).length, 2);
    for (const [at, path] of paths.entries()) {
      const kept = readReceiptedEvent(utf8(await readFile(path, "utf8")));
      assert.deepEqual(kept, game.receiptedEvents[at]);
      const said = (kept?.events ?? []).map((event) => JSON.parse(event) as { seat: number });
      assert.deepEqual(
        said.map(({ seat }) => seat),
        [0, 1].slice(0, at + 1),
      );
      assert.deepEqual(said[at], { decision: "CHECK", kind: "DECIDE", seat: at, seen: at });
      const move = game.course.moves.get(at) ?? new Uint8Array();
      assert.ok(isSignature(unhex(kept?.signature ?? "", 64), move, secrets[at]?.publicKey ?? new Uint8Array()));
      assert.equal((await stat(path)).mode & 0o777, 0o600);
    }
    const player = connect(server.grpc, { trust: server.keys });
    const own = player.ultimateTexas(game.terms, { secrets });
    await own.join();
    await own.deal();
    await own.adopt(game.saved());
    assert.deepEqual(own.receiptedEvents, game.receiptedEvents.slice(1));
    player.close();
    client.close();
  });
});

test("a damaged journal is refused as one, whatever is in it", async () => {
  const damage = [
    "",
    "{",
    "null",
    "[]",
    "{}",
    '{"format":2}',
    '{"format":1}',
    `${"[".repeat(5000)}`,
    "\u0000",
    "\ufeff{}",
  ];
  damage.push('{"format":1,"terms":{"bets":[],"seat_keys":[]},"header":"?"}');
  for (const text of damage) {
    assert.throws(() => readRecord(text), RecordError, text.slice(0, 40));
  }
  await inFolder(async (folder) => {
    const journal = new FileJournal(folder);
    for (const text of [...damage, '{"round_number":1}', '{"round_number":"1","record":"{}"}']) {
      await writeFile(join(folder, "t.round.json"), text);
      await assert.rejects(journal.load("t"), RecordError, text.slice(0, 40));
    }
  });
});

test("a seat's key outlives its session, and no file is replaced", async () => {
  await inFolder(async (folder) => {
    const path = join(folder, "seat.key.json");
    const secrets = SeatSecrets.make(0, { keyed: true });
    const key = secrets.privateKey ?? new Uint8Array();
    await saveSeatKey(path, key);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    const again = SeatSecrets.make(1, { privateKey: await loadSeatKey(path) });
    assert.deepEqual(again.publicKey, secrets.publicKey);
    await assert.rejects(saveSeatKey(path, new Uint8Array(32)), { code: "EEXIST" });
    assert.deepEqual(await loadSeatKey(path), key);
  });
});

test("a key's text is that of the example in RFC 8037, and a changed one is refused", () => {
  const d = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A";
  const x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
  const jwk = { crv: "Ed25519", d, kty: "OKP", x };
  assert.equal(writeSeatKey(readSeatKey(JSON.stringify(jwk))), JSON.stringify(jwk));
  for (const change of [{ x: d }, { d: "AAAA" }, { kty: "EC" }, { crv: "X25519" }]) {
    assert.throws(() => readSeatKey(JSON.stringify({ ...jwk, ...change })), Error);
  }
});
