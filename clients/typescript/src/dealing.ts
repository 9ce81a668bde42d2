/**
 * A round from its terms to its cards: prepared, opened, dealt, each step checked. Every leaf is
 * proved to be in the log, and all that its leaves say together is examined by the verifier.
 */

import {
  type Certificate,
  CertificateError,
  clientCommitment,
  equal,
  examine,
  type Header,
  hex,
  isSignature,
  type Kind,
  NO_KEY,
  parseEnvelope,
  readCertificate,
  Report,
  roundIdOf,
  seedStatement,
  unhex,
} from "referee-verifier/protocol";
import { AskingRound } from "./asking.js";
import { VerificationError, WrongSecretsError } from "./errors.js";
import type { GameTypes } from "./game.js";
import type { Card } from "./gen/referee/v1/card_pb.js";
import { LogService } from "./gen/referee/v1/log_pb.js";
import type { LogReceipt, RoundHeader } from "./gen/referee/v1/round_pb.js";
import { type Hand, LeaderBy, ShufflerService } from "./gen/referee/v1/shuffler_pb.js";
import { SeatChain } from "./chain.js";
import { checkTerms, readHeader, same, termsMessage, whichRound } from "./terms.js";
import { type Proved, verified } from "./trust.js";

/** How a round is opened. */
export interface OpenOptions {
  /** Whether each seat alone sees its hand; this frontend then sees none. */
  readonly sealed?: boolean;
  /** All seats' commitments by seat, where players keep their secrets elsewhere. */
  readonly commitments?: readonly Uint8Array[];
  /** All seats' token hashes by seat, likewise; they make the table a sealed one. */
  readonly seatTokens?: readonly Uint8Array[];
}

/** What seats bring to the deal, where players keep their secrets elsewhere; all by seat. */
export interface DealOptions {
  /** Seeds of all seats in order, of players who keep their secrets elsewhere. */
  readonly seeds?: readonly Uint8Array[];
  /** The seats' signatures over them, in order. */
  readonly signatures?: readonly Uint8Array[];
}

const { method: shuffler } = ShufflerService;
const NOTHING = new Uint8Array();

/** A round that asks a server and believes only what it verified. */
export class DealtRound<Types extends GameTypes> extends AskingRound<Types> {
  /** Whether the seats' commitments are fixed: an OPEN that is sent again must be the same. */
  protected isCommitted = false;
  protected headerMessage: RoundHeader | undefined;

  /** Fetch the round id, under which seats commit to their seeds; nothing is written yet. */
  async prepare(): Promise<Uint8Array> {
    this.clock.asked ||= Date.now();
    const request = { terms: termsMessage(this.terms, this.seatKeys) };
    const answer = await this.session.line.ask(shuffler.prepareRound, request);
    await this.takeHeader(answer.header);
    same("the round id", answer.roundId, this.roundId);
    return this.roundId;
  }

  /**
   * Open the round: the terms, the server's commitment and the seats' commitments are in the log.
   * Seats that play through this client are committed by their secrets.
   */
  async open(options: OpenOptions = {}): Promise<Proved<"OPEN">> {
    if (this.known === undefined) {
      await this.prepare();
    }
    if (!this.isCommitted) {
      this.#commitSeats(options);
    }
    await this.keepSafe();
    const header = this.headerMessage as RoundHeader;
    const request = {
      round: { case: "header" as const, value: header },
      clientCommitments: [...this.commitments],
      seatTokens: [...this.tokens],
    };
    const answer = await this.session.line.ask(shuffler.openRound, request);
    const proved = await this.prove(answer.logReceipt, "OPEN");
    const { value } = proved.placed;
    const none = this.header.seat_keys.map(() => "");
    const commitments = this.commitments.length > 0 ? this.commitments.map(hex) : none;
    same("the round id answered", answer.roundId, this.roundId);
    same("the header answered", readHeader(answer.header), this.header);
    same("the opened round", value.round_id, this.hexId());
    same("the seats' commitments in OPEN", value.client_commitments, commitments);
    same("the seat tokens in OPEN", value.seat_tokens ?? [], this.tokens.map(hex));
    same("the server's commitment", answer.serverCommitment, unhex(value.server_commitment));
    this.leaves.open = proved;
    this.clock.compare("OPEN", value.opened_time, this.clock.asked);
    await this.examine();
    return proved;
  }

