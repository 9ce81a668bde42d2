/**
 * One page, one script, one style sheet. The verifier and what the page uses of the SDK are compiled in from their sources.
 */

import { fileURLToPath } from "node:url";

import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

const inFolder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  base: "./",
  plugins: [svelte()],
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
