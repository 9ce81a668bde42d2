/** Prints each of the audit's fixtures with the code expected first and the code found first. */

import { audited, vectors } from "./files.js";

for (const log of [...vectors("audit/healthy"), ...vectors("audit/mutations")]) {
  const result = await audited(log);
  const expected = String(log["expected"].code ?? "nothing");
  const found = result.findings[0]?.code ?? "nothing";
  console.log(`${String(log["id"]).padEnd(36)}${expected.padEnd(26)}${found}`);
}
