/** Calls that are retried; the library's own router acts as a busy server. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Code, ConnectError, createRouterTransport, type Transport } from "@connectrpc/connect";
import { create } from "@bufbuild/protobuf";
import { DurationSchema } from "@bufbuild/protobuf/wkt";
import { ErrorInfoSchema, RetryInfoSchema } from "../src/gen/google/rpc/error_details_pb.js";
import { MauBinhService, refereeOver } from "../src/index.js";
import { optionsOf } from "../src/referee.js";

const FAST = { attempts: 4, firstMs: 1, longestMs: 2 };

/** A server that refuses so often and counts; and its answer to what is asked. */
function busy(refusals: number, error: () => ConnectError) {
  const seen: string[] = [];
  const answer = (_request: unknown, { requestHeader }: { requestHeader: Headers }) => {
    seen.push(requestHeader.get("x-request-id") ?? "");
    if (seen.length <= refusals) {
      throw error();
    }
    return {};
  };
  const transport = (retries: typeof FAST | null): Transport =>
    createRouterTransport(({ service }) => service(MauBinhService, { previewRound: answer, acceptEvent: answer }), {
      transport: optionsOf({ retries }),
    });
  return { seen, referee: (retries: typeof FAST | null = FAST) => refereeOver(transport(retries)) };
}

const unavailable = () => new ConnectError("it restarts", Code.Unavailable);
const overloaded = () => {
  const retryDelay = create(DurationSchema, { nanos: 2_000_000 });
  return new ConnectError("too much", Code.ResourceExhausted, {}, [{ desc: RetryInfoSchema, value: { retryDelay } }]);
};

const refused = (reason: string) => () =>
  new ConnectError("too many", Code.ResourceExhausted, {}, [
    { desc: ErrorInfoSchema, value: { reason, domain: "referee.v1" } },
  ]);
const wrong = () => new ConnectError("no", Code.InvalidArgument);
const reset = () => new ConnectError("http/2 stream closed with error code REFUSED_STREAM (0x7)", Code.Unavailable);

/** How often the server is asked, and the code of its last answer if that is a refusal; `acceptEvent` may do harm twice. */
type Case = readonly [
  name: string,
  refusals: number,
  error: () => ConnectError,
  asked: number,
  code?: Code | undefined,
  how?: { readonly method?: "acceptEvent"; readonly retries?: null },
];

const HARMFUL = { method: "acceptEvent" } as const;
const CASES: readonly Case[] = [
  ["a harmless call is asked again until it is answered", 3, unavailable, 4],
  ["it is given up after the last attempt", 9, unavailable, 4, Code.Unavailable],
  ["it waits where the server says how long", 1, overloaded, 2],
  ["it is not asked again where it was refused", 1, wrong, 1, Code.InvalidArgument],
  ["it is asked once where retries are off", 1, unavailable, 1, Code.Unavailable, { retries: null }],
  ["one that may not be repeated is asked once", 1, unavailable, 1, Code.Unavailable, HARMFUL],
  ["one that OVERLOADED kept from beginning is repeated", 2, refused("OVERLOADED"), 3, undefined, HARMFUL],
  ["one that TOO_MANY_CALLS kept from beginning is repeated", 2, refused("TOO_MANY_CALLS"), 3, undefined, HARMFUL],
  ["one that a reset kept from beginning is repeated", 2, reset, 3, undefined, HARMFUL],
];

for (const [name, refusals, error, asked, code, { method = "previewRound", retries } = {}] of CASES) {
  test(`${name}, under one request id`, async () => {
    const { seen, referee } = busy(refusals, error);
    const call = referee(retries).mauBinh[method]({});
    await (code === undefined ? call : assert.rejects(call, { code }));
    assert.deepEqual([seen.length, new Set(seen).size], [asked, 1]);
    assert.match(seen[0] ?? "", /^[0-9a-f]{16}$/);
  });
}

test("a call is not asked again beyond its deadline", async () => {
  const { seen, referee } = busy(1000, unavailable);
  const slow = { attempts: 1000, firstMs: 1000, longestMs: 1000 };
  await assert.rejects(referee(slow).mauBinh.previewRound({}, { timeoutMs: 20 }));
  assert.ok(seen.length < 10, `${seen.length}`);
});
