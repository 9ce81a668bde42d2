/** Leaving a room; a seat with a key signs that it leaves its round. */

import { connection } from "./connection.svelte";
import type { Round } from "./messages";
import { leaveChoice, makeMove } from "./signing";

export async function leaveRoom(round: Round | null): Promise<void> {
  if (round === null || round.you === null || round.course === undefined) {
    await connection.command("leave");
  } else {
    await makeMove("leave", () => connection.view?.round ?? round, {}, leaveChoice(round));
  }
}
