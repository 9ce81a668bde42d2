/** The log's vectors: notes, keys, checkpoints, receipts, slots, and RFC 6962 trees. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { type Bytes, hex, text, utf8 } from "../src/bytes.js";
import { checkpointBody, parseCheckpoint, parseReceipt, verifyReceipt } from "../src/checkpoint.js";
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
import { bytes, mth, path, type Row, subproof, vectors } from "./files.js";

for (const row of vectors("log/vkey")) {
  test(`key ${row["id"]}: ${row["why"]}`, () => {
    if (row["is_key"]) {
      assert.equal(parseKey(row["text"]).text, row["text"]);
    } else {
      assert.throws(() => parseKey(row["text"]));
    }
  });
}

for (const row of vectors("log/note")) {
  test(`note ${row["id"]}: ${row["why"]}`, () => {
    const data = utf8(row["note"]);
    if (row["refused_at"] === "PARSE") {
      assert.throws(() => parseNote(data));
      return;
    }
    const note = parseNote(data);
    assert.equal(text(formatNote(note)), row["note"]);
    const verify = () => verifyNote(note, (row["keys"] as string[]).map(parseKey));
    if (row["refused_at"] === "VERIFY") {
      assert.throws(verify);
    } else {
      assert.deepEqual(
        verify().map((key) => key.name),
        row["signers"],
      );
    }
  });
}

for (const row of vectors("log/checkpoint")) {
  test(`checkpoint ${row["id"]}: ${row["why"]}`, () => {
    if (row["is_checkpoint"]) {
      assert.equal(checkpointBody(parseCheckpoint(row["body"])), row["body"]);
    } else {
      assert.throws(() => parseCheckpoint(row["body"]));
    }
  });
}

for (const row of vectors("log/receipt")) {
  test(`receipt ${row["id"]}: ${row["why"]}`, () => {
    const verify = () => {
      const keys = (row["keys"] as string[]).map(parseKey);
      const receipt = parseReceipt(utf8(row["receipt"]));
      verifyReceipt(receipt, bytes(row["leaf"]), { origin: row["origin"], keys });
    };
    if (row["holds"]) {
      verify();
    } else {
      assert.throws(verify);
    }
  });
}

for (const row of vectors("log/merkle_root")) {
  test(`root ${row["id"]} is the published one`, () => {
    assert.equal(hex(rootOf((row["leaves"] as string[]).map(bytes))), row["root"]);
  });
}

for (const row of vectors("log/merkle_inclusion")) {
  test(`inclusion ${row["id"]} holds`, () => {
    const place = { index: row["index"], size: row["size"], root: bytes(row["root"]) };
    verifyInclusion(bytes(row["leaf_hash"]), place, (row["proof"] as string[]).map(bytes));
  });
}

for (const row of vectors("log/merkle_consistency")) {
  test(`consistency ${row["id"]} holds`, () => {
    const old = { size: row["old_size"], root: bytes(row["old_root"]) };
    const young = { size: row["new_size"], root: bytes(row["new_root"]) };
    verifyConsistency(old, young, (row["proof"] as string[]).map(bytes));
  });
}

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

for (const row of vectors("log/slot")) {
  test(`slot ${row["id"]}: ${row["why"]}`, () => {
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
}

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
