/** The foundations against other implementations: Node's OpenSSL, published vectors, and by hand. */

import assert from "node:assert/strict";
import { createPrivateKey, createPublicKey, hkdfSync, sign, verify } from "node:crypto";
import { test } from "node:test";

import { ed25519 } from "@noble/curves/ed25519.js";
import { sha512 } from "@noble/hashes/sha2.js";

import { base64, type Bytes, concat, hex, isHex, unbase64, unhex, utf8 } from "../src/bytes.js";
import { decode, encode } from "../src/canonical.js";
import { formatEnvelope, parseEnvelope } from "../src/dsse.js";
import { hasCanonicalS, isPublicKey, isSignature } from "../src/ed25519.js";
import { enc, taggedHash, u32, u64, u8 } from "../src/encoding.js";
import { hkdf } from "../src/hkdf.js";
import { bytes } from "./files.js";

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

test("RFC 8032's test 3 holds", () => {
  const key = bytes("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025");
  const signature = bytes(
    "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
  );
  assert.ok(isSignature(signature, bytes("af82"), key));
  assert.ok(!isSignature(signature, bytes("af83"), key));
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

test("S above the group order is refused though the equation holds", () => {
  const { publicKey, sign: make } = keyPair(taggedHash("malleable"));
  const signature = make(utf8("once"));
  const s = BigInt(`0x${hex(signature.slice(32).reverse())}`) + Point.Fn.ORDER;
  const text = s.toString(16).padStart(64, "0");
  const second = concat(signature.slice(0, 32), bytes(text).reverse());
  assert.ok(!isSignature(second, utf8("once"), publicKey));
  assert.ok(!hasCanonicalS(second) && hasCanonicalS(signature));
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

test("keys of small or mixed order, off the curve or not canonical are none", () => {
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
  const mixed = Point.BASE.multiply(7n)
    .add(Point.fromHex(small[4] as string))
    .toHex();
  const offCurve = "0200000000000000000000000000000000000000000000000000000000000000";
  for (const key of [...small, mixed, offCurve, "00", ""]) {
    assert.ok(!isPublicKey(bytes(key)), key);
    assert.ok(!isSignature(new Uint8Array(64), utf8("anything"), bytes(key)), key);
  }
  assert.ok(isPublicKey(keyPair(taggedHash("sound")).publicKey));
});

test("signatures of another length and with the identity as R are refused", () => {
  const { publicKey, sign: make } = keyPair(taggedHash("length"));
  const signature = make(utf8("m"));
  assert.ok(!isSignature(signature.slice(1), utf8("m"), publicKey));
  assert.ok(!isSignature(concat(signature, u8(0)), utf8("m"), publicKey));
  const { scalar, pointBytes } = ed25519.utils.getExtendedPublicKey(taggedHash("identity"));
  const r = Point.ZERO.toBytes();
  const digest = sha512(concat(r, pointBytes, utf8("m"))).reverse();
  const s = ((BigInt(`0x${hex(digest)}`) % Point.Fn.ORDER) * scalar) % Point.Fn.ORDER;
  const trivial = concat(r, bytes(s.toString(16).padStart(64, "0")).reverse());
  assert.ok(!isSignature(trivial, utf8("m"), pointBytes));
});

test("HKDF is Node's", () => {
  for (const length of [1, 32, 33, 128, 1664]) {
    for (const salt of [new Uint8Array(), taggedHash("salt")]) {
      const info = enc("deck", taggedHash("round"));
      const expected = hkdfSync("sha256", taggedHash("ikm"), salt, info, length);
      const found = hkdf(taggedHash("ikm"), { salt, info, length });
      assert.equal(hex(found), Buffer.from(expected).toString("hex"));
    }
  }
});

test("the encoding is the one written in the protocol", () => {
  const expected = "0e726566657265652f76312f6d69780200000002616200000000";
  assert.equal(hex(enc("mix", utf8("ab"), utf8(""))), expected);
  assert.equal(hex(u64(2 ** 53 - 1)), "001fffffffffffff");
  assert.throws(() => u8(256));
  assert.throws(() => u32(-1));
  assert.throws(() => u64(2 ** 53));
  assert.throws(() => u64(1.5));
});

test("a canonical text is what its value encodes to", () => {
  const texts = ['{"a":[1,-2,"x"],"b":{}}', '"\\"\\\\"', "0", '{"":""}', '{"__proto__":1,"a":2}'];
  for (const text of texts) {
    assert.equal(encode(decode(utf8(text))), text);
  }
});

test("every other spelling of a value is refused", () => {
  const odd = [
    '{"a":1 }',
    '{"b":1,"a":2}',
    '{"a":1,"a":1}',
    "1.0",
    "1e2",
    "-0",
    "01",
    "true",
    "null",
    "9007199254740992",
    "9007199254740993",
    '"\\u0041"',
    '"é"',
    '"\\n"',
    '"\\/"',
    '"\x7f"',
    "[1,]",
    "\ufeff1",
    " 1",
    "",
    "NaN",
    "[".repeat(20_000) + "]".repeat(20_000),
  ];
  for (const text of odd) {
    assert.throws(() => decode(utf8(text)), Error, text.slice(0, 40));
  }
  assert.throws(() => decode(Uint8Array.of(0x22, 0xff, 0x22)));
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

test("an envelope has one text", () => {
  const envelope = { payloadType: "text/plain", payload: utf8("hi"), signature: null };
  const text = formatEnvelope(envelope);
  assert.deepEqual(parseEnvelope(utf8(text)), envelope);
  for (const odd of [` ${text}`, `${text}\n`, text.replace("aGk=", "aGl=")]) {
    if (odd !== text) {
      assert.throws(() => parseEnvelope(utf8(odd)));
    }
  }
});
