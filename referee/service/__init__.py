"""One servicer a proto: a request in, a pure call, an answer out. No rule of a game and no byte of a format is here."""
