"""gRPC servicers, one for each proto: each reads a request, calls a pure function and answers. No game rule is here."""
