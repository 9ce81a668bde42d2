/** One HTTP POST with text in and out, by `fetch` or, in engines that lack it, by XMLHttpRequest. */

/** An HTTP answer. `status` is 0 where none came: `text` then says why. */
export interface Answer {
  /** The HTTP status; 0 where no answer came. */
  readonly status: number;
  /** The body. */
  readonly text: string;
}

/** Sends a text; the answer's status is 0 where none came within `timeoutMs` (0 for no limit). */
export type Post = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  timeoutMs: number,
) => Promise<Answer>;

/** The reason in an answer that did not come in time. */
export const TIMED_OUT = "it was not answered in time";

/** Return how this host posts: `fetch`, or else XMLHttpRequest; an error where it has neither. */
export function hostPost(): Post {
  if (typeof fetch === "function") {
    return byFetch;
  }
  if (typeof XMLHttpRequest === "function") {
    return byRequest;
  }
  throw new Error("this host has neither fetch nor XMLHttpRequest: give `post` to connect");
}

/** Posts by `fetch`, and reads the answer as one text: no stream is needed. */
export const byFetch: Post = async (url, headers, body, timeoutMs) => {
  const ending = typeof AbortController === "function" ? new AbortController() : undefined;
  let isLate = false;
  const end = () => {
    isLate = true;
    ending?.abort();
  };
  const timer = ending && timeoutMs > 0 ? setTimeout(end, timeoutMs) : undefined;
  try {
    const signal = ending === undefined ? {} : { signal: ending.signal };
    const answer = await fetch(url, { method: "POST", headers, body, ...signal });
    return { status: answer.status, text: await answer.text() };
  } catch (error) {
    return { status: 0, text: isLate ? TIMED_OUT : String(error) };
  } finally {
    if (timer !== undefined) {
      clearTimeout(timer);
    }
  }
};

/** Posts by XMLHttpRequest, whose own clock bounds the call. */
export const byRequest: Post = (url, headers, body, timeoutMs) =>
  new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open("POST", url, true);
    request.timeout = timeoutMs;
    for (const name of Object.keys(headers)) {
      request.setRequestHeader(name, headers[name] ?? "");
    }
    request.onload = () => resolve({ status: request.status, text: request.responseText });
    request.onerror = () => resolve({ status: 0, text: "the server was not reached" });
    request.ontimeout = () => resolve({ status: 0, text: TIMED_OUT });
    request.send(body);
  });
