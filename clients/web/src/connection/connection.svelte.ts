/**
 * The one stream of this tab. It draws what it received last: whole views, of which only newer ones count. Cut, it comes
 * again with back-off and sends what was not answered under its old id, so that nothing is done twice; taken over by another
 * tab, it stays away until it is asked for.
 */

import { settings } from "../settings.svelte";
import { both, pick, say, type Text } from "../words/say";
import { forgetTime, learnTime } from "./clock.svelte";
import { keptSecret, seatKey, tab } from "./identity";
import { keepMove } from "./keepsakes";
import type {
  Lobby,
  Message,
  Refused,
  ResultOf,
  Ruleset,
  Suggestions,
  Notice,
  View,
  Violation,
  Welcome,
} from "./messages";

const FIRST_WAIT = 400;
const LONGEST_WAIT = 8_000;
const PING_EVERY = 15_000;
const SILENCE = 40_000;
const LONGEST_MOVE = 1_500;
const NOTICE_SHOWN = 15_000;

/** Keeps the proof of a move, where the answer to a command or the view of a seat has one. */
function keepReceipted(result: unknown): void {
  const { kept, round_id } = (result ?? {}) as { kept?: unknown; round_id?: unknown };
  if (typeof kept === "string" && typeof round_id === "string") {
    keepMove(round_id, kept);
  }
}

/** What the server would not do. */
export class RefusedError extends Error {
  override name = "RefusedError";
  readonly code: string;
  readonly text: Text;
  readonly violations: readonly Violation[];

  constructor(refused: Refused) {
    super(refused.code);
    this.code = refused.code;
    this.text = refused.text;
    this.violations = refused.violations ?? [];
  }
}

/** What is said of a question that failed. */
export const wordsOf = (error: unknown): string => (error instanceof RefusedError ? pick(error.text) : String(error));

/** Waits for an answer; what is said where there is none, empty where there is one. */
export const troubleOf = (asked: Promise<unknown>): Promise<string> => asked.then(() => "", wordsOf);

interface Asked {
  readonly frame: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: RefusedError) => void;
}

type Status = "IDLE" | "CONNECTING" | "OPEN" | "LOST" | "TAKEN_OVER" | "REFUSED";

class Connection {
  status = $state<Status>("IDLE");
  welcome = $state.raw<Welcome | null>(null);
  lobby = $state.raw<Lobby | null>(null);
  view = $state.raw<View | null>(null);
  notices = $state<(Notice & { readonly key: number })[]>([]);
  goodbye = $state.raw<Notice | null>(null);
  /** Whether the stream was cut and has not opened again, between the attempts as during each. */
  isCut = $state(false);
  /** Called with every view that counts, beside its being shown. */
  onview: (view: View) => void = () => undefined;

  #socket: WebSocket | null = null;
  #asked = new Map<string, Asked>();
  #count = 0;
  #wait = FIRST_WAIT;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #received = 0;
  #room: string | undefined;
  #isOld = false; // the view is of another start of the server, whose versions say nothing about this one's

  constructor() {
    setInterval(() => this.#ping(), PING_EVERY);
    addEventListener("online", () => {
      if (this.status === "LOST") {
        this.connect();
      }
    });
    addEventListener("offline", () => {
      if (this.status === "OPEN") {
        this.#socket?.close();
        this.#lose();
      }
    });
  }

  /** Says hello; a room that is given is joined from the lobby. */
  connect(room?: string): void {
    this.#room = room ?? this.#room;
    clearTimeout(this.#retry);
    this.#socket?.close();
    this.status = "CONNECTING";
    const address = new URL("api/stream", location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new WebSocket(address);
    this.#socket = socket;
    socket.onopen = async () => {
      const key = await seatKey;
      if (socket !== this.#socket || socket.readyState !== WebSocket.OPEN) {
        return;
      }
      socket.send(
        JSON.stringify({
          type: "hello",
          protocol: 1,
          secret: keptSecret(),
          name: settings.name || say("guest"),
          ...(key === null ? {} : { seat_key: key.publicKey }),
        }),
      );
    };
    socket.onmessage = (event: MessageEvent<string>) => {
      if (socket === this.#socket) {
        this.#received = performance.now();
        this.#take(JSON.parse(event.data) as Message);
      }
    };
    socket.onclose = () => {
      if (socket === this.#socket) {
        this.#lose();
      }
    };
  }

  /** A ruleset that rooms can play by; undefined for one that the table server does not have. */
  ruleset(id: string | null | undefined): Ruleset | undefined {
    return this.welcome?.rulesets.find((one) => one.id === id);
  }

  /** An id for a new command. */
  freshId(): string {
    this.#count += 1;
    return `${tab}.${this.#count}`;
  }

  /** The result of a command; RefusedError where the server would not. */
  command<Name extends string>(name: Name, fields: object = {}, id = this.freshId()): Promise<ResultOf<Name>> {
    const frame = JSON.stringify({ type: "command", id, name, ...fields });
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { frame, resolve: resolve as (result: unknown) => void, reject });
      if (this.status === "OPEN") {
        this.#socket?.send(frame);
      }
    });
  }

