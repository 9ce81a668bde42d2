/** What to do about a call without any answer. All that a browser lets a page know is that its request failed. */

const PROBE_MS = 2000;

/** The words for a call that failed without an answer; `why` is what the host said. */
export async function unreachedWords(method: string, baseUrl: string, why: string): Promise<string> {
  const origin = foreignOrigin(baseUrl);
  if (origin !== undefined && (await isAnswering(baseUrl))) {
    const remedy =
      origin === "null"
        ? "serve the page over HTTP, since one from a file has no origin to list"
        : `list ${origin} in the gateway's web.origins, or start it with --web-origin ${origin}`;
    return `${method}: ${baseUrl} answers, but not to pages of ${origin} (${why}); ${remedy}`;
  }
  return `${method} did not reach ${baseUrl} (${why}); check the address, and that the gateway runs: referee serve --web`;
}

/** The origin of the page that this is, if the server is elsewhere; undefined outside of pages. */
function foreignOrigin(baseUrl: string): string | undefined {
  const own = typeof location === "object" && typeof document === "object" ? location.origin : undefined;
  return own === undefined || own === new URL(baseUrl, location.href).origin ? undefined : own;
}

/** Whether anything answers at an address. It does not read the answer, for which it would need permission. */
async function isAnswering(baseUrl: string): Promise<boolean> {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), PROBE_MS);
  try {
    await fetch(`${baseUrl}/healthz`, { mode: "no-cors", signal: ending.signal });
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
