/** A server, and whom to believe about it. */

import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { type Checkpoint, unhex } from "referee-verifier/protocol";
import type { AbridgingFigures } from "./abridging.js";
import type { AnyGame, GameMethods, GameTypes } from "./game.js";
import { type GatheringFigures, GatheringLine } from "./gathering.js";
import type { ListedRound } from "./gen/referee/v1/log_pb.js";
import { type ListRulesetsResponse, type Ruleset, RulesetService } from "./gen/referee/v1/ruleset_pb.js";
import type { Journal } from "./journal.js";
import type { Line } from "./line.js";
import { type ListOptions, listRounds, listSeatRounds, type RoundFilter, type SeatKey } from "./listing.js";
import { MAU_BINH, MauBinhGame } from "./mau-binh.js";
import { readRecord } from "./record.js";
import { hasEnded, loggedRound, ResumableRound } from "./resuming.js";
import { type Entropy, hostEntropy, SeatSecrets } from "./secrets.js";
import { sayingHealth } from "./serving.js";
import { Session } from "./session.js";
import { readHeader, type Terms } from "./terms.js";
import { TIEN_LEN, TienLenGame } from "./tien-len.js";
import type { Trust } from "./trust.js";
import { ULTIMATE_TEXAS, UltimateTexasGame } from "./ultimate-texas.js";

/** What a client is given besides where the server is. */
export interface ClientOptions {
  /** Keys known from elsewhere; without them the first that the server shows. */
  readonly trust?: Trust;
  /** Games of packages, for `game` and `resume`, beside the built-in ones. */
  readonly games?: readonly AnyGame[];
  /** Where seats' secrets come from; the host's `crypto` where it is not said. */
  readonly entropy?: Entropy;
  /** Where rounds under way are kept, so that `resume` can go on with them. */
  readonly journal?: Journal;
  /**
   * Longest time in ms that a request of a table waits to share a call with those of other tables,
   * while a call of its method is under way; 0 sends each by itself. 0 by default, since a page or an
   * engine plays one table, which has nothing to share; 5 in Node, where many tables are served.
   */
  readonly gatherMs?: number;
  /** How long a move whose answer was lost is sent again, in ms; 10 seconds. 0 for no limit. */
  readonly timeoutMs?: number;
}

/** What a round is resumed from, where the journal has no record of it. */
export interface ResumeOptions {
  /** The courses that players hold, each as `saved` of the frontend's round wrote it. */
  readonly held?: readonly Uint8Array[];
  /** Secrets of seats that play through this client. */
  readonly secrets?: readonly SeatSecrets[];
}

/** A round of any game. */
export type AnyRound = ResumableRound<any>;

/** The secrets that a round is played with; without any, each seat gets new ones without keys. */
export interface RoundOptions {
  /** Secrets of the seats that play through this client; absent for new ones of every seat. */
  readonly secrets?: readonly SeatSecrets[];
}

type RoundClass<Types extends GameTypes, R extends ResumableRound<Types>> = new (
  session: Session,
  game: GameMethods<Types>,
  terms: Terms,
  secrets: readonly SeatSecrets[],
) => R;

/** A game with the class of its rounds. */
type Playable = readonly [AnyGame, RoundClass<any, AnyRound>];

const BUILT_IN: readonly Playable[] = [
  [MAU_BINH, MauBinhGame],
  [TIEN_LEN, TienLenGame],
  [ULTIMATE_TEXAS, UltimateTexasGame],
];

/** Plays, judges, settles and verifies rounds with a server. */
export class Client {
  readonly #session: Session;
  readonly #entropy: Entropy;
  readonly #line: GatheringLine;
  readonly #games: ReadonlyMap<string, Playable>;

  constructor(line: Line, options: ClientOptions = {}) {
    const { entropy = hostEntropy, gatherMs = 0, games = [], ...others } = options;
    const packaged = games.map((game): Playable => [game, ResumableRound]);
    this.#games = new Map([...packaged, ...BUILT_IN].map((one) => [one[0].name, one]));
    this.#line = new GatheringLine(sayingHealth(line), gatherMs);
    this.#session = new Session(this.#line, others);
    this.#entropy = entropy;
  }

  /**
   * The table's next round of a game by its name, not opened yet: of a built-in game, or of one that the client was
   * given as one of its `games`. Its events are made by `event` and submitted by `acceptEvent`. RangeError for a game
   * that the client was not given, and for the ruleset of another one.
   */
  game<Types extends GameTypes = GameTypes>(
    name: string,
    terms: Terms,
    options: RoundOptions = {},
  ): ResumableRound<Types> {
    const [game, kind] = this.#gameNamed(name);
    return this.#round(kind, game, terms, options);
  }

  /** The table's next round of Mậu Binh, as `game` prepares it. */
  mauBinh(terms: Terms, options: RoundOptions = {}): MauBinhGame {
    return this.#round(MauBinhGame, MAU_BINH, terms, options);
  }

  /** The table's next round of Tiến Lên, as `game` prepares it. */
  tienLen(terms: Terms, options: RoundOptions = {}): TienLenGame {
    return this.#round(TienLenGame, TIEN_LEN, terms, options);
  }

