/** What is asked alike of a round of any game. */

/** A game's service, such as `referee.mauBinh`. */
export interface Previewing<Round> {
  previewRound(request: { round: Round }): Promise<{ readonly outcome?: unknown }>;
}

/** Whether the round is over, so that `settleRound` settles it: `isOver(referee.mauBinh, round)`. */
export async function isOver<Round>(game: Previewing<Round>, round: Round): Promise<boolean> {
  return (await game.previewRound({ round })).outcome !== undefined;
}
