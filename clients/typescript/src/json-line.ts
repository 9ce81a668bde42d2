/**
 * Requests as JSON over HTTP, by the unary part of the Connect protocol: what a gateway answers and any engine can
 * send. Nothing of the host is used but how it posts and, for pauses between attempts, its timers.
 */

import { create, fromJsonString, toJsonString } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as Level } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { looseBase64 } from "referee-verifier/protocol";
import { RefereeError, refusedWith } from "./errors.js";
import { hostPost, type Post, TIMED_OUT } from "./http.js";
import { HeldToken, type Token } from "./identity.js";
import { type Line, TIMEOUT_MS } from "./line.js";
import { DETAILS, factsOf } from "./refusal.js";
import { pauseAfter, RETRIES, type Retries } from "./retry.js";
import { unreachedWords } from "./unreached.js";

/** Where a gateway is, and how calls to it are made. */
export interface JsonAddress {
  /** Such as `https://play.example.com`; a page's own is `location.origin`. */
  readonly baseUrl: string;
  /** A call's deadline in milliseconds, each attempt's own; 10 seconds. 0 for none. */
  readonly timeoutMs?: number;
  /** How calls that do no harm twice are asked again; null for never. */
  readonly retries?: Retries | null;
  /** Token that each call carries, or a function that fetches one. */
  readonly token?: Token;
  /** How a text is posted, where the host has neither `fetch` nor XMLHttpRequest. */
  readonly post?: Post;
}

/** Return a line to a gateway. */
export function jsonLine(address: JsonAddress): Line {
  const { baseUrl, timeoutMs = TIMEOUT_MS, retries = RETRIES, token } = address;
  const post = address.post ?? hostPost();
  const root = baseUrl.replace(/\/+$/, "");
  const held = token === undefined ? undefined : new HeldToken(token);

  /** Post a request; throw the error that its answer is. */
  async function posted(method: string, path: string, body: string, limit: number): Promise<string> {
    const call = async (shown: string) => {
      const { status, text } = await post(`${root}/${path}`, headersOf(shown, limit), body, limit);
      if (status !== 200) {
        const why = status === 0 && text !== TIMED_OUT ? await unreachedWords(method, root, text) : text;
        throw errorOf(method, status, why);
      }
      return text;
    };
    return held === undefined
      ? call("")
      : held.calling(call, (error) => (error instanceof RefereeError ? error.reason : ""));
  }

  return {
    async ask(method, request, limit = timeoutMs) {
      const body = toJsonString(method.input, create(method.input, request));
      const isHarmless = method.idempotency !== Level.IDEMPOTENCY_UNKNOWN;
      const attempts = isHarmless && retries !== null && canPause() ? retries.attempts : 1;
      for (let attempt = 1; ; attempt += 1) {
        try {
          const text = await posted(method.name, `${method.parent.typeName}/${method.name}`, body, limit);
          return fromJsonString(method.output, text, { ignoreUnknownFields: true, registry: DETAILS });
        } catch (error) {
          const isPassing =
            error instanceof RefereeError && (error.code === Code.Unavailable || error.retryAfterMs !== undefined);
          if (attempt >= attempts || !isPassing || retries === null) {
            throw error;
          }
          const pause = Math.max(pauseAfter(attempt, retries), error.retryAfterMs ?? 0);
          if (limit > 0 && pause >= limit) {
            throw error;
          }
          await passed(pause);
        }
      }
    },
    close: () => undefined,
  };
}

function headersOf(token: string, timeoutMs: number): Record<string, string> {
  const headers: Record<string, string> = { "content-type": "application/json", "connect-protocol-version": "1" };
  if (timeoutMs > 0) {
    headers["connect-timeout-ms"] = String(Math.ceil(timeoutMs));
  }
  if (token !== "") {
    headers["authorization"] = `Bearer ${token}`;
  }
  return headers;
}

/** The names of the codes, as JSON has them: `failed_precondition`. */
const CODES: ReadonlyMap<string, Code> = new Map(
  Object.keys(Code)
    .filter((name) => Number.isNaN(Number(name)))
    .map((name) => [name.replace(/(?!^)([A-Z])/g, "_$1").toLowerCase(), Code[name as keyof typeof Code]]),
);

/** Codes of answers that no server of Referee wrote, such as a proxy's. */
const HTTP_CODES: Readonly<Record<number, Code>> = {
  400: Code.Internal,
  401: Code.Unauthenticated,
  403: Code.PermissionDenied,
  404: Code.Unimplemented,
  429: Code.Unavailable,
  502: Code.Unavailable,
  503: Code.Unavailable,
  504: Code.Unavailable,
};

interface JsonError {
  readonly code?: string;
  readonly message?: string;
  readonly details?: readonly { readonly type?: string; readonly value?: string }[];
}

function errorOf(method: string, status: number, text: string): RefereeError {
  if (status === 0) {
    return text === TIMED_OUT
      ? refusedWith({ code: Code.DeadlineExceeded, message: `${method}: ${text}` })
      : refusedWith({ code: Code.Unavailable, message: text });
  }
  const said = readError(text);
  const code = CODES.get(said.code ?? "") ?? HTTP_CODES[status] ?? Code.Unknown;
  const details = (said.details ?? []).map(({ type = "", value = "" }) => {
    return { type, value: looseBase64(value) };
  });
  return refusedWith(factsOf(code, said.message ?? `${method} was answered with HTTP status ${status}`, details));
}

function readError(text: string): JsonError {
  try {
    const said: unknown = JSON.parse(text);
    return typeof said === "object" && said !== null ? said : {};
  } catch {
    return {};
  }
}

function canPause(): boolean {
  return typeof setTimeout === "function";
}

function passed(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
