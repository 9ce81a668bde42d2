/** Calls that are retried; the library's own router acts as a busy server. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
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

describe("calls that do no harm twice", () => {
  test("are asked again until they are answered, under one request id", async () => {
    const { seen, referee } = busy(3, unavailable);
    await referee().mauBinh.previewRound({});
    assert.equal(seen.length, 4);
    assert.equal(new Set(seen).size, 1);
    assert.match(seen[0] ?? "", /^[0-9a-f]{16}$/);
  });

  test("are given up after the last attempt", async () => {
    const { seen, referee } = busy(9, unavailable);
    await assert.rejects(referee().mauBinh.previewRound({}), { code: Code.Unavailable });
    assert.equal(seen.length, FAST.attempts);
  });

  test("wait where the server says how long", async () => {
    const { seen, referee } = busy(1, overloaded);
    await referee().mauBinh.previewRound({});
    assert.equal(seen.length, 2);
  });

  test("are not asked again where they were refused", async () => {
    const { seen, referee } = busy(1, () => new ConnectError("no", Code.InvalidArgument));
    await assert.rejects(referee().mauBinh.previewRound({}), { code: Code.InvalidArgument });
    assert.equal(seen.length, 1);
  });

  test("are not asked beyond their deadline", async () => {
    const { seen, referee } = busy(1000, unavailable);
    const slow = { attempts: 1000, firstMs: 1000, longestMs: 1000 };
    await assert.rejects(referee(slow).mauBinh.previewRound({}, { timeoutMs: 20 }));
    assert.ok(seen.length < 10, `${seen.length}`);
  });

  test("are asked once where retries are off", async () => {
    const { seen, referee } = busy(1, unavailable);
    await assert.rejects(referee(null).mauBinh.previewRound({}), { code: Code.Unavailable });
    assert.equal(seen.length, 1);
  });
});

const refused = (reason: string) => () =>
  new ConnectError("too many", Code.ResourceExhausted, {}, [
    { desc: ErrorInfoSchema, value: { reason, domain: "referee.v1" } },
  ]);
const reset = () => new ConnectError("http/2 stream closed with error code REFUSED_STREAM (0x7)", Code.Unavailable);

for (const [name, error] of [
  ["OVERLOADED", refused("OVERLOADED")],
  ["TOO_MANY_CALLS", refused("TOO_MANY_CALLS")],
  ["a reset of one too many", reset],
] as const) {
  test(`a call that was never begun is asked again, whatever its method: ${name}`, async () => {
    const { seen, referee } = busy(2, error);
    await referee().mauBinh.acceptEvent({});
    assert.equal(seen.length, 3);
  });
}

test("a call that may not be repeated is asked once", async () => {
  const { seen, referee } = busy(1, unavailable);
  await assert.rejects(referee().mauBinh.acceptEvent({}), { code: Code.Unavailable });
  assert.equal(seen.length, 1);
});
