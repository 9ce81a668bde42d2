/**
 * Referee's services, messages and refusals. How to reach a server is in `referee-client/web`
 * and `referee-client/node`, what proves its word in `referee-client/verify`.
 */

export { create, type MessageInitShape } from "@bufbuild/protobuf";
export { Code, ConnectError } from "@connectrpc/connect";
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
export type { Token } from "./identity.js";
export { type Calls, type Referee, refereeOver } from "./referee.js";
export { type FieldAtFault, type Reason, type Refusal, refusalOf } from "./refusal.js";
export { RETRIES, type Retries } from "./retry.js";
export { isOver, type Previewing } from "./round.js";
