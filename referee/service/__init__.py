"""gRPC servicers, one for each proto: each reads a request, calls a pure function and answers. No game rule is here.

"Refuse" in these docstrings means: raise RefusedError, which ends the call with a gRPC status.
"""