  /**
   * Join a round that was opened elsewhere, 0 for the table's latest, as far as the log has it: for
   * a player whose frontend is somebody else's, and for a frontend that lost its memory. The secrets
   * of this client must be those that the round was opened with.
   */
  async join(number = 0): Promise<Proved<"OPEN">> {
    const answer = await this.session.line.ask(LogService.method.getTableRound, whichRound(this.table, number));
    await this.takeHeader(answer.header);
    same("the round id answered", answer.roundId, this.roundId);
    same("the table answered", answer.round?.tableId, this.table);
    same("the number answered", Number(answer.round?.roundNumber), this.number);
    const proved = await this.prove(answer.leaves[0], "OPEN");
    const { value } = proved.placed;
    same("the opened round", value.round_id, this.hexId());
    this.isCommitted = true;
    this.commitments = value.client_commitments.filter(Boolean).map((one) => unhex(one));
    this.tokens = (value.seat_tokens ?? []).map((one) => unhex(one));
    for (const own of this.secrets.values()) {
      const commitment = hex(own.seedCommitment(this.roundId));
      const isForeign =
        (this.commitments.length > 0 && value.client_commitments[own.seat] !== commitment) ||
        (this.isSealed && value.seat_tokens?.[own.seat] !== hex(own.tokenHash(this.roundId)));
      if (isForeign) {
        throw new WrongSecretsError(
          `round ${this.number} was opened with other secrets of seat ${own.seat}: give those`,
        );
      }
    }
    this.leaves.open = proved;
    this.clock.compare("OPEN", value.opened_time);
    for (const receipt of answer.leaves.slice(1)) {
      await this.#takeLeaf(receipt);
    }
    await this.examine();
    return proved;
  }

  /**
   * Check the seed of a seat that keeps its secrets elsewhere, and the signature of a seat with a key. WrongSecretsError if
   * the seat did not commit to this seed, or the signature is not of it.
   */
  checkSeed(seat: number, seed: Uint8Array, signature: Uint8Array = NOTHING): void {
    if (!equal(clientCommitment(this.roundId, seat, seed), this.commitments[seat] ?? NOTHING)) {
      throw new WrongSecretsError(`seat ${seat} committed to another seed`);
    }
    const shown = { seat, tokenHash: this.tokens[seat] ?? NOTHING, seed };
    const statement = seedStatement(this.roundId, this.serverCommitment, shown);
    const key = this.header.seat_keys[seat] ?? NO_KEY;
    if (key !== NO_KEY && !isSignature(signature, statement, unhex(key))) {
      throw new WrongSecretsError(`the signature of the seed of seat ${seat} does not verify`);
    }
  }

  /** Give a seat's seed to the shuffler alone; the seats whose seeds are still missing. */
  async contribute(seat: number): Promise<readonly number[]> {
    const secrets = this.secretsOf(seat);
    this.clock.seedsShown ||= Date.now();
    const signature = secrets.signSeed(this.roundId, this.serverCommitment, this.isSealed);
    const request = { ...this.place, seat, seed: secrets.seed, signature };
    return (await this.session.line.ask(shuffler.contributeSeed, request)).missingSeats;
  }

  /**
   * Deal; the hands that this frontend may see, by seat, once the deal is logged: none on a sealed
   * table. Seeds are those of this client's own seats, those given, or none where all contributed.
   * With witnesses in the trust no seed is shown before a quorum of them has cosigned OPEN.
   */
  async deal(options: DealOptions = {}): Promise<ReadonlyMap<number, readonly Card[]>> {
    const { quorum } = await this.session.believed();
    if (quorum !== undefined) {
      await this.session.waitCosigned(this.opened.index + 1);
    }
    const { seeds, signatures } = await this.#seedsFor(options);
    const request = { ...this.place, clientSeeds: [...seeds], seedSignatures: [...signatures] };
    const answer = await this.session.line.ask(shuffler.dealRound, request);
    const proved = await this.prove(answer.logReceipt, "DEAL");
    const { value } = proved.placed;
    for (const [seat, seed] of seeds.entries()) {
      if (seed.length > 0) {
        same(`the seed of seat ${seat} in DEAL`, value.client_seeds[seat], hex(seed));
      }
    }
    same("the leader", answer.leader, value.leader);
    const leaderBy = answer.leaderBy === undefined ? undefined : LeaderBy[answer.leaderBy];
    same("why it leads", leaderBy, value.leader_by);
    same("the time of the deal", Number(answer.dealtTime), value.dealt_time);
    this.#takeDeal(proved);
    await this.takeCertificate(answer.certificate);
    this.checkHands(answer.hands, value.opened_sections);
    await this.examine();
    await this.keepSafe();
    return this.hands;
  }

