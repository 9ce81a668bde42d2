// The same round of singles on Colyseus: `serve` or `drive PORT MATCHES`; see boardgame.cjs.
// The state is a schema whose changes are sent every 50 ms, the default; each move is also answered at once.
"use strict";
const SEATS = 4;

function room() {
  const { Room } = require("@colyseus/core");
  const { schema } = require("@colyseus/schema");
  const Hand = schema({ cards: ["number"] });
  const State = schema({ hands: [Hand], pile: "number", passed: "number", turn: "number" });
  return class extends Room {
    onCreate() {
      const deck = [...Array(52).keys()];
      for (let i = 51; i > 0; i--) {
        const j = Math.floor(Math.random() * (i + 1));
        [deck[i], deck[j]] = [deck[j], deck[i]];
      }
      this.state = new State();
      for (let seat = 0; seat < SEATS; seat++) {
        const hand = new Hand();
        hand.cards.push(...deck.slice(seat * 13, seat * 13 + 13));
        this.state.hands.push(hand);
      }
      Object.assign(this.state, { pile: -1, passed: 0, turn: 0 });
      this.onMessage("move", (client, { seat, card }) => {
        const { state } = this;
        if (seat !== state.turn) return client.send("refused", "turn");
        if (card === undefined) {
          state.passed += 1;
          if (state.passed === SEATS - 1) Object.assign(state, { pile: -1, passed: 0 });
        } else {
          const { cards } = state.hands[seat];
          const at = cards.indexOf(card);
          if (at < 0 || card <= state.pile) return client.send("refused", "card");
          cards.splice(at, 1);
          Object.assign(state, { pile: card, passed: 0 });
        }
        state.turn = (seat + 1) % SEATS;
        return client.send("moved", { turn: state.turn, pile: state.pile });
      });
      this.onMessage("hands", (client) => client.send("hands", this.state.hands.map((hand) => [...hand.cards])));
    }
  };
}

async function serve() {
  const write = process.stdout.write.bind(process.stdout);
  console.info = console.log = () => undefined;
  process.stdout.write = () => true;
  const http = require("node:http");
  const { Server } = require("@colyseus/core");
  const { WebSocketTransport } = require("@colyseus/ws-transport");
  const server = http.createServer();
  const game = new Server({ transport: new WebSocketTransport({ server }), greet: false });
  game.define("singles", room());
  await game.listen(0, "127.0.0.1");
  write(`${server.address().port}\n`);
  process.stdin.on("end", () => process.exit(0));
  process.stdin.on("data", () => {
    const { user, system } = process.cpuUsage();
    write(`${user + system}\n`);
  });
}

async function play(port) {
  const { Client } = require("colyseus.js");
  const one = await new Client(`http://127.0.0.1:${port}`).create("singles");
  let moves = 0;
  return new Promise((resolve, reject) => {
    let hands;
    const next = ({ turn, pile }) => {
      if (hands.some((hand) => hand.length === 0)) {
        one.leave();
        resolve(moves);
        return;
      }
      const higher = hands[turn].filter((card) => card > pile);
      const plays = higher.length > 0 && (pile < 0 || Math.random() < 0.6);
      const card = plays ? higher[Math.floor(Math.random() * higher.length)] : undefined;
      if (plays) hands[turn] = hands[turn].filter((held) => held !== card);
      moves += 1;
      one.send("move", { seat: turn, card });
    };
    one.onMessage("hands", (dealt) => {
      hands = dealt;
      next({ turn: 0, pile: -1 });
    });
    one.onMessage("moved", next);
    one.onMessage("refused", (why) => reject(new Error(why)));
    one.send("hands");
  });
}

async function drive(port, matches) {
  const moves = await Promise.all([...Array(matches).keys()].map(() => play(port)));
  process.stdout.write(`${moves.reduce((sum, count) => sum + count, 0)}\n`);
  process.exit(0);
}

const [mode, first, second] = process.argv.slice(2);
if (mode === "serve") serve();
else drive(Number(first), Number(second));
