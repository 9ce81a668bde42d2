/**
 * One page, one script, one style sheet. The verifier and what the page uses of the SDK are compiled in from their sources.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";

const inFolder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The titles of the games, each brought by its game's folder. */
const titles = (): string =>
  readdirSync(inFolder("src"))
    .map((folder) => inFolder(`src/${folder}/title.json`))
    .filter((file) => existsSync(file))
    .map((file) => (JSON.parse(readFileSync(file, "utf8")) as { vi: string }).vi)
    .join(", ");

/** Names the games where a page says what it is before its script runs: in its description and its manifest. */
const namesGames = (): Plugin => ({
  name: "names-games",
  transformIndexHtml: (html) => html.replace('content="Play money', `content="${titles()}: play money`),
  generateBundle() {
    const manifest = readFileSync(inFolder("public/manifest.json"), "utf8");
    const source = manifest.replace('"name": "Referee"', `"name": "Referee: ${titles()}"`);
    this.emitFile({ type: "asset", fileName: "manifest.json", source });
  },
});

export default defineConfig({
  base: "./",
  plugins: [svelte(), namesGames()],
  resolve: {
    alias: [
      { find: /^referee-client\/(.*)$/, replacement: inFolder("../typescript/src/$1.ts") },
      { find: /^referee-verifier$/, replacement: inFolder("../verifier/src/index.ts") },
      { find: /^referee-verifier\/(.*)$/, replacement: inFolder("../verifier/src/$1.ts") },
      { find: "@noble/curves", replacement: inFolder("node_modules/@noble/curves") },
      { find: "@noble/hashes", replacement: inFolder("node_modules/@noble/hashes") },
    ],
  },
  build: {
    target: "es2022",
    license: { fileName: "licenses.md" }, // of the packages whose code is in the page
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        entryFileNames: "assets/[name].js",
        chunkFileNames: "assets/[name].js",
        assetFileNames: "assets/[name][extname]",
      },
    },
  },
});
