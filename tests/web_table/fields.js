/**
 * One look at the page: what it makes of some messages, in a frame of its own whose clock moves only when it is asked to.
 *
 * `look(scene)` resolves to a digest of all that the page draws, says, asks and keeps. A scene has the welcome and what is sent after
 * it, the answers to commands by name, what the referee answers, what is pressed, and how long it lasts.
 */

const START = 1_700_000_000_000;
const STEP = 1_000;

/** Lets all happen that waits for no clock: promises, and effects that follow from them. */
const settle = () =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = resolve;
    port2.postMessage(null);
  });

/** Takes clocks, chance, storage, stream and network from a window; returns what moves its clock. */
function take(window, scene, asked) {
  const { Date, Math, performance, crypto } = window;
  const timers = new Map();
  let now = START;
  let count = 0;
  const after = (act, wait = 0, every = 0) => {
    count += 1;
    timers.set(count, { act, at: now + Math.max(1, wait), every });
    return count;
  };
  const stop = (id) => timers.delete(id);
  const put = (owner, members) => {
    for (const [name, value] of Object.entries(members)) {
      Object.defineProperty(owner, name, { value, configurable: true, writable: true });
    }
  };
  put(Date, { now: () => now });
  put(Math, { random: () => 0.5 });
  put(performance, { now: () => now - START, timeOrigin: START });
  put(crypto, { getRandomValues: (array) => array.fill(7), subtle: undefined });
  put(window, {
    indexedDB: undefined,
    matchMedia: () => ({ matches: true }),
    setTimeout: after,
    setInterval: (act, wait) => after(act, wait, wait),
    requestAnimationFrame: (act) => after(() => act(now - START), 16),
    clearTimeout: stop,
    clearInterval: stop,
    cancelAnimationFrame: stop,
    onerror: (message) => void asked.push(`error ${message}`),
    fetch: async (url, { body = "" } = {}) => {
      asked.push(`${url} ${body}`);
      return { ok: true, json: async () => (/bundles/.test(url) ? { leaves: [] } : scene.hands) };
    },
    WebSocket: class {
      static OPEN = 1;
      readyState = 1;
      constructor() {
        after(() => this.onopen());
      }
      send(text) {
        const message = JSON.parse(text);
        const { type, id, name } = message;
        if (type !== "ping") {
          asked.push(JSON.stringify({ ...message, id: "" }));
        }
        const answer = scene.answers[name] ?? { type: "done", result: {} };
        const answers = { hello: [scene.welcome, ...scene.sent], ping: [], command: [{ ...answer, id }] };
        for (const one of answers[type]) {
          after(() => this.onmessage({ data: JSON.stringify(one) }));
          if (one.type === "goodbye") {
            after(() => this.onclose());
          }
        }
      }
      close() {}
    },
  });
  for (const name of ["localStorage", "sessionStorage"]) {
    const kept = new Map([["referee.settings", JSON.stringify({ name: "An", language: "vi", rooms: ["r"] })]]);
    const setItem = (key, value) => {
      asked.push(`keeps ${key} ${value}`);
      kept.set(key, value);
    };
    put(window, { [name]: { setItem, getItem: (key) => kept.get(key) ?? null, removeItem: (key) => kept.delete(key) } });
  }
  return async (ms) => {
    const end = now + ms;
    const next = () => [...timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at)[0];
    for (let due = next(); due !== undefined; due = next()) {
      const [id, { act, at, every }] = due;
      now = at;
      timers.delete(id);
      if (every > 0) {
        timers.set(id, { act, at: at + every, every });
      }
      try {
        act();
      } catch (error) {
        asked.push(String(error));
      }
      await settle();
    }
    now = end;
  };
}

async function look(scene) {
  const asked = [];
  const frame = document.createElement("iframe");
  frame.style.display = "none";
  document.body.append(frame);
  const { contentWindow: window, contentDocument: page } = frame;
  const move = take(window, scene, asked);
  const loaded = new Promise((resolve) => (window.startPage = resolve));
  page.open(); // from now on its address is that of this page
  page.write('<div id="app"></div><script type="module">import "/assets/index.js"; startPage();</script>');
  page.close();
  await loaded;
  await move(20);
  if (/"proof"/.test(JSON.stringify(scene))) {
    await window.eval("import('/assets/src.js')"); // the verifier
    await settle();
    await settle();
  }
  const read = () => {
    const chosen = [...page.querySelectorAll("input, select")].map(({ value, checked }) => `${value} ${checked}`);
    return [page.title, page.body.innerHTML, ...chosen, ...asked].join("\n").replace(/svelte-\w+|c\d+\b/g, "");
  };
  const seen = [read()];
  for (const [selector, many] of scene.presses) {
    for (let times = 0; times < many; times += 1) {
      const target = page.querySelector(selector);
      if (target === null || target.disabled) {
        break;
      }
      target.click();
      await move(20);
      await settle();
      await settle();
      seen.push(read());
    }
  }
  for (let ms = 0; ms < scene.lasts; ms += STEP) {
    await move(STEP);
    seen.push(read());
  }
  frame.remove();
  const bytes = new TextEncoder().encode(seen.join("\n"));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}
