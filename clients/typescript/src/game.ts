/** What the rounds of all games have in common, and what a game must name for its rounds. */

import type { DescMessage, DescMethodUnary, DescService, Message, MessageShape } from "@bufbuild/protobuf";
import type { GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { LogReceipt, RoundHeader } from "./gen/referee/v1/round_pb.js";
import type { Violation } from "./gen/referee/v1/violation_pb.js";

/** An event of any game, as far as it is the same in all of them. */
export type AnyEvent = Message & {
  /** The seat that acted. */
  seat: number;
  /** Its time in ms since 1970 UTC; absent until the referee has given it. */
  time?: bigint | undefined;
  /** Whether the referee's clock gave the time. */
  received: boolean;
  /** Number of the newest event that the seat had been shown; absent for a seat without a key. */
  seen?: number | undefined;
};

/** A round so far, as every question about it carries it. */
export type RoundMessage<Event extends AnyEvent = AnyEvent> = Message & {
  header?: RoundHeader | undefined;
  certificates: Uint8Array[];
  events: Event[];
  receipt?: Uint8Array | undefined;
  signatures: Uint8Array[];
};

/** The answer to an event. Without `eventNumber` it was not accepted, and `violations` says why. */
export type Accepted<Event extends AnyEvent = AnyEvent> = Message & {
  violations: Violation[];
  event?: Event | undefined;
  receipt?: Uint8Array | undefined;
  eventNumber?: number | undefined;
  opensSection?: number | undefined;
};

/** The outcome of a round, as far as it is the same in all games. */
export type AnyOutcome = Message & {
  /** Payments from seat to seat, in minor units, each with the code of its reason. */
  transfers: { payer: number; payee: number; amountMinor: bigint; reason: string }[];
};

/** The answer to a settlement, or to a preview of one. */
export type Outcomes<Outcome extends AnyOutcome> = Message & {
  violations: Violation[];
  outcome?: Outcome | undefined;
  logReceipt?: LogReceipt | undefined;
};

/** The types of one game. */
export interface GameTypes {
  /** An event of the game. */
  readonly event: AnyEvent;
  /** A round so far. */
  readonly round: RoundMessage;
  /** The answer to an event. */
  readonly accepted: Accepted;
  /** The answer to a preview; its `outcome` is present once the round can be settled. */
  readonly preview: Message & { outcome?: AnyOutcome | undefined };
  /** The outcome of a round. */
  readonly outcome: AnyOutcome;
}

/** The messages and methods of one game. */
export interface GameMethods<Types extends GameTypes> {
  /** Name before the dot of its rulesets, such as `mau_binh`. */
  readonly name: string;
  /** The message of a round. */
  readonly round: GenMessage<Types["round"]>;
  /** The message of an event. */
  readonly event: GenMessage<Types["event"]>;
  /** `AcceptEvent` of the game's service. */
  readonly accept: DescMethodUnary;
  /** `PreviewRound` of the game's service. */
  readonly preview: DescMethodUnary;
  /** `SettleRound` of the game's service. */
  readonly settle: DescMethodUnary;
  /** The members of an event's canonical JSON beside `seat` and `seen`: its `kind`, and what the game has besides. */
  readonly choiceOf: (event: Types["event"]) => Readonly<Record<string, unknown>>;
}

/** A game that a client can be given, whatever its types. */
export type AnyGame = GameMethods<any>;

/** The shape of a method's answer. */
type AnswerOf<Method> = Method extends DescMethodUnary<DescMessage, infer Output> ? MessageShape<Output> : never;

/** The types of a built-in game, by its service and the messages of its events, rounds and outcomes. */
export interface TypesOf<
  Service extends { readonly method: Record<"acceptEvent" | "previewRound", unknown> },
  Event extends AnyEvent,
  Round extends RoundMessage<Event>,
  Outcome extends AnyOutcome,
> {
  readonly event: Event;
  readonly round: Round;
  readonly accepted: AnswerOf<Service["method"]["acceptEvent"]>;
  readonly preview: AnswerOf<Service["method"]["previewRound"]>;
  readonly outcome: Outcome;
}

/** Return a game by the methods that every game has; RangeError where one or a message of them is missing. */
export function gameOf<Types extends GameTypes>(
  name: string,
  { methods, typeName }: Pick<DescService, "methods" | "typeName">,
  choiceOf: GameMethods<Types>["choiceOf"],
): GameMethods<Types> {
  const method = (called: string): DescMethodUnary => {
    const found = methods.find((one) => one.name === called && one.methodKind === "unary");
    return needed(found, `${typeName} has no method ${called}`) as DescMethodUnary;
  };
  const accept = method("AcceptEvent");
  const member = (called: string): DescMessage => {
    const found = accept.input.fields.find((field) => field.name === called)?.message;
    return needed(found, `${accept.input.typeName} has no message '${called}'`);
  };
  return {
    name,
    round: member("round") as GenMessage<Types["round"]>,
    event: member("event") as GenMessage<Types["event"]>,
    accept,
    preview: method("PreviewRound"),
    settle: method("SettleRound"),
    choiceOf,
  };
}

function needed<T>(value: T | undefined, fault: string): T {
  if (value === undefined) {
    throw new RangeError(`${fault}, which every game has`);
  }
  return value;
}
