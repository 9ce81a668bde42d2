/** A server that is away and comes back: the next call finds it, and a connection that is never made is given up. */

import assert from "node:assert/strict";
import { createServer as createHttp2 } from "node:http2";
import { type AddressInfo, connect as dial, createServer, type Server, type Socket } from "node:net";
import { test } from "node:test";
import { Code } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { LogService } from "../src/index.js";
import { connectNode } from "../src/node.js";
import { pauseAfter, RETRIES } from "../src/retry.js";

const HOUR_MS = 3_600_000;

async function listening(server: Pick<Server, "listen" | "address">): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

test("the first call after a server is back is answered, however often it was away before", async () => {
  const service = createHttp2(
    connectNodeAdapter({ routes: ({ service }) => service(LogService, { getKeys: () => ({ origin: "it is back" }) }) }),
  );
  const port = await listening(service);
  const sockets = new Set<Socket>();
  let isAway = true;
  let attempts = 0;
  const relay = createServer((socket) => {
    attempts += 1;
    sockets.add(socket);
    if (isAway) {
      socket.destroy();
      return;
    }
    const behind = dial(port, "127.0.0.1");
    sockets.add(behind);
    socket.pipe(behind).pipe(socket);
  });
  const referee = connectNode({ baseUrl: `http://127.0.0.1:${await listening(relay)}`, retries: null });
  try {
    for (let time = 0; time < 50; time += 1) {
      await assert.rejects(referee.log.getKeys({}));
    }
    isAway = false;
    const before = attempts;
    assert.equal((await referee.log.getKeys({})).origin, "it is back");
    assert.equal(attempts, before + 1);
  } finally {
    referee.close();
    sockets.forEach((socket) => socket.destroy());
    relay.close();
    service.close();
  }
});

test("a call whose connection ends before its answer is unavailable, and is made again", async () => {
  const service = createHttp2();
  const answer = connectNodeAdapter({
    routes: ({ service: add }) => add(LogService, { getKeys: () => ({ origin: "it answers" }) }),
  });
  let losses = 0;
  service.on("request", (request, response) => {
    if (losses > 0) {
      losses -= 1;
      request.stream.session?.socket.resetAndDestroy();
    } else {
      answer(request, response);
    }
  });
  const baseUrl = `http://127.0.0.1:${await listening(service)}`;
  const once = connectNode({ baseUrl, retries: null });
  const referee = connectNode({ baseUrl, retries: { attempts: 3, firstMs: 1, longestMs: 1 } });
  try {
    losses = 1;
    await assert.rejects(once.log.getKeys({}), { code: Code.Unavailable });
    losses = 2;
    assert.equal((await referee.log.getKeys({})).origin, "it answers");
    assert.equal(losses, 0);
  } finally {
    once.close();
    referee.close();
    service.close();
  }
});

test("a connection that is never made is given up, and each attempt of a call makes a new one", async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket.on("error", () => undefined)));
  const baseUrl = `https://127.0.0.1:${await listening(silent)}`;
  const retries = { attempts: 3, firstMs: 1, longestMs: 1 };
  const referee = connectNode({ baseUrl, connectMs: 50, timeoutMs: HOUR_MS, retries });
  try {
    await assert.rejects(referee.log.getKeys({}), { code: Code.Unavailable });
    assert.equal(sockets.length, retries.attempts);
  } finally {
    referee.close();
    sockets.forEach((socket) => socket.destroy());
    silent.close();
  }
});

test("the attempts of a call outlast the longest pause of a client that looks for its server", () => {
  let least = 0;
  for (let attempt = 1; attempt < RETRIES.attempts; attempt += 1) {
    least += pauseAfter(attempt, RETRIES);
  }
  assert.ok(least > 1.2 * RETRIES.longestMs, `${least}`);
});
