/**
 * The frontend's part for engines of games, as one script without modules: `npm run build` bundles it with all that it
 * needs into `dist/referee.engine.js`, in the syntax of ES2019, which sets the global `Referee`. Of its host it needs
 * XMLHttpRequest or fetch, BigInt, and random bytes: those of `crypto`, or the `entropy` that `connect` is given.
 */

import "./host.js";

export { readCards, spell } from "./cards.js";
export { Client } from "./client.js";
export { connect } from "./connect.js";
export { defineGame } from "./define-game.js";
export * from "./errors.js";
export { Card } from "./gen/referee/v1/card_pb.js";
export { RoundStage } from "./gen/referee/v1/log_pb.js";
export { AbortReason } from "./gen/referee/v1/shuffler_pb.js";
export { Decision } from "./gen/referee/v1/ultimate_texas_pb.js";
export { BrowserJournal } from "./journal.js";
export { AlreadySignedError } from "./chain.js";
export { SeatSecrets } from "./secrets.js";
