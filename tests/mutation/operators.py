"""Four operators that Cosmic Ray lacks."""

from collections.abc import Iterator
from typing import Any

import parso
from cosmic_ray.operators.operator import Operator

Node = Any
"""A node of parso's tree; parso exports no types for them."""


class _Own(Operator):  # type: ignore[misc] # Cosmic Ray ships no types
    """Puts other code in place of some children of a node."""

    new = ""

    @classmethod
    def examples(cls) -> tuple[()]:
        return ()

    def mutation_positions(self, node: Node) -> Iterator[Any]:
        yield from ((node.children[at].start_pos, node.children[at].end_pos) for at in self.places(node))

    def mutate(self, node: Node, index: int) -> Node:
        at = list(self.places(node))[index]
        node.children[at] = parso.parse(node.children[at].get_first_leaf().prefix + self.code(node.children[at]))
        return node

    def code(self, _: Node) -> str:
        return self.new

    def places(self, node: Node) -> Iterator[int]:
        raise NotImplementedError


class RemoveCall(_Own):
    """A call whose value nobody takes, left out; mypy knows that ``assert_never`` is never called."""

    new = "pass"

    def places(self, node: Node) -> Iterator[int]:  # noqa: D102 - as _Own has it
        call = node.children[0] if node.type == "simple_stmt" else node
        if call is not node and call.type == "atom_expr" and text_of(call.children[0]) != "assert_never":
            yield 0


class SkipBranch(_Own):
    """A branch that is never taken."""

    new = "False"

    def places(self, node: Node) -> Iterator[int]:  # noqa: D102 - as _Own has it
        for at, child in enumerate(node.children if node.type == "if_stmt" else ()):
            if getattr(child, "value", "") in {"if", "elif"}:
                yield at + 1


class SkipHandler(_Own):
    """A handler that catches nothing."""

    new = "()"

    def places(self, node: Node) -> Iterator[int]:  # noqa: D102 - as _Own has it
        if node.type == "except_clause":
            yield 1


class SwapMembership(_Own):
    """Membership negated."""

    def places(self, node: Node) -> Iterator[int]:  # noqa: D102 - as _Own has it
        if node.type == "comparison" and len(node.children) == 3 and text_of(node.children[1]) in {"in", "not in"}:
            yield 1

    def code(self, node: Node) -> str:  # noqa: D102 - as _Own has it
        return "not in" if text_of(node) == "in" else "in"


class Provider(dict[str, type[Operator]]):
    """What Cosmic Ray finds these operators by."""

    def __init__(self) -> None:
        super().__init__({one.__name__: one for one in (RemoveCall, SkipBranch, SkipHandler, SwapMembership)})


def text_of(node: Node) -> str:
    """Return the code of a node, its spaces made one."""
    return " ".join(node.get_code().split())
