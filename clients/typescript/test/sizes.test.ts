/** The README's sizes are those of each entry with all that it imports, minified and in gzip. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";

const here = process.cwd();
const own = (name: string) => join(here, "node_modules/@noble", name); // the linked verifier has copies
const ENTRIES = ["chain", "index", "node"] as const;

/** An entry's kilobytes as one script that needs nothing but its host. */
async function kilobytes(entry: (typeof ENTRIES)[number]): Promise<number> {
  const bundle = await rolldown({
    input: join(here, `dist/${entry}.js`),
    platform: entry === "node" ? "node" : "browser",
    resolve: { alias: { "@noble/curves": own("curves"), "@noble/hashes": own("hashes") } },
  });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  await bundle.close();
  const bytes = output.reduce((sum, part) => sum + (part.type === "chunk" ? gzipSync(part.code).length : 0), 0);
  return bytes / 1000;
}

test("the sizes that the README states are those of the entries", async () => {
  const page = readFileSync(join(here, "README.md"), "utf8");
  const stated = new Map(
    [...page.matchAll(/^\| `(referee-client[^`]*)`.* (\d+) kB +\|$/gm)].map(([, name, size]) => [name, Number(size)]),
  );
  const script = gzipSync(readFileSync(join(here, "dist/referee.engine.js"))).length / 1000;
  const found = new Map([["referee-client/referee.engine.js", script]]);
  for (const entry of ENTRIES) {
    const name = entry === "index" ? "referee-client" : `referee-client/${entry}`;
    found.set(name, await kilobytes(entry));
  }
  assert.deepEqual([...stated.keys()].sort(), [...found.keys()].sort());
  for (const [name, size] of found) {
    const difference = Math.abs(size - (stated.get(name) ?? 0));
    assert.ok(difference <= 1 + size / 20, `${name} has ${size.toFixed(1)} kB in gzip`);
  }
});
