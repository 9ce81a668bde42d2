/** A round of the game over gRPC and another over Connect and JSON, resumed half-way; prints what came of them. */

import { connect as connectJson, SeatSecrets } from "referee-client";
import { connect as connectGrpc } from "referee-client/node";

import { Act, baiCao, type BaiCaoTypes } from "./client/bai_cao.js";

const { grpc, web, ruleset } = JSON.parse(process.argv[2] ?? "") as { grpc: string; web: string; ruleset: string };
const [name] = ruleset.split(".") as [string];
const kept = new Map<string, string>();
const journal = {
  save: async (table: string, _number: number, record: string) => void kept.set(table, record),
  load: async (table: string) => kept.get(table),
  forget: async (table: string) => void kept.delete(table),
  tables: async () => [...kept.keys()],
};
const options = { games: [baiCao], journal };
const kindOf = (event: Uint8Array) => (JSON.parse(new TextDecoder().decode(event)) as { kind: string }).kind;
const printed: Record<string, unknown> = {};

for (const [way, made] of [
  ["grpc", () => connectGrpc(grpc, options)],
  ["json", () => connectJson(`http://${web}`, options)],
] as const) {
  const table = `typescript-${way}`;
  const client = made();
  const secrets = [0, 1, 2].map((seat) => SeatSecrets.make(seat, { keyed: true }));
  const terms = { table, ruleset, seats: 3, stake: 1_000 };
  const game = client.game<BaiCaoTypes>(name, terms, { secrets });
  await game.open();
  await game.deal();
  const early = (await game.settle()).violations.map(({ code }) => code);
  await game.acceptEvent(game.event({ seat: 0, act: Act.SHOW }));
  const late = (await game.acceptEvent(game.event({ seat: 0, act: Act.SHOW }))).violations.map(({ code }) => code);
  client.close();

  const other = made();
  const resumed = await other.resume(table);
  if (resumed === undefined) {
    throw new Error("the journal has no round");
  }
  await resumed.acceptEvent(resumed.event({ seat: 1, act: Act.LEAVE }));
  await resumed.acceptEvent(resumed.event({ seat: 2, act: Act.SHOW }));
  const isOver = await resumed.isOver();
  const { outcome } = await resumed.settle();
  const { sections } = await resumed.reveal();
  const refused = (() => {
    try {
      other.game("whist", terms);
      return "";
    } catch (error) {
      return String(error);
    }
  })();
  printed[way] = {
    early,
    late,
    isOver,
    refused,
    kinds: resumed.course.links.map(({ event }) => kindOf(event)),
    receipted: resumed.receiptedEvents.length,
    hands: sections.slice(0, 3),
    nets: (outcome as BaiCaoTypes["outcome"]).seats.map(({ netMinor }) => Number(netMinor)),
    stage: resumed.stage,
  };
  other.close();
}
console.log(JSON.stringify(printed));
