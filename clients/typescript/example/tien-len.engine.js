// A round of Tien Len in an engine such as Cocos Creator: dist/referee.engine.js is loaded first, as a plugin script, and
// nothing is used of the engine but XMLHttpRequest. This file is a script of ES2019 without modules.
//
// An engine without `crypto` brings its random bytes itself: mix in what a player does, the times and places of touches,
// before the first round. Seats that sign with keys need the random bytes of the system.
function playRound(address, table, entropy, report) {
  var client = Referee.connect(address, { entropy: entropy });
  var game = client.tienLen({ table: table, ruleset: "tien_len.mien_nam", seats: 4, stake: 100 });

  function step() {
    return game.plays().then(function (options) {
      if (options.turn === undefined) {
        return game.settle();
      }
      var first = options.plays[0]; // where your players choose
      var move = first ? game.play(options.turn, first.cards) : game.passTurn(options.turn);
      return move.then(step);
    });
  }

  return game
    .open()
    .then(function () {
      return game.deal();
    })
    .then(function (hands) {
      report("seat 0 holds " + Referee.spell(hands.get(0)));
      return step();
    })
    .then(function (settled) {
      settled.outcome.seats.forEach(function (seat) {
        report("seat " + seat.seat + " nets " + seat.netMinor);
      });
      return game.reveal();
    })
    .then(function () {
      report("every card was dealt from the seeds that were committed to");
    });
}
