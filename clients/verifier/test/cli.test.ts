/** The command: exit codes 0, 1 and 2, lines and JSON, from a bundle, a log file and a service. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import { utf8 } from "../src/bytes.js";
import { leafHash } from "../src/merkle.js";
import { bundleOf, path, roundsOf, type Row, vectors } from "./files.js";

const CLI = new URL("../src/cli.js", import.meta.url).pathname;
const FOLDER = mkdtempSync(join(tmpdir(), "verifier-"));
const LOG = { ...vectors("audit/healthy")[0], certificates: [], event_receipts: [] } as Row;
const BAD = vectors("audit/mutations").find((row) => row["id"] === "server_seed_swapped") as Row;

after(() => rmSync(FOLDER, { recursive: true }));

async function run(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [CLI, ...args]);
    let [out, err] = ["", ""];
    child.stdout.on("data", (data) => (out += data));
    child.stderr.on("data", (data) => (err += data));
    child.on("close", (code) => resolve({ code, out, err }));
  });
}

function file(name: string, content: string): string {
  const path = join(FOLDER, name);
  writeFileSync(path, content);
  return path;
}

function logFile(name: string, log: Row): string {
  const { origin, log_key, root_key, checkpoint, leaves } = log;
  const head = JSON.stringify({ origin, log_key, root_key, checkpoint, cosigned: log["cosigned"] });
  return file(name, [head, ...(leaves as string[])].join("\n") + "\n");
}

function bundleFile(name: string, log: Row): string {
  return file(name, JSON.stringify(bundleOf(log, roundsOf(log).at(-1) as string), null, 2));
}

const NOW = ["--now", String(LOG["now"])];

test("the version is that of the package", async () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  assert.deepEqual(await run("--version"), { code: 0, out: `referee-verifier ${version}\n`, err: "" });
});

function witnesses(log: Row): string[] {
  const texts = log["witnesses"] as string[];
  return [...texts.flatMap((text) => ["--witness", text]), "--quorum", String(log["quorum"])];
}

function sizeOf(note: string): number {
  return Number(note.split("\n")[1]);
}

test("a sound bundle is verified, and the keys' provenance is said", async () => {
  const { code, out, err } = await run(bundleFile("good.json", LOG), ...NOW);
  assert.equal(code, 0, err);
  assert.match(out, /^ok {3}SERVER_SEED/m);
  assert.match(out, /^verified$/m);
  assert.match(err, /--log-key and --root-key/);
});

test("with keys from elsewhere the command says nothing about them", async () => {
  const keys = ["--log-key", LOG["log_key"], "--root-key", LOG["root_key"]];
  const { code, err } = await run(bundleFile("good.json", LOG), ...NOW, ...keys);
  assert.deepEqual([code, err], [0, ""]);
});

test("the report of an unsound log has path, claimed and found", async () => {
  const { code, out } = await run(logFile("bad.jsonl", BAD), ...NOW);
  assert.equal(code, 1);
  assert.match(out, /FAIL SERVER_SEED_MISMATCH leaf \d+, table table-1 round \d+/);
  assert.match(out, /at {6}server_commitment\n +claimed [0-9a-f]{64}\n +found {3}[0-9a-f]{64}/);
  assert.match(out, /^NOT verified: 1 failure$/m);
});

test("the JSON holds the same result", async () => {
  const good = await run(logFile("good.jsonl", LOG), "--json", ...NOW);
  assert.equal(good.code, 0);
  const log = JSON.parse(good.out) as Row;
  assert.deepEqual([log["passed"], log["size"], log["findings"]], [true, LOG["leaves"].length, []]);
  const bad = await run(bundleFile("bad.json", BAD), "--json", ...NOW);
  assert.equal(bad.code, 1);
  const round = JSON.parse(bad.out) as Row;
  const failed = (round["checks"] as Row[]).filter((check) => check["outcome"] === "FAILED");
  assert.deepEqual(
    failed.map((check) => [check["code"], check["findings"][0].code]),
    [["SERVER_SEED", "SERVER_SEED_MISMATCH"]],
  );
});

test("a checkpoint that was kept shows a log set back", async () => {
  const back = vectors("audit/mutations").find((row) => row["id"] === "log_set_back") as Row;
  const kept = file("kept.txt", back["witnessed"][0] as string);
  const { code, out } = await run(logFile("back.jsonl", back), ...NOW, "--kept", kept);
  assert.equal(code, 1);
  assert.match(out, /LOG_TRUNCATED/);
});

test("a log file with cosigned checkpoints is held against the witnesses that are believed", async () => {
  const rows = vectors("audit/cosigned").filter((row) => row["max_age"] === null);
  const find = (id: string): Row => rows.find((row) => row["id"] === id) as Row;
  for (const [id, code] of [
    ["watched", ""],
    ["cosignatures_missing", "QUORUM_UNMET"],
  ] as const) {
    const log = find(id);
    const answer = await run(logFile(`${id}.jsonl`, log), ...["--now", String(log["now"])], ...witnesses(log));
    assert.equal(answer.code, code === "" ? 0 : 1, answer.err);
    assert.match(answer.out, code === "" ? /L3 2/ : /FAIL QUORUM_UNMET/);
  }
});

test("a log receipt is verified with its leaf, by the log's key and the witnesses'", async () => {
  const log = vectors("audit/cosigned").find((row) => row["id"] === "watched") as Row;
  const leaves = (log["leaves"] as string[]).map((leaf) => utf8(leaf));
  const nodes = path(4, leaves.map(leafHash)).map((node) => Buffer.from(node).toString("base64"));
  const lines = ["c2sp.org/tlog-proof@v1", "index 4", ...nodes, "", log["cosigned"].at(-1)];
  const proof = file("leaf.tlog-proof", lines.join("\n"));
  file("leaf.leaf", log["leaves"][4]);
  const other = file("other.leaf", log["leaves"][5]);
  const terms = ["--origin", log["origin"], "--log-key", log["log_key"]];
  const now = ["--now", String(log["now"])];
  const good = await run("--proof", proof, ...terms, ...now, ...witnesses(log));
  assert.equal(good.code, 0, good.err);
  assert.match(good.out, /^leaf 4 of log .*\nwitnesses vouched for it at [0-9]{13} ms/);
  const swapped = await run("--proof", proof, "--leaf", other, ...terms, ...now, "--json");
  assert.equal(swapped.code, 1);
  const { findings } = JSON.parse(swapped.out) as Row;
  assert.deepEqual([findings.length, findings[0].code], [1, "LOG_RECEIPT_REFUSED"]);
  const early = await run("--proof", proof, ...terms, "--now", "1", ...witnesses(log));
  assert.equal(early.code, 1);
  assert.match(early.out, /QUORUM_UNMET/);
  assert.equal((await run("--proof", proof)).code, 2);
});

test("what cannot be verified ends with 2", async () => {
  const odd = [
    [],
    ["a", "b"],
    [join(FOLDER, "absent.json")],
    [file("no.json", "{")],
    [file("array.json", "[]")],
    [file("null.json", "null")],
    [file("other.json", '{"format": 1}')],
    [bundleFile("good.json", LOG), "--log-key", "nonsense"],
    [bundleFile("good.json", LOG), "--now", "yesterday"],
    [bundleFile("good.json", LOG), "--nonsense"],
    [bundleFile("good.json", LOG), "--witness", "nonsense"],
    [bundleFile("good.json", LOG), "--witness", LOG["log_key"]],
    [bundleFile("good.json", LOG), "--quorum", "some"],
    ["--url", "http://127.0.0.1:1"],
  ];
  for (const args of odd) {
    const { code, err } = await run(...args);
    assert.equal(code, 2, `${args.join(" ")}: ${err}`);
    assert.ok(err !== "" && !/at .*\.js:\d+/.test(err), err);
  }
});

test("a log behind a service is read page by page", async () => {
  const log = vectors("audit/cosigned").find((row) => row["id"] === "watched") as Row;
  const leaves = (log["leaves"] as string[]).map((leaf) => btoa(leaf));
  const cosigned = (from: number): Row => {
    const notes = log["cosigned"] as string[];
    return { checkpoints: notes.filter((note) => sizeOf(note) >= from).slice(0, 2) };
  };
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (data) => (body += data));
    request.on("end", () => {
      const start = Number((JSON.parse(body) as Row)["start"] ?? 0);
      const answers: Record<string, unknown> = {
        GetCheckpoint: { checkpoint: log["checkpoint"] },
        GetKeys: { origin: log["origin"], logKey: log["log_key"], rootKey: log["root_key"] },
        ListCosignedCheckpoints: cosigned(Number((JSON.parse(body) as Row)["startSize"] ?? 0)),
        ListEntries: start < leaves.length ? { leaves: leaves.slice(start, start + 3) } : {},
      };
      const answer = answers[request.url?.split("/referee.v1.LogService/")[1] ?? ""];
      response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(answer ?? { code: "unimplemented" }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = ["--url", `http://127.0.0.1:${port}/`, "--json", "--now", String(log["now"])];
  const alone = await run(...url);
  const watched = await run(...url, ...witnesses(log));
  server.close();
  assert.deepEqual([alone.code, watched.code], [0, 0], alone.err + watched.err);
  const [one, other] = [JSON.parse(alone.out) as Row, JSON.parse(watched.out) as Row];
  assert.deepEqual([one["size"], other["size"]], [leaves.length, leaves.length]);
  assert.equal(one["dealing_levels"]["L3"], 0);
  assert.equal(other["dealing_levels"]["L3"], log["levels"]["L3"]);
});

test("seeds that are held are compared with the log", async () => {
  const of = (id: string): Row => vectors("audit/held").find((row) => row["id"] === id) as Row;
  const cases = [
    { log: of("missing_seed_is_held"), exit: 0, said: /^ *NOTE SEED_HELD/m },
    { log: of("missing_seed_made_up"), exit: 1, said: /^ *FAIL HELD_SEED_REFUSED/m },
  ];
  for (const { log, exit, said } of cases) {
    const lines = (log["seeds"] as Row[]).map((seed) => JSON.stringify(seed)).join("\n");
    const held = ["--seeds", file("seeds.jsonl", `${lines}\n`), "--now", String(log["now"])];
    const { code, out, err } = await run(logFile("held.jsonl", log), ...held);
    assert.equal(code, exit, err);
    assert.match(out, said);
  }
});

test("a file of seeds with another line is refused by its line", async () => {
  const held = ["--seeds", file("no-seeds.jsonl", '\n{"round_id":"00"}\n'), ...NOW];
  const { code, err } = await run(logFile("good.jsonl", LOG), ...held);
  assert.equal(code, 2);
  assert.match(err, /line 2 is no seed/);
});