  /** Open a seat's own hand on a sealed table by its token; the frontend sees no other hand. */
  async openHand(seat: number): Promise<readonly Card[]> {
    const request = { ...this.place, seat, token: this.secretsOf(seat).token };
    const answer = await this.session.line.ask(shuffler.openHand, request);
    const shown = await this.#certified(answer.certificate);
    const hand = shown.sections.find(({ index }) => index === seat)?.cards;
    same(`the hand of seat ${seat}`, answer.hand?.cards, hand);
    this.own.set(seat, { certificate: answer.certificate, hand: hand ?? [] });
    await this.keepSafe();
    return hand ?? [];
  }

  /** Write what a crash must not lose; a round without a journal keeps nothing. */
  protected async keepSafe(): Promise<void> {
    await Promise.resolve();
  }

  /** A chain as a journal kept it, of a seat; undefined where there is none. */
  protected savedChain(_seat: number): string | undefined {
    return undefined;
  }

  protected async takeHeader(message: RoundHeader | undefined): Promise<void> {
    const header = readHeader(message);
    const { origin } = await this.session.believed();
    checkTerms(this.terms, header, { seatKeys: this.seatKeys, origin });
    this.known = header;
    this.id = roundIdOf(header);
    this.headerMessage = message;
    this.message.header = message;
  }

  protected async prove<K extends Kind>(receipt: LogReceipt | undefined, kind: K) {
    if (receipt === undefined) {
      throw new VerificationError(`the answer has no receipt of its ${kind} leaf`);
    }
    const proved = await this.session.check((believed) => believed.prove(receipt, kind));
    const { value } = proved.placed as { value: { round_id?: string } };
    if (value.round_id !== undefined && this.id !== undefined) {
      same(`the round of the ${kind} leaf`, value.round_id, this.hexId());
    }
    return proved;
  }

  /** Take the cards that a certificate opens; it replaces the one before, unless that opened more. */
  protected async takeCertificate(data: Uint8Array): Promise<void> {
    const shown = await this.#certified(data);
    for (const { index, cards, unsealed_time: time } of shown.sections) {
      if (this.sections.has(index)) {
        same(`section ${index}, opened before`, cards, this.sections.get(index));
        same(`the time of section ${index}, opened before`, time, this.unsealed.get(index));
      }
    }
    const indexes = new Set(shown.sections.map(({ index }) => index));
    if ([...this.sections.keys()].every((section) => indexes.has(section))) {
      this.message.certificates = [data];
    }
    for (const { index, cards, unsealed_time: time } of shown.sections) {
      this.sections.set(index, cards);
      if (time !== undefined) {
        this.unsealed.set(index, time);
      }
    }
  }

  /** Verify that the hands answered are those of these sections, all of them, in their order. */
  protected checkHands(hands: readonly Hand[], sections: readonly number[]): void {
    const answered = hands.map(({ seat, cards }) => [seat, cards]);
    const opened = sections.filter((section) => section < this.terms.seats);
    const known = opened.map((section) => [section, this.sections.get(section)]);
    same("the hands answered", answered, known);
  }

  /** Examine all that is known of the round, as any verifier of the log will. */
  protected async examine(): Promise<void> {
    const { open, deal, unseals, settle, abort, reveal } = this.leaves;
    if (open === undefined) {
      return;
    }
    const { origin } = await this.session.believed();
    const held = await this.session.ruleset(this.header);
    const certificates = [...this.own.values()].map(({ certificate }) => certificate);
    const { receipt } = this.message;
    const report = new Report({ table_id: this.table, round_number: this.number });
    examine(
      {
        roundId: this.hexId(),
        header: this.header,
        open: open.placed,
        deal: deal?.placed,
        unseals: unseals.map(({ placed }) => placed),
        settle: settle?.placed,
        abort: abort?.placed,
        reveal: reveal?.placed,
        previousRoundId: null,
        lastWinner: "UNKNOWN", // an audit has the log before this round
        exhibits: {
          certificates: deal === undefined ? [] : [...this.message.certificates, ...certificates],
          eventReceipts: receipt === undefined ? [] : [receipt],
        },
      },
      { origin, rulesets: held === null ? null : [held] },
      report,
    );
    const [fault] = report.findings.filter(({ severity }) => severity === "FAIL");
    if (fault !== undefined) {
      throw new VerificationError(`${fault.code}: ${fault.detail}`);
    }
  }

