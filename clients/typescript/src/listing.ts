/**
 * Lists of rounds, fetched page by page. They are what the server says, without a proof; the leaves
 * that a listed round names prove it.
 */

import { ed25519 } from "@noble/curves/ed25519.js";
import { taggedHash, u64, utf8 } from "referee-verifier/protocol";
import { type ListedRound, LogService } from "./gen/referee/v1/log_pb.js";
import { instant, whole } from "./numbers.js";
import type { Session } from "./session.js";

/** When the listed rounds were opened, and how they are fetched. */
export interface ListOptions {
  /** Rounds opened at this time or later, in ms since 1970 UTC. */
  readonly startTime?: number;
  /** Rounds opened before this time, in ms since 1970 UTC. */
  readonly endTime?: number;
  /** Rounds that a call fetches at most, 1 to 100; 100 by default. */
  readonly pageSize?: number;
}

/** Which rounds are listed. A caller that may not read every table names a table or prefix of its own. */
export interface RoundFilter extends ListOptions {
  /** Rounds of this table. */
  readonly table?: string;
  /** Rounds of the tables whose ids begin so, such as `acme.`; not together with `table`. */
  readonly tablePrefix?: string;
  /** Rounds in which a seat has this Ed25519 public key, 32 bytes. */
  readonly seatKey?: Uint8Array;
}

/**
 * Private key of a seat: its 32 bytes, or a pair of WebCrypto for Ed25519, whose private key need not be extractable.
 */
export type SeatKey = Uint8Array | CryptoKeyPair;

const { method } = LogService;

/** Yield the rounds that a filter selects, newest first; a page is fetched when it is needed. */
export async function* listRounds(
  { line }: Session,
  filter: RoundFilter,
): AsyncGenerator<ListedRound, void, undefined> {
  const { table, tablePrefix, seatKey } = filter;
  const request = {
    ...(table === undefined ? {} : { tableId: table }),
    ...(tablePrefix === undefined ? {} : { tablePrefix }),
    ...(seatKey === undefined ? {} : { seatKey }),
    ...periodOf(filter),
  };
  yield* paged((pageToken) => line.ask(method.listRounds, { ...request, ...pageToken }));
}

/** Yield the rounds in which a seat has this key; each page is signed at this machine's clock. */
export async function* listSeatRounds(
  session: Session,
  key: SeatKey,
  options: ListOptions,
): AsyncGenerator<ListedRound, void, undefined> {
  const { origin } = await session.believed();
  const { publicKey: seatKey, sign } = await signerOf(key);
  const period = periodOf(options);
  yield* paged(async (pageToken) => {
    const signedTime = Date.now();
    const signature = await sign(listingStatement(origin, seatKey, { ...options, signedTime }));
    const signed = { seatKey, signedTime: BigInt(signedTime), signature };
    return session.line.ask(method.listSeatRounds, { ...signed, ...period, ...pageToken });
  });
}

/**
 * Return the 32 bytes that a seat signs to list its rounds: TH("list-rounds", origin, seat_key,
 * u64 start_time, u64 end_time, u64 signed_time), with 0 for an absent time.
 */
export function listingStatement(
  origin: string,
  seatKey: Uint8Array,
  { startTime = 0, endTime = 0, signedTime }: ListOptions & { readonly signedTime: number },
): Uint8Array {
  const times = [startTime, endTime, signedTime].map(u64);
  return taggedHash("list-rounds", utf8(origin), seatKey, ...times);
}

interface Page {
  readonly rounds: readonly ListedRound[];
  readonly nextPageToken?: string | undefined;
}

/** Yield the rounds of all pages; a page may be empty and not the last. */
async function* paged(
  ask: (pageToken: { pageToken?: string }) => Promise<Page>,
): AsyncGenerator<ListedRound, void, undefined> {
  let token: { pageToken?: string } | undefined = {};
  while (token !== undefined) {
    const { rounds, nextPageToken }: Page = await ask(token);
    yield* rounds;
    token = nextPageToken === undefined ? undefined : { pageToken: nextPageToken };
  }
}

function periodOf({ startTime, endTime, pageSize }: ListOptions) {
  return {
    ...(startTime === undefined ? {} : { startTime: instant("startTime", startTime) }),
    ...(endTime === undefined ? {} : { endTime: instant("endTime", endTime) }),
    ...(pageSize === undefined ? {} : { pageSize: whole("pageSize", pageSize, "a number of rounds") }),
  };
}

interface Signer {
  readonly publicKey: Uint8Array;
  readonly sign: (statement: Uint8Array) => Promise<Uint8Array>;
}

async function signerOf(key: SeatKey): Promise<Signer> {
  if (!("privateKey" in key)) {
    const sign = (statement: Uint8Array) => Promise.resolve(ed25519.sign(statement, key));
    return { publicKey: ed25519.getPublicKey(key), sign };
  }
  const { subtle } = crypto;
  return {
    publicKey: new Uint8Array(await subtle.exportKey("raw", key.publicKey)),
    async sign(statement) {
      const bytes = Uint8Array.from(statement);
      return new Uint8Array(await subtle.sign("Ed25519", key.privateKey, bytes));
    },
  };
}
