/** The services of one server, each a typed client. */

import { type Client, createClient, type Interceptor, type Transport } from "@connectrpc/connect";
import { Health } from "./gen/grpc/health/v1/health_pb.js";
import { AdviceService } from "./gen/referee/v1/advice_pb.js";
import { LogService } from "./gen/referee/v1/log_pb.js";
import { MauBinhService } from "./gen/referee/v1/mau_binh_pb.js";
import { RulesetService } from "./gen/referee/v1/ruleset_pb.js";
import { SeatingService } from "./gen/referee/v1/seating_pb.js";
import { ShufflerService } from "./gen/referee/v1/shuffler_pb.js";
import { TienLenService } from "./gen/referee/v1/tien_len_pb.js";
import { UltimateTexasService } from "./gen/referee/v1/ultimate_texas_pb.js";
import { bearing, named, type Token } from "./identity.js";
import { TIMEOUT_MS } from "./line.js";
import { RETRIES, type Retries, retrying } from "./retry.js";

/** A server's services. */
export interface Referee {
  /** Rulesets: which there are, and their files. */
  readonly rulesets: Client<typeof RulesetService>;
  /** Who sits, who is late, and whether to deal. */
  readonly seating: Client<typeof SeatingService>;
  /** Opens, deals, aborts and reveals rounds. */
  readonly shuffler: Client<typeof ShufflerService>;
  /** Judges and settles Mậu Binh. */
  readonly mauBinh: Client<typeof MauBinhService>;
  /** Judges and settles Tiến Lên. */
  readonly tienLen: Client<typeof TienLenService>;
  /** Judges and settles Ultimate Texas Hold'em. */
  readonly ultimateTexas: Client<typeof UltimateTexasService>;
  /** Suggests what to play. */
  readonly advice: Client<typeof AdviceService>;
  /** The log: its keys, checkpoints, proofs and rounds. */
  readonly log: Client<typeof LogService>;
  /** Whether the server serves. */
  readonly health: Client<typeof Health>;
}

/** What every call does, over whichever transport. */
export interface Calls {
  /** A call's deadline in milliseconds where it names none; 10 seconds. 0 for none. */
  readonly timeoutMs?: number;
  /** How calls are asked again; null for never. */
  readonly retries?: Retries | null;
  /** Whom the calls are from. */
  readonly token?: Token;
  /** Further interceptors around every call, innermost last. */
  readonly interceptors?: readonly Interceptor[];
}

/** The services that a transport leads to. */
export function refereeOver(transport: Transport): Referee {
  return {
    rulesets: createClient(RulesetService, transport),
    seating: createClient(SeatingService, transport),
    shuffler: createClient(ShufflerService, transport),
    mauBinh: createClient(MauBinhService, transport),
    tienLen: createClient(TienLenService, transport),
    ultimateTexas: createClient(UltimateTexasService, transport),
    advice: createClient(AdviceService, transport),
    log: createClient(LogService, transport),
    health: createClient(Health, transport),
  };
}

/** The options of a transport that make its calls so. */
export function optionsOf({ timeoutMs = TIMEOUT_MS, retries = RETRIES, token, interceptors }: Calls) {
  return {
    ...(timeoutMs === 0 ? {} : { defaultTimeoutMs: timeoutMs }),
    interceptors: [
      named,
      ...(token === undefined ? [] : [bearing(token)]),
      ...(retries === null ? [] : [retrying(retries, timeoutMs)]),
      ...(interceptors ?? []),
    ],
  };
}

/** A game's service, such as `referee.mauBinh`. */
export interface Previewing<Round> {
  /** The round's state; its `outcome` is present once it can be settled. */
  previewRound(request: { round: Round }): Promise<{ readonly outcome?: unknown }>;
}

/** Whether the round is over, so that `settleRound` settles it: `isOver(referee.mauBinh, round)`. */
export async function isOver<Round>(game: Previewing<Round>, round: Round): Promise<boolean> {
  return (await game.previewRound({ round })).outcome !== undefined;
}
