/** Leaving a room; a seat with a key signs that it leaves its round. */

import { gameOf } from "../games";
import { connection } from "./connection.svelte";
import type { Round } from "./messages";
import { LEAVE, makeMove } from "./signing";

export async function leaveRoom(round: Round | null): Promise<void> {
  if (round === null || round.you === null || round.course === undefined) {
    await connection.command("leave");
  } else {
    const choice = gameOf(round)?.leaveChoice ?? LEAVE;
    await makeMove("leave", () => connection.view?.round ?? round, {}, choice);
  }
}
