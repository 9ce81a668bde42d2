// A round of singles on boardgame.io: `serve memory|FOLDER` or `drive PORT MATCHES`.
// The move checks that the seat holds the card and beats the pile, and nothing else; no hand is hidden.
// The server answers each line of its standard input with its CPU in microseconds.
"use strict";
const SEATS = 4;

const game = {
  name: "singles",
  setup: ({ random }) => {
    const deck = random.Shuffle([...Array(52).keys()]);
    return { hands: [0, 1, 2, 3].map((seat) => deck.slice(seat * 13, seat * 13 + 13)), pile: -1, passed: 0 };
  },
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    play: ({ G, ctx }, card) => {
      const hand = G.hands[ctx.currentPlayer];
      if (!hand.includes(card) || card <= G.pile) return "INVALID_MOVE";
      hand.splice(hand.indexOf(card), 1);
      G.pile = card;
      G.passed = 0;
    },
    pass: ({ G }) => {
      G.passed += 1;
      if (G.passed === SEATS - 1) {
        G.pile = -1;
        G.passed = 0;
      }
    },
  },
  endIf: ({ G, ctx }) => (G.hands[ctx.currentPlayer].length === 0 ? { winner: ctx.currentPlayer } : undefined),
};

async function serve(store) {
  console.info = console.log = () => undefined;
  const { Server, FlatFile } = require("boardgame.io/server");
  const db = store === "memory" ? undefined : new FlatFile({ dir: store });
  const server = Server({ games: [game], origins: [/127\.0\.0\.1/], ...(db ? { db } : {}) });
  const running = await server.run({ port: 0 });
  process.stdout.write(`${running.appServer.address().port}\n`);
  process.stdin.on("end", () => process.exit(0));
  process.stdin.on("data", () => {
    const { user, system } = process.cpuUsage();
    process.stdout.write(`${user + system}\n`);
  });
}

function play(io, port, matchID) {
  return new Promise((resolve, reject) => {
    const socket = io(`http://127.0.0.1:${port}/${game.name}`, { transports: ["websocket"], forceNew: true });
    let moves = 0;
    const next = (state) => {
      if (state.ctx.gameover) {
        socket.close();
        resolve(moves);
        return;
      }
      const seat = state.ctx.currentPlayer;
      const higher = state.G.hands[seat].filter((card) => card > state.G.pile);
      const plays = higher.length > 0 && (state.G.pile < 0 || Math.random() < 0.6);
      const [type, args] = plays ? ["play", [higher[Math.floor(Math.random() * higher.length)]]] : ["pass", []];
      moves += 1;
      const action = { type: "MAKE_MOVE", payload: { type, args, playerID: seat, credentials: undefined } };
      socket.emit("update", action, state._stateID, matchID, seat);
    };
    socket.on("connect_error", reject);
    socket.on("connect", () => socket.emit("sync", matchID, "0", undefined, SEATS));
    socket.on("sync", (_match, info) => next(info.state));
    socket.on("update", (_match, state) => next(state));
  });
}

async function drive(port, matches) {
  const { io } = require("socket.io-client");
  const moves = await Promise.all([...Array(matches).keys()].map((n) => play(io, port, `m-${process.pid}-${n}`)));
  process.stdout.write(`${moves.reduce((sum, count) => sum + count, 0)}\n`);
  process.exit(0);
}

const [mode, first, second] = process.argv.slice(2);
if (mode === "serve") serve(first);
else drive(Number(first), Number(second));
