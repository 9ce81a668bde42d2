/**
 * A server that lies once: every field of every answer of a round is changed, one at a time, and
 * each step must refuse it. What no client can check is listed, with the reason.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { clone, type DescMessage, type Message, ScalarType } from "@bufbuild/protobuf";
import { reflect, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import { Client, type Line, SeatSecrets, VerificationError } from "../src/index.js";
import { grpcLine } from "../src/node.js";
import { Session } from "../src/session.js";
import { dealt, server, tableNamed, without } from "./server.js";

type Change = (answer: ReflectMessage) => void;

/** Fields of answers that prove nothing and that nothing proves. */
const UNPROVED = [
  /GetTableRound.*\.stage/, // not read: the leaves say how far the round is
  /AcceptEvent.*\.(refused_event_number|violations|state)/, // the judge's own words
  /SettleRound.*\.(outcome\.(?!transfers)|refused_event_number)/, // names for players; the log has the result
  /SettleRound.*\.outcome\.transfers.*\.(subject|units|text|name|reason_name|subject_name)/,
  /OpenSection.*\.opened\[\d\]\.name/, // a name for people
];

/** Every field that a message has, as its path and a change of it. */
function changesOf(answer: ReflectMessage, path: string): [string, Change][] {
  const found: [string, Change][] = [];
  for (const field of answer.fields) {
    if (!answer.isSet(field)) {
      continue;
    }
    const name = `${path}.${field.name}`;
    const nested = (go: (parent: ReflectMessage) => ReflectMessage): [string, Change][] =>
      changesOf(go(answer), "").map(([rest, change]) => [rest, (root) => change(go(root))]);
    switch (field.fieldKind) {
      case "message":
        for (const [rest, change] of nested((parent) => parent.get(field) as ReflectMessage)) {
          found.push([name + rest, change]);
        }
        break;
      case "list": {
        const size = [...(answer.get(field) as Iterable<unknown>)].length;
        for (let index = 0; index < Math.min(size, 2); index += 1) {
          if (field.listKind === "message") {
            const item = (parent: ReflectMessage) =>
              [...(parent.get(field) as Iterable<ReflectMessage>)][index] as ReflectMessage;
            for (const [rest, change] of nested(item)) {
              found.push([`${name}[${index}]${rest}`, change]);
            }
          }
        }
        found.push([
          `${name}[shorter]`,
          (root) => {
            const list = (root.message as unknown as Record<string, unknown[]>)[field.localName];
            list?.pop();
          },
        ]);
        break;
      }
      case "scalar":
      case "enum":
        found.push([
          name,
          (root) => {
            const members = root.message as unknown as Record<string, unknown>;
            members[field.localName] = changed(members[field.localName], field.scalar);
          },
        ]);
        break;
      default:
    }
  }
  return found;
}

function changed(value: unknown, scalar?: ScalarType): unknown {
  if (value instanceof Uint8Array) {
    const bytes = value.slice();
    const middle = Math.floor(bytes.length / 2);
    bytes[middle] = (bytes[middle] ?? 0) ^ 1;
    return bytes;
  }
  if (typeof value === "bigint") {
    return value + 1n;
  }
  if (typeof value === "number") {
    return value + 1;
  }
  return scalar === ScalarType.BOOL ? !value : `${String(value)}x`;
}

/** A line whose next answer of a method can be changed. */
class Liar {
  lie: Change | undefined;
  readonly answers = new Map<string, [DescMessage, Message]>();
  readonly line: Line;

  constructor(honest: Line) {
    this.line = {
      ask: async (method, request, timeoutMs) => {
        const answer = await honest.ask(method, request, timeoutMs);
        this.answers.set(method.name, [method.output, clone(method.output, answer)]);
        const { lie } = this;
        if (lie !== undefined && this.about === method.name) {
          lie(reflect(method.output, answer));
        }
        return answer;
      },
      close: () => honest.close(),
    };
  }

  about = "";

  /** Repeat a step with every field of one method's answer changed; the fields that were believed. */
  async believed(method: string, step: () => Promise<unknown>): Promise<string[]> {
    const [schema, answer] = this.answers.get(method)!;
    const changes = changesOf(reflect(schema, answer), method).filter(([path]) => {
      return !UNPROVED.some((known) => known.test(path));
    });
    assert.ok(changes.length > 0);
    const believed: string[] = [];
    for (const [path, change] of changes) {
      [this.lie, this.about] = [change, method];
      const error = await step().then(
        () => undefined,
        (failure: unknown) => failure,
      );
      this.lie = undefined;
      if (!(error instanceof VerificationError)) {
        believed.push(error === undefined ? path : `${path}: ${String(error)}`);
      }
    }
    return believed;
  }
}

test("no field of an answer is believed that can be checked", { skip: without }, async () => {
  const liar = new Liar(grpcLine({ baseUrl: `http://${server.grpc}` }));
  const client = new Client(liar.line, { trust: server.keys });
  const secrets = [SeatSecrets.make(0, { keyed: true })];
  const bets = [{ ante: 20, trips: 4 }];
  const table = tableNamed("lies");
  const terms = { table, ruleset: "ultimate_texas.casino", seats: 1, stake: 2, bets };
  const game = client.ultimateTexas(terms, { secrets });
  const all: string[] = [];
  const steps: [string, () => Promise<unknown>][] = [
    ["PrepareRound", () => game.prepare()],
    ["OpenRound", () => game.open()],
    ["GetTableRound", () => client.ultimateTexas(terms, { secrets }).join(1)],
    ["DealRound", () => game.deal()],
    ["AcceptEvent", () => game.decide(0, "CHECK")],
    ["OpenSection", () => game.openSection()],
    ["SettleRound", () => game.settle()],
    ["RevealRound", () => game.reveal()],
  ];
  for (const [method, step] of steps) {
    if (method === "SettleRound") {
      await game.decide(0, "PLAY_2X");
    }
    await step();
    if (method === "AcceptEvent") {
      continue; // this event is in the course now; the lies about one are about another round
    }
    all.push(...(await liar.believed(method, step)));
  }
  const other = await dealt(client.ultimateTexas({ ...terms, table: tableNamed("lies") }, { secrets }));
  const accepting = () => other.decide(0, "CHECK");
  assert.deepEqual([...all, ...(await liar.believed("AcceptEvent", accepting))], []);
  client.close();
});

test("keys that are none are refused at once", () => {
  const line = grpcLine({ baseUrl: "http://127.0.0.1:1" });
  const trust = { logKey: "log+00000000+AAAA", rootKey: "root" };
  assert.throws(() => new Client(line, { trust }), VerificationError);
  line.close();
});

test("keys on pages without an end are refused, and each page is asked for by the last one's token", async () => {
  const asked: (string | undefined)[] = [];
  const ask = (_method: unknown, { pageToken }: { pageToken?: string }): Promise<object> => {
    asked.push(pageToken);
    return Promise.resolve({ logKey: "", rootKey: "", keyLeaves: [], nextPageToken: String(asked.length) });
  };
  const session = new Session({ ask } as unknown as Line);
  await assert.rejects(
    session.believed(),
    (error) => error instanceof VerificationError && /1000 pages/.test(error.message),
  );
  assert.deepEqual(asked.slice(0, 3), [undefined, "1", "2"]);
  assert.equal(asked.length, 1001);
});
