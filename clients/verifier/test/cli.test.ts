/** The command: exit codes 0, 1 and 2, lines and JSON, from a bundle, a log file and a service. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import { bundleOf, roundsOf, type Row, vectors } from "./files.js";

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
  const head = JSON.stringify({ origin, log_key, root_key, checkpoint });
  return file(name, [head, ...(leaves as string[])].join("\n") + "\n");
}

function bundleFile(name: string, log: Row): string {
  return file(name, JSON.stringify(bundleOf(log, roundsOf(log).at(-1) as string), null, 2));
}

const NOW = ["--now", "1"];

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

test("an unsound log is told with place, told and found", async () => {
  const { code, out } = await run(logFile("bad.jsonl", BAD), ...NOW);
  assert.equal(code, 1);
  assert.match(out, /FAIL SERVER_SEED_MISMATCH leaf \d+, table table-1 round \d+/);
  assert.match(out, /at {4}server_commitment\n +told {2}[0-9a-f]{64}\n +found [0-9a-f]{64}/);
  assert.match(out, /^NOT verified: 1 failures$/m);
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
    ["--url", "http://127.0.0.1:1"],
  ];
  for (const args of odd) {
    const { code, err } = await run(...args);
    assert.equal(code, 2, `${args.join(" ")}: ${err}`);
    assert.ok(err !== "" && !/at .*\.js:\d+/.test(err), err);
  }
});

test("a log behind a service is read page by page", async () => {
  const leaves = (LOG["leaves"] as string[]).map((leaf) => btoa(leaf));
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (data) => (body += data));
    request.on("end", () => {
      const start = Number((JSON.parse(body) as Row)["start"] ?? 0);
      const answers: Record<string, unknown> = {
        GetCheckpoint: { checkpoint: LOG["checkpoint"] },
        GetKeys: { origin: LOG["origin"], logKey: LOG["log_key"], rootKey: LOG["root_key"] },
        ListEntries: start < leaves.length ? { leaves: leaves.slice(start, start + 3) } : {},
      };
      const answer = answers[request.url?.split("/referee.v1.LogService/")[1] ?? ""];
      response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(answer ?? { code: "unimplemented" }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const { code, out, err } = await run("--url", `http://127.0.0.1:${port}/`, "--json", ...NOW);
  server.close();
  assert.equal(code, 0, err);
  assert.equal((JSON.parse(out) as Row)["size"], leaves.length);
});
