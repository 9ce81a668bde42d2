// npm run generate: the messages and services of ../../protos as TypeScript in src/gen, by buf and the pinned plugin.
// BUF names the command where `buf` is not on the path (PyPI has it as buf-bin).
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const here = import.meta.dirname;
const protos = mkdtempSync(join(tmpdir(), "referee-protos-"));
try {
  for (const folder of ["referee", "google"]) {
    cpSync(join(here, "../../protos", folder), join(protos, folder), { recursive: true });
  }
  cpSync(join(here, "protos"), protos, { recursive: true });
  const plugin = {
    local: join(here, "node_modules/.bin/protoc-gen-es"),
    out: join(here, "src/gen"),
    opt: ["target=ts", "import_extension=js"],
  };
  const template = JSON.stringify({ version: "v2", clean: true, plugins: [plugin] });
  const command = [process.env.BUF ?? "buf", "generate", protos, "--template", template];
  execFileSync(command[0], command.slice(1), { stdio: "inherit" });
} finally {
  rmSync(protos, { recursive: true });
}
