// Build the page's chain and run scripts through it: node chain.mjs FOLDER SCRIPTS > outcomes
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { build } = await import(pathToFileURL(`${process.cwd()}/node_modules/vite/dist/node/index.js`));
const [folder, given] = process.argv.slice(2);
const scripts = JSON.parse(readFileSync(given, "utf8"));
await build({
  logLevel: "silent",
  build: {
    outDir: folder,
    license: false,
    copyPublicDir: false,
    lib: { entry: "src/connection/chain.ts", formats: ["es"] },
    rolldownOptions: { output: { entryFileNames: "chain.js" } },
  },
});
const chain = await import(pathToFileURL(`${folder}/chain.js`));

const outcomes = scripts.map((steps) => {
  let kept;
  return steps.map(({ forgets, round, key, choice }) => {
    kept = forgets ? undefined : kept;
    let seat;
    try {
      seat = chain.shown(round, key, kept);
    } catch (error) {
      return error instanceof chain.CourseError ? "COURSE" : String(error);
    }
    try {
      const { event, seen, move } = seat.next({ ...choice, seat: round.you });
      return { event: new TextDecoder().decode(event), seen, move: Buffer.from(move).toString("hex") };
    } catch (error) {
      return error instanceof chain.AlreadySignedError ? "SIGNED" : String(error);
    } finally {
      kept = seat.save();
    }
  });
});
process.stdout.write(JSON.stringify(outcomes));
