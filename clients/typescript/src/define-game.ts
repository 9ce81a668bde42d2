/** A game of a package, made of the descriptor of its proto and its encoder of events. */

import { type DescMethod, fromBinary } from "@bufbuild/protobuf";
import { fileDesc, type GenFile } from "@bufbuild/protobuf/codegenv2";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { file_google_rpc_status } from "./gen/google/rpc/status_pb.js";
import { file_referee_v1_card } from "./gen/referee/v1/card_pb.js";
import { file_referee_v1_hand } from "./gen/referee/v1/hand_pb.js";
import { file_referee_v1_money } from "./gen/referee/v1/money_pb.js";
import { file_referee_v1_round } from "./gen/referee/v1/round_pb.js";
import { file_referee_v1_text } from "./gen/referee/v1/text_pb.js";
import { file_referee_v1_violation } from "./gen/referee/v1/violation_pb.js";
import {
  type Accepted,
  type AnyEvent,
  type AnyOutcome,
  type GameMethods,
  gameOf,
  type Outcomes,
  type RoundMessage,
} from "./game.js";

/** Files that the proto of a game may import. */
const IMPORTED: readonly GenFile[] = [
  file_google_rpc_status,
  file_referee_v1_card,
  file_referee_v1_hand,
  file_referee_v1_money,
  file_referee_v1_round,
  file_referee_v1_text,
  file_referee_v1_violation,
];

/** The types of a game of a package: its events and its outcome; what else there is, all games have. */
export interface PackagedTypes<Event extends AnyEvent = AnyEvent, Outcome extends AnyOutcome = AnyOutcome> {
  /** An event of the game. */
  readonly event: Event;
  /** A round so far. */
  readonly round: RoundMessage<Event>;
  /** The answer to an event. */
  readonly accepted: Accepted<Event>;
  /** The answer to a preview. */
  readonly preview: Outcomes<Outcome>;
  /** The outcome of a round. */
  readonly outcome: Outcome;
}

/** What a package says of its game. */
export interface GameDefinition<Event extends AnyEvent> {
  /** Name before the dot of its rulesets, such as `bai_cao`. */
  readonly name: string;
  /** The FileDescriptorProto of its proto, as base64. */
  readonly descriptor: string;
  /** The members of an event's canonical JSON beside `seat` and `seen`: its `kind`, and what the game has besides. */
  readonly choiceOf: (event: Event) => Readonly<Record<string, unknown>>;
}

/**
 * Return the game that a client is given: `connect(url, { games: [defineGame({ ... })] })`.
 *
 * RangeError if the descriptor is not that of a game: a service with AcceptEvent, PreviewRound and SettleRound.
 */
export function defineGame<Event extends AnyEvent = AnyEvent, Outcome extends AnyOutcome = AnyOutcome>({
  name,
  descriptor,
  choiceOf,
}: GameDefinition<Event>): GameMethods<PackagedTypes<Event, Outcome>> {
  const { dependency } = fromBinary(FileDescriptorProtoSchema, base64Decode(descriptor));
  const file = fileDesc(descriptor, dependency.map(fileNamed));
  const methods = file.services.reduce<DescMethod[]>((all, service) => [...all, ...service.methods], []);
  return gameOf<PackagedTypes<Event, Outcome>>(name, { methods, typeName: file.proto.name }, choiceOf);
}

function fileNamed(path: string): GenFile {
  const found = IMPORTED.find(({ proto }) => proto.name === path);
  if (found === undefined) {
    const names = IMPORTED.map(({ proto }) => proto.name).join(", ");
    throw new RangeError(`the proto of a game imports '${path}'; it may import ${names}`);
  }
  return found;
}