  /** The referee's suggestions to a seat, best first, as the folder of its game describes them. */
  async suggestions<Game extends keyof Suggestions>(round_id: string): Promise<readonly Suggestions[Game][]> {
    const { suggestions } = await this.command("suggest", { round_id });
    return suggestions as readonly Suggestions[Game][];
  }

  /** The result of a move, once the view that follows from it is there too; soon where none comes. */
  async move(name: string, fields: object, id?: string): Promise<unknown> {
    const before = this.view?.version;
    const result = await this.command(name, fields, id);
    const end = performance.now() + LONGEST_MOVE;
    while (this.view?.version === before && performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
    return result;
  }

  notify(notice: Notice): void {
    const key = performance.now();
    this.notices = [...this.notices.slice(-2), { ...notice, key }];
    setTimeout(() => this.dismiss(key), NOTICE_SHOWN);
  }

  dismiss(key: number): void {
    this.notices = this.notices.filter((notice) => notice.key !== key);
  }

  #take(message: Message): void {
    switch (message.type) {
      case "welcome":
        this.#open(message);
        break;
      case "lobby":
        learnTime(message.time);
        this.lobby = message;
        this.view = null;
        this.#join();
        break;
      case "view":
        learnTime(message.time);
        for (const part of Object.values(message.round ?? {})) {
          // a game's part of the round may have the proof of this seat's newest move
          keepReceipted({ ...(part as object), round_id: message.round?.round_id });
        }
        if (this.#isOld || this.view?.room !== message.room || message.version > this.view.version) {
          this.view = message;
          this.#isOld = false;
          this.#room = undefined;
          this.onview(message);
        }
        break;
      case "done":
        keepReceipted(message.result);
        this.#answered(message.id)?.resolve(message.result);
        break;
      case "refused":
        this.#answered(message.id)?.reject(new RefusedError(message));
        break;
      case "pong":
        learnTime(message.time, performance.now() - message.sent);
        break;
      case "notice":
        this.notify(message);
        break;
      case "goodbye":
        this.goodbye = message;
    }
  }

  #open(welcome: Welcome): void {
    if (this.welcome !== null && this.welcome.gateway !== welcome.gateway) {
      location.reload(); // this page may call only the gateway that it was served with
      return;
    }
    this.#isOld = this.welcome?.server !== welcome.server;
    this.welcome = welcome;
    this.status = "OPEN";
    this.isCut = false;
    this.goodbye = null;
    this.#wait = FIRST_WAIT;
    forgetTime();
    learnTime(welcome.time);
    this.#ping();
    for (const { frame } of this.#asked.values()) {
      this.#socket?.send(frame);
    }
  }

  /** Follows the invitation that the page came with, from the lobby. */
  #join(): void {
    const room = this.#room;
    this.#room = undefined;
    if (room !== undefined) {
      this.command("join", { room }).catch(({ code, text }: RefusedError) => {
        this.notify({ code, text: code === "NO_ROOM" ? both("deadInvite") : text });
      });
    }
  }

  #answered(id: string): Asked | undefined {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    return asked;
  }

  #ping(): void {
    if (this.status !== "OPEN") {
      return;
    }
    if (performance.now() - this.#received > SILENCE) {
      this.connect();
      return;
    }
    this.#socket?.send(JSON.stringify({ type: "ping", sent: Math.floor(performance.now()) }));
  }

  #lose(): void {
    this.#socket = null;
    const code = this.goodbye?.code;
    if (code === "TAKEN_OVER") {
      this.status = "TAKEN_OVER";
    } else if (code === "OTHER_PROTOCOL" || code === "BAD_MESSAGE") {
      this.status = "REFUSED";
    } else {
      this.status = "LOST";
      const wait = this.#wait * (0.75 + Math.random() / 2);
      this.#wait = Math.min(LONGEST_WAIT, this.#wait * 1.8);
      this.#retry = setTimeout(() => this.connect(), wait);
    }
    this.isCut = this.status === "LOST";
  }
}

export const connection = new Connection();
