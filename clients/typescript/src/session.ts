/** A server as a client knows it: the line to it, whom the client believes, and its rulesets. */

import {
  type Checkpoint,
  type HeldRuleset,
  type Header,
  heldRuleset,
  SpellingError,
  verifyConsistency,
} from "referee-verifier/protocol";
import { Abridging } from "./abridging.js";
import { RefereeError, VerificationError } from "./errors.js";
import { type GetKeysResponse, LogService } from "./gen/referee/v1/log_pb.js";
import { RulesetService } from "./gen/referee/v1/ruleset_pb.js";
import type { Journal } from "./journal.js";
import { type Line, TIMEOUT_MS } from "./line.js";
import { Repeating } from "./repeating.js";
import { Believed, type Trust, verified } from "./trust.js";

const COSIGNED_MS = 30_000;
/** Pages of KEY leaves that are read. */
const MOST_KEY_PAGES = 1000;

/** What a session is given besides its line. */
export interface SessionOptions {
  /** Keys known from elsewhere. */
  readonly trust?: Trust;
  /** Where rounds under way are kept. */
  readonly journal?: Journal;
  /** How long a move that was not answered is sent again, in milliseconds; 10 seconds, 0 for no limit. */
  readonly timeoutMs?: number;
}

/** A server and the trust to verify its answers by; without one its first keys are trusted. */
export class Session {
  readonly line: Line;
  readonly journal: Journal | undefined;
  /** Figures of the rounds that are named, and whether that goes on. */
  readonly abridging = new Abridging();
  /** Asks again what was not answered. */
  readonly repeating: Repeating;
  #believed: Believed | undefined;
  #newest: Checkpoint | undefined;
  readonly #rulesets = new Map<string, HeldRuleset | null>();

  constructor(line: Line, { trust, journal, timeoutMs = TIMEOUT_MS }: SessionOptions = {}) {
    this.line = line;
    this.journal = journal;
    this.repeating = new Repeating(timeoutMs);
    this.#believed = trust && new Believed(trust);
  }

  /** Whom the client believes; asked for once. */
  async believed(): Promise<Believed> {
    const known = this.#believed;
    if (known !== undefined && !known.isNew) {
      return known;
    }
    const { logKey, rootKey, keyLeaves } = await this.#keys();
    const believed = this.#believed ?? new Believed({ logKey, rootKey });
    this.#believed = believed;
    believed.learn(keyLeaves);
    return believed;
  }

  /** The keys, with the KEY leaves of all pages; a VerificationError for pages without an end. */
  async #keys(): Promise<GetKeysResponse> {
    const keys = await this.line.ask(LogService.method.getKeys, {});
    let next = keys.nextPageToken;
    for (let pages = 1; next !== undefined; pages += 1) {
      if (pages > MOST_KEY_PAGES) {
        throw new VerificationError(`the server lists its keys on more than ${MOST_KEY_PAGES} pages`);
      }
      const page = await this.line.ask(LogService.method.getKeys, { pageToken: next });
      keys.keyLeaves.push(...page.keyLeaves);
      next = page.nextPageToken;
    }
    return keys;
  }

  /** Run a check; where it fails, ask for newer keys of the log and run it again. */
  async check<T>(check: (believed: Believed) => T): Promise<T> {
    const believed = await this.believed();
    try {
      return check(believed);
    } catch (error) {
      if (!(error instanceof VerificationError)) {
        throw error;
      }
      const { keyLeaves } = await this.#keys();
      if (!believed.learn(keyLeaves)) {
        throw error;
      }
      return check(believed);
    }
  }

  /**
   * The log's newest checkpoint, shown to continue the newest one that this client has seen; a
   * VerificationError where it does not: then the log was rewritten, and both notes are the proof.
   */
  async checkpoint(): Promise<Checkpoint> {
    const { checkpoint: note } = await this.line.ask(LogService.method.getCheckpoint, {});
    const newest = await this.check((believed) => believed.checkpoint(note));
    const before = this.#newest;
    if (before !== undefined) {
      const [old, young] = before.size <= newest.size ? [before, newest] : [newest, before];
      await this.#checkGrowth(old, young);
    }
    if (before === undefined || newest.size > before.size) {
      this.#newest = newest;
    }
    return newest;
  }

  /** Wait for a checkpoint of so many leaves that a quorum of the witnesses has cosigned. */
  async waitCosigned(size: number): Promise<Checkpoint> {
    const asked = this.line.ask(LogService.method.getCheckpoint, { cosignedSize: BigInt(size) }, COSIGNED_MS);
    const { checkpoint: note } = await asked;
    const found = await this.check((believed) => believed.cosigned(note));
    if (found.size < size) {
      const detail = `it has ${found.size} leaves, and ${size} were asked for`;
      throw new VerificationError(`the cosigned checkpoint is too small: ${detail}`);
    }
    return found;
  }

  /** The ruleset that a header names, from the server; null where its bytes are not that digest's. */
  async ruleset(header: Header): Promise<HeldRuleset | null> {
    const digest = header.ruleset_digest;
    const known = this.#rulesets.get(digest);
    if (known !== undefined) {
      return known;
    }
    const found = await this.#askRuleset(header);
    const held = found?.digest === digest ? found : null;
    this.#rulesets.set(digest, held);
    return held;
  }

  /** End the connection; nothing is asked again any more. */
  close(): void {
    this.repeating.end();
    this.line.close();
  }

  async #askRuleset(header: Header): Promise<HeldRuleset | null> {
    const { ruleset_id: rulesetId, ruleset_version: version } = header;
    try {
      const { toml } = await this.line.ask(RulesetService.method.getRuleset, { rulesetId, version });
      return heldRuleset(toml);
    } catch (error) {
      if (error instanceof RefereeError || error instanceof SpellingError) {
        return null;
      }
      throw error;
    }
  }

  async #checkGrowth(old: Checkpoint, young: Checkpoint): Promise<void> {
    let proof: Uint8Array[] = [];
    if (old.size !== young.size) {
      const request = { firstSize: BigInt(old.size), secondSize: BigInt(young.size) };
      const answer = await this.line.ask(LogService.method.getConsistencyProof, request);
      proof = answer.consistencyProof;
    }
    verified("that the log continues what was seen", () => verifyConsistency(old, young, proof));
  }
}
