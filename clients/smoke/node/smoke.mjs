// node smoke.mjs HOST:PORT LOG_KEY VECTORS: deals, settles and verifies one round of Mau Binh; one line of JSON.
import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

import { isIncluded, isSigned, verifyReceipt } from "./receipt.mjs";

const PROTOS = join(import.meta.dirname, "../../../protos");
const SEATS = 4;
const [address, logKey, vectors] = process.argv.slice(2);
const hex = (text) => Buffer.from(text, "hex");

const checked = {
  "log/receipt": checkRows("log/receipt", (row) => {
    try {
      verifyReceipt({ text: row.receipt, leaf: hex(row.leaf), origin: row.origin, keys: row.keys });
      return row.holds;
    } catch {
      return !row.holds;
    }
  }),
  "log/merkle_inclusion": checkRows("log/merkle_inclusion", (row) =>
    isIncluded({
      ...row,
      leafHash: hex(row.leaf_hash),
      proof: row.proof.map(hex),
      root: hex(row.root),
    }),
  ),
  "evidence/ed25519_signatures": checkRows(
    "evidence/ed25519_signatures",
    (row) => isSigned(hex(row.signature), hex(row.message), hex(row.public_key)) === row.holds,
  ),
};
console.log(JSON.stringify({ vectors: checked, ...(await play()) }));

async function play() {
  const file = (name) => `referee/v1/${name}.proto`;
  const options = {
    includeDirs: [PROTOS],
    arrays: true,
    keepCase: true,
    longs: String,
    enums: Number,
  };
  const { v1 } = grpc.loadPackageDefinition(
    loadSync(["shuffler", "mau_binh"].map(file), options),
  ).referee;
  const credentials = grpc.credentials.createInsecure();
  // How soon a server that is back is found: the pause between attempts grows to 2 s and not to 2 min.
  const reconnecting = { "grpc.initial_reconnect_backoff_ms": 200, "grpc.max_reconnect_backoff_ms": 2000 };
  const shuffler = new v1.ShufflerService(address, credentials, reconnecting);
  const referee = new v1.MauBinhService(address, credentials, reconnecting);
  const ask = (client, method, request) =>
    promisify((done) => client[method](request, { deadline: Date.now() + 60_000 }, done))();

  const table_id = `smoke-node-${randomBytes(6).toString("hex")}`;
  const terms = {
    table_id,
    ruleset_id: "mau_binh.classic",
    seat_count: SEATS,
    currency: "CHIP",
    stake_minor: 10,
  };
  const opened = await ask(shuffler, "OpenRound", { terms });
  const client_seeds = Array.from({ length: SEATS }, () => randomBytes(32));
  const dealt = await ask(shuffler, "DealRound", { round: opened.header.round, client_seeds });
  const round = { header: opened.header, certificates: [dealt.certificate], events: [] };
  const preview = await ask(referee, "PreviewRound", { round });
  if (preview.violations.length > 0) {
    // Nobody has won at once: every seat puts its cards down as they were dealt.
    round.events = dealt.hands.map(({ seat, cards }) => ({
      time: dealt.dealt_time,
      seat,
      arrange: { back: cards.slice(0, 5), middle: cards.slice(5, 10), front: cards.slice(10) },
    }));
  }
  const settled = await ask(referee, "SettleRound", { round });
  if (settled.violations.length > 0) throw new Error(JSON.stringify(settled.violations));
  const receipt = settled.log_receipt;
  const origin = logKey.split("+")[0];
  const proof = receipt.inclusion_proof.map((hash) => `${hash.toString("base64")}\n`).join("");
  const text = `c2sp.org/tlog-proof@v1\nindex ${receipt.leaf_index}\n${proof}\n${receipt.checkpoint}`;
  const size = verifyReceipt({ text, leaf: receipt.leaf, origin, keys: [logKey] });
  return {
    table_id,
    leaf_index: Number(receipt.leaf_index),
    leaf_sha256: createHash("sha256").update(receipt.leaf).digest("hex"),
    tree_size: size,
    net: settled.outcome.seats.map((seat) => Number(seat.net_minor ?? 0)),
  };
}

function checkRows(name, holds) {
  const rows = readFileSync(join(vectors, `${name}.jsonl`), "utf8")
    .trim()
    .split("\n");
  for (const row of rows.map((line) => JSON.parse(line))) {
    if (!holds(row)) throw new Error(`${name} ${row.id}: ${row.why}`);
  }
  return rows.length;
}
