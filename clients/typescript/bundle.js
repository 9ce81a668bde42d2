// npm run bundle: dist/referee.engine.js, the one script of src/engine.ts with all that it imports, in the syntax of
// ES2019. It fails where anything newer is left in it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { parse } from "acorn";
import { build } from "rolldown";

const here = (path) => join(import.meta.dirname, path);
const file = here("dist/referee.engine.js");
await build({
  input: here("dist/engine.js"),
  // the linked verifier has a copy of its own of both
  resolve: {
    alias: Object.fromEntries(
      ["curves", "hashes"].map((name) => [`@noble/${name}`, here(`node_modules/@noble/${name}`)]),
    ),
  },
  // Object.hasOwn and globalThis are younger than ES2019
  transform: { target: "es2019", define: { "Object.hasOwn": "refereeHasOwn", globalThis: "refereeGlobal" } },
  output: {
    file,
    format: "iife",
    name: "Referee",
    minify: true,
    intro: `var refereeHasOwn = function (o, n) { return Object.prototype.hasOwnProperty.call(o, n); };
var refereeGlobal = typeof self === "object" ? self : Function("return this")();`,
    comments: { legal: true },
  },
});
const script = readFileSync(file);
parse(script.toString(), { ecmaVersion: 2019 });
console.log(`${file}: ${script.length} bytes, ${gzipSync(script).length} in gzip`);
