/**
 * A frontend's part in rounds of all games, over Connect and JSON: for browsers, engines and Node.
 * `referee-client/node` has the same over gRPC. Beside it are the services as typed stubs (`refereeOver`), reached by
 * `referee-client/web` and `referee-client/node`, and what proves their word, in `referee-client/verify`.
 */

import "./host.js";

export { create, type MessageInitShape } from "@bufbuild/protobuf";
export { Code, ConnectError } from "@connectrpc/connect";
export * from "./gen/referee/v1/advice_pb.js";
export * from "./gen/referee/v1/card_pb.js";
export * from "./gen/referee/v1/error_reason_pb.js";
export * from "./gen/referee/v1/hand_pb.js";
export * from "./gen/referee/v1/log_pb.js";
export * from "./gen/referee/v1/mau_binh_pb.js";
export * from "./gen/referee/v1/money_pb.js";
export * from "./gen/referee/v1/round_pb.js";
export * from "./gen/referee/v1/ruleset_pb.js";
export * from "./gen/referee/v1/seating_pb.js";
export * from "./gen/referee/v1/shuffler_pb.js";
export * from "./gen/referee/v1/text_pb.js";
export * from "./gen/referee/v1/tien_len_pb.js";
export * from "./gen/referee/v1/ultimate_texas_pb.js";
export * from "./gen/referee/v1/violation_pb.js";
export type { AbridgingFigures } from "./abridging.js";
export { type Cards, readCards, spell } from "./cards.js";
export { type AnyRound, Client, type ClientOptions, type ResumeOptions, type RoundOptions } from "./client.js";
export type { ClockDifference } from "./clock.js";
export { connect, type ConnectOptions } from "./connect.js";
export type { DealOptions, OpenOptions } from "./dealing.js";
export {
  BadRequestError,
  ConflictError,
  DataLossError,
  DeniedError,
  NotFoundError,
  NotReadyError,
  RefereeError,
  RoundLapsesError,
  TimedOutError,
  UnavailableError,
  VerificationError,
  WrongSecretsError,
} from "./errors.js";
export { defineGame, type GameDefinition, type PackagedTypes } from "./define-game.js";
export type { AnyEvent, AnyGame, AnyOutcome, GameMethods, GameTypes } from "./game.js";
export type { GatheringFigures } from "./gathering.js";
export type { Answer, Post } from "./http.js";
export type { Token } from "./identity.js";
export { BrowserJournal, type Journal } from "./journal.js";
export { type JsonAddress, jsonLine } from "./json-line.js";
export { type Line, lineOver } from "./line.js";
export type { ListOptions, RoundFilter, SeatKey } from "./listing.js";
export { type Chi, MAU_BINH, MauBinhGame } from "./mau-binh.js";
export { type Calls, isOver, type Previewing, type Referee, refereeOver } from "./referee.js";
export { RecordError } from "./record.js";
export type { ResumableRound } from "./resuming.js";
export { type FieldAtFault, type Reason, type Refusal, refusalOf } from "./refusal.js";
export { RETRIES, type Retries } from "./retry.js";
export type { Revealed, Settled } from "./round.js";
export { type ReceiptedEvent, writeReceiptedEvent } from "referee-verifier/protocol";
export { AlreadySignedError, type Move, SeatChain } from "./seat.js";
export { readSeatKey, writeSeatKey } from "./seat-key.js";
export { type Entropy, SeatSecrets, type SecretsOptions } from "./secrets.js";
export type { Stage } from "./state.js";
export type { Bet, Terms } from "./terms.js";
export { TIEN_LEN, TienLenGame } from "./tien-len.js";
export type { Proved, Trust } from "./trust.js";
export { type Choice, ULTIMATE_TEXAS, UltimateTexasGame } from "./ultimate-texas.js";
