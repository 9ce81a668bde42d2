// A log receipt, verified with nothing but SHA-256 and Ed25519: Merkle inclusion (RFC 9162, 2.1.3.2) in the tree of a
// checkpoint that the log's key has signed (C2SP tlog-proof, tlog-checkpoint, signed-note).
import { createHash, createPublicKey, verify } from "node:crypto";

const SPKI = Buffer.from("302a300506032b6570032100", "hex"); // what DER puts before an Ed25519 key
const ORDER = 0x1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3edn;
const SMALL_ORDER = new Set([
  "0100000000000000000000000000000000000000000000000000000000000000",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0000000000000000000000000000000000000000000000000000000000000080",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
]);

/** Whether the key has signed the message; points of small order sign nothing. */
export function isSigned(signature, message, publicKey) {
  if (signature.length !== 64 || publicKey.length !== 32) return false;
  if (SMALL_ORDER.has(publicKey.toString("hex"))) return false;
  if (SMALL_ORDER.has(signature.subarray(0, 32).toString("hex"))) return false;
  const s = BigInt("0x" + Buffer.from(signature.subarray(32)).reverse().toString("hex"));
  if (s >= ORDER) return false;
  const key = createPublicKey({
    key: Buffer.concat([SPKI, publicKey]),
    format: "der",
    type: "spki",
  });
  return verify(null, message, key, signature);
}

/** Whether the hash is a leaf's at this place of a tree of this size and root. */
export function isIncluded({ leafHash, index, size, proof, root }) {
  if (index >= size) return false;
  let [place, last, hash] = [index, size - 1, leafHash];
  for (const sibling of proof) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      hash = node(sibling, hash);
      while (place % 2 === 0 && place !== 0) [place, last] = [half(place), half(last)];
    } else {
      hash = node(hash, sibling);
    }
    [place, last] = [half(place), half(last)];
  }
  return last === 0 && hash.equals(root);
}

/** The size of the tree in which the receipt shows the leaf; an Error where it does not show it. */
export function verifyReceipt({ text, leaf, origin, keys }) {
  const cut = text.indexOf("\n\n");
  demand(cut > 0, "it has no checkpoint");
  const [first, second, ...hashes] = text.slice(0, cut).split("\n");
  demand(first === "c2sp.org/tlog-proof@v1", "its first line is another");
  const place = /^index (0|[1-9][0-9]{0,15})$/.exec(second ?? "");
  demand(place !== null && Number.isSafeInteger(Number(place[1])), "its second line is no index");
  demand(hashes.length <= 64, "its proof is too long");
  const proof = hashes.map((line) => base64(line, 32));
  const { size, root } = openCheckpoint({ note: text.slice(cut + 2), origin, keys });
  const leafHash = sha256(Buffer.of(0), leaf);
  demand(
    isIncluded({ leafHash, index: Number(place[1]), size, proof, root }),
    "the leaf is not in the tree",
  );
  return size;
}

function openCheckpoint({ note, origin, keys }) {
  const cut = note.lastIndexOf("\n\n");
  demand(cut > 0 && note.endsWith("\n"), "the checkpoint is no signed note");
  const body = note.slice(0, cut + 1);
  const lines = note.slice(cut + 2, -1).split("\n");
  const known = keys.map(verifierKey);
  let signers = 0;
  for (const line of lines) {
    const [, name, given] =
      /^\u2014 (\S+) (\S+)$/.exec(line) ?? demand(false, "a line is no signature");
    const bytes = base64(given);
    for (const key of known) {
      if (key.name !== name || !key.hint.equals(bytes.subarray(0, 4))) continue;
      demand(
        isSigned(bytes.subarray(4), Buffer.from(body), key.publicKey),
        "the log's signature is false",
      );
      signers += 1;
    }
  }
  demand(signers > 0, "the log's key has not signed the checkpoint");
  const [place, size, root, ...more] = body.slice(0, -1).split("\n");
  demand(place === origin && more.length === 0, "it is another log's checkpoint");
  demand(
    /^(0|[1-9][0-9]{0,15})$/.test(size ?? "") && Number.isSafeInteger(Number(size)),
    "its size is no number",
  );
  return { size: Number(size), root: base64(root ?? "", 32) };
}

function verifierKey(text) {
  const [, name, hash, given] =
    /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text) ?? demand(false, "no verifier key");
  const bytes = base64(given, 33);
  const hint = sha256(Buffer.from(`${name}\n`), bytes).subarray(0, 4);
  demand(bytes[0] === 1 && hint.toString("hex") === hash, "no Ed25519 verifier key");
  return { name, hint, publicKey: bytes.subarray(1) };
}

function base64(text, length) {
  const bytes = Buffer.from(text, "base64");
  demand(bytes.toString("base64") === text, "it is not base64 in its one spelling");
  demand(length === undefined || bytes.length === length, "it has another length");
  return bytes;
}

function sha256(...parts) {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function node(left, right) {
  return sha256(Buffer.of(1), left, right);
}

function half(number) {
  return Math.floor(number / 2);
}

function demand(holds, otherwise) {
  if (!holds) throw new Error(otherwise);
}