  #commitSeats({ sealed = false, commitments = [], seatTokens = [] }: OpenOptions): void {
    this.isCommitted = true;
    const own = this.ownSecrets;
    const isWhole = own.length === this.terms.seats;
    const mine = isWhole ? own.map((one) => one.seedCommitment(this.roundId)) : [];
    this.commitments = commitments.length > 0 ? commitments : mine;
    const tokens = sealed ? own.map((one) => one.tokenHash(this.roundId)) : [];
    this.tokens = seatTokens.length > 0 ? seatTokens : tokens;
  }

  async #seedsFor({ seeds = [], signatures = [] }: DealOptions): Promise<Required<DealOptions>> {
    if (seeds.length > 0) {
      [this.seeds, this.seedSignatures] = [seeds, signatures];
      await this.keepSafe();
    }
    const own = this.ownSecrets;
    const isAgain = this.leaves.deal !== undefined;
    if (this.seeds.length > 0 || own.length !== this.terms.seats || isAgain) {
      return { seeds: this.seeds, signatures: this.seedSignatures };
    }
    this.clock.seedsShown ||= Date.now();
    const signed = own.map((one) => one.signSeed(this.roundId, this.serverCommitment, this.isSealed));
    const isSigned = signed.some((one) => one.length > 0);
    return { seeds: own.map(({ seed }) => seed), signatures: isSigned ? signed : [] };
  }

  #takeDeal(proved: Proved<"DEAL">): void {
    if (this.leaves.deal === undefined) {
      const { asked, seedsShown } = this.clock;
      this.clock.compare("DEAL", proved.placed.value.dealt_time, seedsShown || asked);
    }
    this.leaves.deal = proved;
    const { course } = this;
    for (const { seat, privateKey, publicKey } of this.secrets.values()) {
      if (privateKey !== undefined && !this.chains.has(seat)) {
        const saved = this.savedChain(seat);
        const chain =
          saved === undefined ? new SeatChain(seat, publicKey, course) : SeatChain.restore(saved, publicKey, course);
        this.chains.set(seat, chain);
      }
    }
  }

  /** Take a later leaf of a joined round. */
  async #takeLeaf(receipt: LogReceipt): Promise<void> {
    const type = verified("a leaf", () => parseEnvelope(receipt.leaf)).payloadType;
    switch (type.split(".")[2]) {
      case "deal":
        return this.#takeDeal(await this.prove(receipt, "DEAL"));
      case "unseal":
        this.leaves.unseals.push(await this.prove(receipt, "UNSEAL"));
        return;
      case "abort":
        this.leaves.abort = await this.prove(receipt, "ABORT");
        return;
      case "reveal":
        this.leaves.reveal = await this.prove(receipt, "REVEAL");
        return;
      default:
        this.leaves.settle = await this.prove(receipt, "SETTLE");
    }
  }

  /** Verify a certificate and return the cards of this deal that it opens. */
  async #certified(data: Uint8Array): Promise<Certificate> {
    const since = this.opened.index;
    const header: Header = this.header;
    const shown = await this.session.check((believed) => {
      try {
        return readCertificate(data, believed.keysSince("shuffler", since), header);
      } catch (error) {
        throw error instanceof CertificateError
          ? new VerificationError(`a certificate does not hold: ${error.fault}: ${error.message}`)
          : error;
      }
    });
    const { mix, deck_root: root, dealt_time: time } = this.dealt.placed.value;
    const commitment = this.opened.placed.value.server_commitment;
    same("the certificate's commitment", shown.server_commitment, commitment);
    same("the certificate's deal", [shown.mix, shown.deck_root], [mix, root]);
    same("the certificate's time", shown.dealt_time, time);
    same("whether the table is sealed", shown.sealed === 1, this.isSealed);
    return shown;
  }
}
