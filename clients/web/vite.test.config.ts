/** The page's unit tests, compiled as the page is and run by node --test. */

import { readdirSync } from "node:fs";

import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

import page from "./vite.config.ts";

const tests = readdirSync(new URL("test", import.meta.url)).filter((name) => name.endsWith(".ts"));

export default defineConfig({
  plugins: [svelte()],
  ...(page.resolve === undefined ? {} : { resolve: page.resolve }),
  ssr: { noExternal: true },
  build: {
    ssr: true,
    target: "node20",
    outDir: "build/test",
    emptyOutDir: true,
    copyPublicDir: false,
    rolldownOptions: {
      input: Object.fromEntries(tests.map((name) => [name.replace(/\.ts$/, ""), `test/${name}`])),
      output: { entryFileNames: "[name].js", chunkFileNames: "chunks/[name].js" },
    },
  },
});
