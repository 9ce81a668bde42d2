/** A line that sends requests of several tables in one call, and figures of what that saves. */

import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type Message,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { RefereeError, refusedWith } from "./errors.js";
import type { Status } from "./gen/google/rpc/status_pb.js";
import type { Line } from "./line.js";
import { factsOf } from "./refusal.js";

/** Longest time in ms, in Node, that a request waits for others while a call of its method is under way. */
export const GATHER_MS = 5;

/** Methods that have a batch, whose name has an s more. */
export const BATCHED: ReadonlySet<string> = new Set([
  "AcceptEvent",
  "SettleRound",
  "OpenRound",
  "DealRound",
  "OpenSection",
  "RevealRound",
]);

const MOST = 256;

/** Bytes of requests in a batch at most; a server reads a megabyte by default. */
const MOST_BYTES = 512 * 1024;

/** Reasons for which one request refuses its whole batch, whose requests are then sent one by one. */
const ALONE: ReadonlySet<string> = new Set(["INTERNAL", "MESSAGE_TOO_LARGE", "TABLE_FORBIDDEN"]);

/** How many requests could be sent together, and in how many calls they were sent. */
export interface GatheringFigures {
  /** Requests for methods that have a batch. */
  readonly requests: number;
  /** Calls in which they were sent. */
  readonly calls: number;
}

/**
 * A line that sends what is asked at the same time in one call, for methods that have a batch. A
 * request waits for others only while a call of its method is under way, and for `ms` milliseconds
 * at most; each is answered and refused by itself. With 0 ms every request is sent by itself.
 */
export class GatheringLine implements Line {
  readonly figures = { requests: 0, calls: 0 };
  readonly #line: Line;
  readonly #ms: number;
  readonly #gatherers = new Map<string, Gatherer>();

  constructor(line: Line, ms: number) {
    this.#line = line;
    this.#ms = ms;
  }

  async ask<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    timeoutMs?: number,
  ): Promise<MessageShape<O>> {
    const together = BATCHED.has(method.name) && timeoutMs === undefined && batchOf(method);
    if (!together) {
      return this.#line.ask(method, request, timeoutMs);
    }
    this.figures.requests += 1;
    if (this.#ms <= 0) {
      return this.#askAlone(method, request);
    }
    const name = `${method.parent.typeName}/${method.name}`;
    let gatherer = this.#gatherers.get(name);
    if (gatherer === undefined) {
      gatherer = new Gatherer(this.#ms, {
        single: (one) => this.#askAlone(method, one as MessageInitShape<I>),
        batch: (requests) => this.#askAlone(together, { requests } as never),
      });
      this.#gatherers.set(name, gatherer);
    }
    const message = create(method.input, request);
    const size = () => toBinary(method.input, message).length;
    return (await gatherer.ask(message, size)) as MessageShape<O>;
  }

  close(): void {
    this.#line.close();
  }

  async #askAlone<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
  ): Promise<MessageShape<O>> {
    this.figures.calls += 1;
    return this.#line.ask(method, request);
  }
}

/** The method that takes many requests of a method; undefined if there is none. */
function batchOf({ parent, name }: DescMethodUnary): DescMethodUnary | undefined {
  for (const method of parent.methods) {
    if (method.name === `${name}s` && method.methodKind === "unary") {
      return method as DescMethodUnary;
    }
  }
  return undefined;
}

/** How a gatherer sends: one request, or many of them. */
interface Sending {
  readonly single: (request: Message) => Promise<Message>;
  readonly batch: (requests: readonly Message[]) => Promise<Message>;
}

/** An answer in a batch, or why its request is refused. */
type Response = Message & { readonly refused?: Status };

interface Waiting {
  readonly request: Message;
  readonly size: () => number;
  readonly resolve: (answer: Message) => void;
  readonly reject: (error: unknown) => void;
}

/** Requests of one method that wait to be sent together. */
class Gatherer {
  readonly #ms: number;
  readonly #sending: Sending;
  #waiting: Waiting[] = [];
  #underWay = 0;
  #stopTimer: (() => void) | undefined;

  constructor(ms: number, sending: Sending) {
    this.#ms = ms;
    this.#sending = sending;
  }

  /** Send a request with those that come meanwhile and return its answer. */
  ask(request: Message, size: () => number): Promise<Message> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, size, resolve, reject });
      this.#stopTimer ??= after(this.#underWay === 0 ? 0 : this.#ms, () => this.#send());
    });
  }

  #send(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const batch of split(waiting)) {
      this.#underWay += 1;
      void this.#answer(batch).then(() => this.#end());
    }
  }

  #end(): void {
    this.#underWay -= 1;
    if (this.#waiting.length > 0) {
      this.#send();
    }
  }

  /** Send a batch and settle each of its requests by its own answer. */
  async #answer(batch: readonly Waiting[]): Promise<void> {
    if (batch.length === 1) {
      return this.#answerAlone(batch);
    }
    let responses: readonly Response[];
    try {
      const answer = await this.#sending.batch(batch.map(({ request }) => request));
      ({ responses } = answer as unknown as { responses: readonly Response[] });
    } catch (error) {
      if (error instanceof RefereeError && ALONE.has(error.reason)) {
        return this.#answerAlone(batch);
      }
      batch.forEach(({ reject }) => reject(error));
      return;
    }
    for (const [at, { resolve, reject }] of batch.entries()) {
      const response = responses[at];
      if (response === undefined) {
        reject(new Error(`${batch.length} requests had ${responses.length} answers`));
      } else if (response.refused !== undefined) {
        reject(refusedBy(response.refused));
      } else {
        resolve(response);
      }
    }
  }

  async #answerAlone(batch: readonly Waiting[]): Promise<void> {
    const { single } = this.#sending;
    await Promise.all(batch.map(({ request, resolve, reject }) => single(request).then(resolve, reject)));
  }
}

/** The error of a request that its batch refused. */
function refusedBy({ code, message, details }: Status): RefereeError {
  const named = details.map(({ typeUrl, value }) => ({ type: typeUrl, value }));
  return refusedWith(factsOf(code, message, named));
}

/** Run work after so many ms, 0 for as soon as what is ready has run; return what stops it. */
function after(ms: number, work: () => void): () => void {
  if (ms === 0 && typeof setImmediate === "function") {
    const soon = setImmediate(work); // a timer takes a millisecond at least
    return () => clearImmediate(soon);
  }
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}

/** Yield batches of at most so many requests and bytes, in their order. */
function* split(waiting: readonly Waiting[]): Generator<readonly Waiting[]> {
  let batch: Waiting[] = [];
  let bytes = 0;
  for (const one of waiting) {
    const size = waiting.length === 1 ? 0 : one.size();
    if (batch.length > 0 && (batch.length === MOST || bytes + size > MOST_BYTES)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(one);
    bytes += size;
  }
  if (batch.length > 0) {
    yield batch;
  }
}