  /** The table's next round of Ultimate Texas Hold'em, as `game` prepares it. */
  ultimateTexas(terms: Terms, options: RoundOptions = {}): UltimateTexasGame {
    return this.#round(UltimateTexasGame, ULTIMATE_TEXAS, terms, options);
  }

  /**
   * Go on with a table's round after a crash: undefined if it has none under way. With a journal the
   * round goes on from its record; without one, from the log and what its players hold.
   */
  async resume(table: string, options: ResumeOptions = {}): Promise<AnyRound | undefined> {
    const { journal } = this.#session;
    const saved = await journal?.load(table);
    if (saved !== undefined) {
      const record = readRecord(saved);
      const game = this.#of(record.terms, record.secrets);
      if (await game.resumeRecorded(record)) {
        return game;
      }
      await journal?.forget(table, game.number);
    }
    const logged = await loggedRound(this.#session, table, 0);
    if (logged === undefined || hasEnded(logged)) {
      return undefined;
    }
    const header = readHeader(logged.header);
    const terms: Terms = {
      table,
      ruleset: header.ruleset_id,
      version: header.ruleset_version,
      seats: header.seat_keys.length,
      currency: header.currency,
      stake: header.stake,
      bets: header.seat_stakes.map(([ante, trips]) => ({ ante, trips })),
      seatKeys: header.seat_keys.map((key) => unhex(key)),
    };
    const game = this.#of(terms, options.secrets ?? []);
    await game.resumeLogged(header.round_number, options.held ?? []);
    return game;
  }

  /** Figures of the requests that named their round by its course instead of carrying it. */
  get abridging(): AbridgingFigures {
    return this.#session.abridging;
  }

  /** Figures of the requests that could be sent together with those of other tables. */
  get gathering(): GatheringFigures {
    return this.#line.figures;
  }

  /** The tables whose rounds the journal has. */
  async unfinished(): Promise<readonly string[]> {
    return (await this.#session.journal?.tables()) ?? [];
  }

  /** New secrets of a seat, made as this client makes them. */
  secrets(seat: number, options: { readonly keyed?: boolean } = {}): SeatSecrets {
    return SeatSecrets.make(seat, { ...options, entropy: this.#entropy });
  }

  /** The rulesets that can be played. */
  async rulesets(): Promise<readonly Ruleset[]> {
    const listed: Ruleset[] = [];
    let pageToken: string | undefined = "";
    while (pageToken !== undefined) {
      const page: ListRulesetsResponse = await this.ask(RulesetService.method.listRulesets, { pageToken });
      listed.push(...page.rulesets);
      pageToken = page.nextPageToken;
    }
    return listed;
  }

  /**
   * Iterate over the rounds of the log that a filter selects, newest first; a page of them is
   * fetched when it is needed. A round that is not revealed yet has table, number and stage alone.
   * The list is what the server says, without a proof: `verifyRound` of `referee-client/verify`
   * verifies a round of it. DeniedError for tables that the caller may not read.
   */
  rounds(filter: RoundFilter = {}): AsyncGenerator<ListedRound, void, undefined> {
    return listRounds(this.#session, filter);
  }

  /**
   * Iterate over the rounds in which a seat has this key, as `rounds` does; it takes no token. Each page is signed by
   * the key, and the signature lasts for a minute around this machine's clock: DeniedError where that clock is wrong.
   */
  ownRounds(key: SeatKey, options: ListOptions = {}): AsyncGenerator<ListedRound, void, undefined> {
    return listSeatRounds(this.#session, key, options);
  }

  /** The log's newest checkpoint, shown to continue every one that this client has seen. */
  async checkpoint(): Promise<Checkpoint> {
    return this.#session.checkpoint();
  }

  /** Call a method that this client has no word for, such as `LogService.method.getKeys`. */
  async ask<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    timeoutMs?: number,
  ): Promise<MessageShape<O>> {
    return this.#session.line.ask(method, request, timeoutMs);
  }

  /** End the connection. */
  close(): void {
    this.#session.close();
  }

  #of(terms: Terms, secrets: readonly SeatSecrets[]): AnyRound {
    const [game, kind] = this.#gameNamed(terms.ruleset.split(".")[0] ?? "");
    return this.#round(kind, game, terms, { secrets });
  }

  #gameNamed(name: string): Playable {
    const found = this.#games.get(name);
    if (found === undefined) {
      const names = [...this.#games.keys()].join(", ");
      throw new RangeError(`this client was not given the game '${name}'; it has ${names}`);
    }
    return found;
  }

  #round<Types extends GameTypes, R extends ResumableRound<Types>>(
    kind: RoundClass<Types, R>,
    game: GameMethods<Types>,
    terms: Terms,
    options: RoundOptions,
  ): R {
    if (terms.ruleset.split(".")[0] !== game.name) {
      throw new RangeError(`'${terms.ruleset}' is no ruleset of ${game.name}`);
    }
    const seats = Array.from(Array(terms.seats), (_, seat) => seat);
    const secrets = options.secrets ?? seats.map((seat) => this.secrets(seat));
    return new kind(this.#session, game, terms, secrets);
  }
}
