/** The foundations and the log's rules: vectors, other implementations, and counts by hand. */

import { createHash, createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { test } from "node:test";
import { ed25519 } from "@noble/curves/ed25519.js";
import { sha512 } from "@noble/hashes/sha2.js";

import assert from "node:assert/strict";
import { base64, type Bytes, concat, hex, isHex, text, unbase64, unhex, utf8 } from "../src/bytes.js";
import { decode, encode } from "../src/canonical.js";
import { checkpointBody, parseCheckpoint, parseReceipt, verifyReceipt } from "../src/checkpoint.js";
import { EnvelopeError, formatEnvelope, openEnvelope, pae, parseEnvelope } from "../src/dsse.js";
import { hasCanonicalS, isPublicKey, isSignature } from "../src/ed25519.js";
import { ascii, enc, hkdf, taggedHash, u32, u64, u8 } from "../src/encoding.js";
import {
  EMPTY_ROOT,
  Frontier,
  leafHash,
  ProofError,
  rootOf,
  verifyConsistency,
  verifyInclusion,
} from "../src/merkle.js";
import { formatNote, parseNote, verifyNote } from "../src/note.js";
import { advance, NO_LEAF, type RoundState, SlotError, type Step } from "../src/slot.js";
import { parseKey } from "../src/vkey.js";
import { bytes, eachRow, expect, mth, path, type Row, subproof } from "./files.js";

const { Point } = ed25519;
const PKCS8 = bytes("302e020100300506032b657004220420");
const SPKI = bytes("302a300506032b6570032100");

function keyPair(seed: Bytes): { publicKey: Bytes; sign: (message: Bytes) => Bytes } {
  const key = createPrivateKey({ key: Buffer.from(concat(PKCS8, seed)), format: "der", type: "pkcs8" });
  const spki = createPublicKey(key).export({ format: "der", type: "spki" });
  return { publicKey: new Uint8Array(spki.subarray(-32)), sign: (message) => new Uint8Array(sign(null, message, key)) };
}

function openssl(signature: Bytes, message: Bytes, publicKey: Bytes): boolean {
  const key = Buffer.from(concat(SPKI, publicKey));
  return verify(null, message, createPublicKey({ key, format: "der", type: "spki" }), signature);
}

eachRow("evidence/canonical", (row) => {
  expect(row["is_canonical"], () => assert.equal(encode(decode(utf8(row["text"]))), row["text"]));
});

test("text that is no UTF-8 or deeper than any stack is refused, and no member's name is special", () => {
  assert.throws(() => decode(Uint8Array.of(0x22, 0xff, 0x22)));
  assert.throws(() => decode(utf8("[".repeat(20_000) + "]".repeat(20_000))));
  assert.equal(encode(decode(utf8('{"__proto__":1,"a":2}'))), '{"__proto__":1,"a":2}');
});

eachRow("evidence/encoding", (row) => {
  const fields = (row["fields"] as string[]).map(bytes);
  assert.equal(hex(enc(row["tag"], ...fields)), row["encoded"]);
  assert.equal(hex(taggedHash(row["tag"], ...fields)), row["hash"]);
});

eachRow("evidence/fields", (row) => {
  const encoders: Record<string, (value: never) => Bytes> = { U8: u8, U32: u32, U64: u64, TEXT: ascii };
  expect(!row["refused"], () => assert.equal(hex(encoders[row["kind"]]!(row["value"] as never)), row["encoded"]));
});

eachRow("evidence/hkdf", (row) => {
  const terms = { salt: bytes(row["salt"]), info: bytes(row["info"]), length: row["length"] as number };
  expect(!row["refused"], () => assert.equal(hex(hkdf(bytes(row["ikm"]), terms)), row["key"]));
});

eachRow("evidence/dsse", (row) => {
  const open = () =>
    openEnvelope(utf8(row["envelope"]), { type: row["payload_type"], keys: [bytes(row["public_key"])] });
  if (row["fault"] !== "") {
    assert.throws(open, (error) => error instanceof EnvelopeError && error.fault === row["fault"]);
    return;
  }
  assert.equal(hex(open()), row["payload"]);
  assert.equal(hex(pae(row["payload_type"], open())), row["pae"]);
  assert.equal(formatEnvelope(parseEnvelope(utf8(row["envelope"]))), row["envelope"]);
});

eachRow("evidence/ed25519_keys", (row) => assert.equal(isPublicKey(bytes(row["public_key"])), row["is_key"]));

eachRow("evidence/ed25519_signatures", (row) => {
  const signature = bytes(row["signature"]);
  assert.equal(isSignature(signature, bytes(row["message"]), bytes(row["public_key"])), row["holds"]);
  assert.ok(signature.length !== 64 || hasCanonicalS(signature) === (row["id"] !== "s-plus-l"));
});

test("OpenSSL's signatures hold, changed ones do not, and OpenSSL agrees on each", () => {
  for (let n = 0; n < 24; n += 1) {
    const { publicKey, sign: make } = keyPair(taggedHash("test", u8(n)));
    const message = new Uint8Array(n * 37).map((_, at) => at * n);
    const signature = make(message);
    assert.ok(isSignature(signature, message, publicKey));
    for (const at of [0, 13, 31, 32, 45, 62]) {
      const changed = signature.map((byte, place) => (place === at ? byte ^ (1 << (n % 8)) : byte));
      assert.equal(isSignature(changed, message, publicKey), openssl(changed, message, publicKey));
      assert.ok(!isSignature(changed, message, publicKey));
    }
  }
});

test("a key that is used often still verifies only what it signed", () => {
  const { publicKey, sign: make } = keyPair(taggedHash("often"));
  for (let n = 0; n < 40; n += 1) {
    const signature = make(u32(n));
    assert.ok(isSignature(signature, u32(n), publicKey));
    assert.ok(!isSignature(signature, u32(n + 1), publicKey));
  }
});

test("a signature whose R has a part of small order is refused, which the cofactor would hide", () => {
  const seed = taggedHash("torsion");
  const { scalar, pointBytes } = ed25519.utils.getExtendedPublicKey(seed);
  const small = Point.fromHex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a");
  assert.ok(small.isSmallOrder() && !small.is0());
  const nonce = 12345n;
  const r = Point.BASE.multiply(nonce).add(small).toBytes();
  const message = utf8("two verifiers disagree");
  const digest = sha512(concat(r, pointBytes, message)).reverse();
  const k = BigInt(`0x${hex(digest)}`) % Point.Fn.ORDER;
  const s = (nonce + k * scalar) % Point.Fn.ORDER;
  const signature = concat(r, bytes(s.toString(16).padStart(64, "0")).reverse());
  assert.ok(ed25519.verify(signature, message, pointBytes, { zip215: false }));
  assert.ok(!openssl(signature, message, pointBytes));
  assert.ok(!isSignature(signature, message, pointBytes));
});

test("keys of small order are none, however they are spelled", () => {
  const small = [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "0100000000000000000000000000000000000000000000000000000000000080",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  ];
  for (const key of small) {
    assert.ok(!isPublicKey(bytes(key)), key);
    assert.ok(!isSignature(new Uint8Array(64), utf8("anything"), bytes(key)), key);
  }
});

test("a signature with the identity as R is refused", () => {
  const { scalar, pointBytes } = ed25519.utils.getExtendedPublicKey(taggedHash("identity"));
  const r = Point.ZERO.toBytes();
  const digest = sha512(concat(r, pointBytes, utf8("m"))).reverse();
  const s = ((BigInt(`0x${hex(digest)}`) % Point.Fn.ORDER) * scalar) % Point.Fn.ORDER;
  const trivial = concat(r, bytes(s.toString(16).padStart(64, "0")).reverse());
  assert.ok(!isSignature(trivial, utf8("m"), pointBytes));
});

test("hex and base64 have one spelling", () => {
  assert.ok(isHex("00ff", 2));
  for (const text of ["00FF", "0ff", "00f", "00ff\n", "0x00"]) {
    assert.throws(() => unhex(text, 2));
  }
  const data = new Uint8Array(50_000).map((_, at) => at * 7);
  assert.equal(hex(unbase64(base64(data))), hex(data));
  for (const text of ["QQ", "QR==", "QQ==\n", " QQ==", "Q===", "Q-=="]) {
    assert.throws(() => unbase64(text));
  }
});

eachRow("log/vkey", (row) => expect(row["is_key"], () => assert.equal(parseKey(row["text"]).text, row["text"])));

eachRow("log/note", (row) => {
  const read = () => parseNote(utf8(row["note"]));
  const verify = () => verifyNote(read(), (row["keys"] as string[]).map(parseKey));
  expect(row["refused_at"] !== "PARSE", () => assert.equal(text(formatNote(read())), row["note"]));
  expect(!row["refused_at"], () =>
    assert.deepEqual(
      Array.from(verify(), ({ name }) => name),
      row["signers"],
    ),
  );
});

eachRow("log/checkpoint", (row) => {
  expect(row["is_checkpoint"], () => assert.equal(checkpointBody(parseCheckpoint(row["body"])), row["body"]));
});

eachRow("log/receipt", (row) => {
  const terms = () => ({ origin: row["origin"], keys: (row["keys"] as string[]).map(parseKey) });
  expect(row["holds"], () => verifyReceipt(parseReceipt(utf8(row["receipt"])), bytes(row["leaf"]), terms()));
});

eachRow("log/merkle_root", (row) => assert.equal(hex(rootOf((row["leaves"] as string[]).map(bytes))), row["root"]));

const proofOf = (row: Row): Bytes[] => (row["proof"] as string[]).map(bytes);
const include = (row: Row): void => {
  const place = { index: row["index"], size: row["size"], root: bytes(row["root"]) };
  verifyInclusion(bytes(row["leaf_hash"]), place, proofOf(row));
};
const grow = (row: Row): void => {
  const old = { size: row["old_size"], root: bytes(row["old_root"]) };
  verifyConsistency(old, { size: row["new_size"], root: bytes(row["new_root"]) }, proofOf(row));
};

eachRow("log/merkle_inclusion", include);
eachRow("log/merkle_consistency", grow);
eachRow("log/merkle_refused", (row) => {
  assert.throws(() => (row["kind"] === "INCLUSION" ? include(row) : grow(row)), ProofError);
});

const HASHES = Array.from({ length: 130 }, (_, n) => leafHash(utf8(`leaf ${n}`)));

test("for every size below 130 each leaf's proof holds there and, longer, shorter or elsewhere, nowhere", () => {
  for (let size = 1; size < 130; size += 1) {
    const hashes = HASHES.slice(0, size);
    const root = mth(hashes);
    for (let index = 0; index < size; index += 1) {
      const leaf = hashes[index] as Bytes;
      const proof = path(index, hashes);
      const holds = (at: number, of: number, by: Bytes[]): boolean => {
        try {
          verifyInclusion(leaf, { index: at, size: of, root }, by);
          return true;
        } catch (error) {
          assert.ok(error instanceof ProofError);
          return false;
        }
      };
      assert.ok(holds(index, size, proof));
      assert.ok(!holds(index, size, [...proof, root]));
      assert.ok(proof.length === 0 || !holds(index, size, proof.slice(0, -1)));
      assert.ok(!holds(size, size, proof));
      assert.ok(size === 1 || !holds((index + 1) % size, size, proof));
      assert.ok(!holds(-1, size, proof));
    }
  }
});

test("for every two sizes below 70 the proof of growth holds, and a changed one does not", () => {
  for (let young = 1; young < 70; young += 1) {
    const root = mth(HASHES.slice(0, young));
    for (let old = 1; old <= young; old += 1) {
      const proof = old === young ? [] : subproof(old, HASHES.slice(0, young));
      const before = { size: old, root: mth(HASHES.slice(0, old)) };
      verifyConsistency(before, { size: young, root }, proof);
      const lies: [typeof before, Bytes[]][] = [
        [before, [...proof, root]],
        [{ ...before, root: HASHES[129] as Bytes }, proof],
      ];
      if (proof.length > 0) {
        lies.push([before, proof.slice(1)], [before, proof.slice(0, -1)]);
      }
      for (const [claim, by] of lies) {
        assert.throws(() => verifyConsistency(claim, { size: young, root }, by), ProofError);
      }
    }
  }
});

test("every tree continues the empty one, whose root is fixed", () => {
  const young = { size: 5, root: mth(HASHES.slice(0, 5)) };
  verifyConsistency({ size: 0, root: EMPTY_ROOT }, young, []);
  assert.throws(() => verifyConsistency({ size: 0, root: young.root }, young, []), ProofError);
});

test("the edge of a growing tree has its root at every size", () => {
  const edge = new Frontier();
  assert.equal(hex(edge.root), hex(EMPTY_ROOT));
  for (let size = 1; size <= 130; size += 1) {
    edge.append(HASHES[size - 1] as Bytes);
    assert.equal(hex(edge.root), hex(mth(HASHES.slice(0, size))));
  }
});

test("an index beyond 32 bits is proved by the same arithmetic", () => {
  // A tree of 2^40 equal leaves: every node of a level has one hash, so the path is known.
  let node = leafHash(utf8("same"));
  const leaf = node;
  const proof: Bytes[] = [];
  for (let level = 0; level < 40; level += 1) {
    proof.push(node);
    node = new Uint8Array(createHash("sha256").update(Uint8Array.of(1)).update(node).update(node).digest());
  }
  const place = { index: 2 ** 39 + 12345, size: 2 ** 40, root: node };
  verifyInclusion(leaf, place, proof);
  assert.throws(() => verifyInclusion(leaf, { ...place, size: 2 ** 40 + 1 }, proof), ProofError);
});

eachRow("log/slot", (row) => {
  const rounds = new Map<number, RoundState>();
  const found = (row["steps"] as Row[]).map((step, place) => {
    const number = step["round"] as number;
    const states = { previous: rounds.get(number - 1) ?? null, current: rounds.get(number) ?? null };
    try {
      const state = advance(stepOf(step), leafNamed(place), states);
      rounds.set(number, state);
      if ("stored" in step) {
        const stored = state.unseals.find(({ history }) => history === step["course"]);
        assert.equal(stored?.leaf, leafNamed(step["stored"]));
      }
      return "";
    } catch (error) {
      assert.ok(error instanceof SlotError);
      return error.reason;
    }
  });
  assert.deepEqual(
    found,
    (row["steps"] as Row[]).map((step) => step["refused"]),
  );
});

function leafNamed(place: number): string {
  return (place + 1).toString(16).padStart(2, "0").repeat(32);
}

function stepOf(step: Row): Step {
  const roundId = `id ${step["id"] ?? ""}`;
  const deckRoot = `deck ${step["deck"] ?? "dealt"}`;
  switch (step["kind"]) {
    case "OPEN": {
      const previousLeaf = "previous" in step ? leafNamed(step["previous"]) : NO_LEAF;
      return { kind: "OPEN", roundNumber: step["round"], roundId, previousLeaf };
    }
    case "ABORT":
      return { kind: "ABORT", roundId, deckRoot: step["deck"] === "" ? null : deckRoot };
    case "REVEAL":
      return { kind: "REVEAL", roundId };
    case "UNSEAL": {
      const history = step["course"] as string;
      const course = (number: number): string => history.slice(0, number);
      return { kind: "UNSEAL", roundId, number: history.length, history, course };
    }
    case "SETTLE": {
      const unseals = ((step["unseals"] ?? []) as string[]).map((history) => ({ number: history.length, history }));
      return { kind: "SETTLE", roundId, deckRoot, unseals };
    }
    default:
      return { kind: "DEAL", roundId, deckRoot };
  }
}
