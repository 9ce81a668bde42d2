"""Mutants of a file: Cosmic Ray's operators, one change each, and four operators of this project.

Of Cosmic Ray's operators those are left out that repeat another (of the eleven replacements of ``+`` one is kept), that
replace ``==`` by ``is``, and that change an annotation, a ``Protocol`` or how a class is declared. A change that does
not compile is no mutant.
"""

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import parso
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.ast.ast_query import ASTQuery
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator
from cosmic_ray.plugins import get_operator

from tests.mutation.rooms import ROOT

OF_COSMIC_RAY: Final = (
    *(
        f"ReplaceBinaryOperator_{pair}"
        for pair in (
            *("Add_Sub", "Sub_Add", "Mul_FloorDiv", "Div_Mul", "FloorDiv_Mul", "Mod_FloorDiv", "Pow_Mul"),
            *("RShift_LShift", "LShift_RShift", "BitOr_BitAnd", "BitAnd_BitOr", "BitXor_BitAnd"),
        )
    ),
    *(
        f"ReplaceComparisonOperator_{pair}"
        for pair in (
            *("Eq_NotEq", "NotEq_Eq", "Lt_LtE", "Lt_GtE", "LtE_Lt", "LtE_Gt", "Gt_GtE", "Gt_LtE", "GtE_Gt", "GtE_Lt"),
            *("Is_IsNot", "IsNot_Is"),
        )
    ),
    *("ReplaceUnaryOperator_USub_UAdd", "ReplaceUnaryOperator_Delete_Not", "ReplaceUnaryOperator_Delete_Invert"),
    *("AddNot", "ReplaceTrueWithFalse", "ReplaceFalseWithTrue", "ReplaceAndWithOr", "ReplaceOrWithAnd"),
    *("ReplaceBreakWithContinue", "ReplaceContinueWithBreak", "NumberReplacer", "RemoveDecorator"),
    "ZeroIterationForLoop",
)

DECLARED: Final = ("frozen", "kw_only", "slots")
"""Arguments of classes that mypy checks wherever the class is used."""

Node = Any
"""A node of parso's tree; parso exports no types for them."""


class _Own(Operator):  # type: ignore[misc] # Cosmic Ray ships no types
    @classmethod
    def examples(cls) -> tuple[()]:
        return ()


class RemoveCall(_Own):
    """A call whose value nobody takes, left out; mypy knows that ``assert_never`` is never called."""

    def mutation_positions(self, node: Node) -> Iterator[Any]:  # noqa: D102 - as Operator has it
        call = node.children[0] if node.type == "simple_stmt" else node
        if call is not node and call.type == "atom_expr" and _text(call.children[0]) != "assert_never":
            yield node.children[0].start_pos, node.children[0].end_pos

    def mutate(self, node: Node, _index: int) -> Node:  # noqa: D102 - as Operator has it
        node.children[0] = parso.parse(node.children[0].get_first_leaf().prefix + "pass")
        return node


class SkipBranch(_Own):
    """A branch that is never taken."""

    def mutation_positions(self, node: Node) -> Iterator[Any]:  # noqa: D102 - as Operator has it
        if node.type == "if_stmt":
            for place in _conditions(node):
                yield node.children[place].start_pos, node.children[place].end_pos

    def mutate(self, node: Node, index: int) -> Node:  # noqa: D102 - as Operator has it
        node.children[list(_conditions(node))[index]] = parso.parse(" False")
        return node


class SkipHandler(_Own):
    """A handler that catches nothing."""

    def mutation_positions(self, node: Node) -> Iterator[Any]:  # noqa: D102 - as Operator has it
        if node.type == "except_clause":
            yield node.children[1].start_pos, node.children[1].end_pos

    def mutate(self, node: Node, _index: int) -> Node:  # noqa: D102 - as Operator has it
        node.children[1] = parso.parse(" ()")
        return node


class SwapMembership(_Own):
    """Membership negated."""

    def mutation_positions(self, node: Node) -> Iterator[Any]:  # noqa: D102 - as Operator has it
        if node.type == "comparison" and len(node.children) == 3 and _text(node.children[1]) in {"in", "not in"}:
            yield node.children[1].start_pos, node.children[1].end_pos

    def mutate(self, node: Node, _index: int) -> Node:  # noqa: D102 - as Operator has it
        node.children[1] = parso.parse(" not in" if _text(node.children[1]) == "in" else " in")
        return node


def _conditions(node: Node) -> Iterator[int]:
    for place, child in enumerate(node.children):
        if getattr(child, "value", "") in {"if", "elif"}:
            yield place + 1


def _text(node: Node) -> str:
    return " ".join(node.get_code().split())


OPERATORS: Final = (
    *((name, get_operator(f"core/{name}")) for name in OF_COSMIC_RAY),
    *((operator.__name__, operator) for operator in (RemoveCall, SkipBranch, SkipHandler, SwapMembership)),
)


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one file."""

    path: Path
    operator: str
    occurrence: int
    first: int
    """First line that changes, from 1."""
    last: int
    key: str
    """Name that stays as long as the changed line and its function do."""

    @property
    def module(self) -> str:
        """Dotted name of the mutated module."""
        parts = self.path.relative_to(ROOT).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def order(self) -> bytes:
        """What mutants are sorted by: a hash, so that any first part of them is a random sample."""
        return hashlib.sha256(self.key.encode()).digest()

    def source(self) -> str | None:
        """Return the mutated source, or None if it does not compile."""
        mutated: str = mutate_code(self.path.read_text(), dict(OPERATORS)[self.operator](), self.occurrence)
        try:
            ast.parse(mutated)
        except SyntaxError:
            return None
        return mutated


def mutants_of(path: Path) -> list[Mutant]:
    """Return the mutants of a file, also those that do not compile."""
    source = path.read_text()
    lines, tree = source.splitlines(), get_ast(source)
    nodes, same, found = list(ast_nodes(tree)), Counter[str](), []
    for name, operator in OPERATORS:
        tried = operator()
        places = [(node, place) for node in nodes for place in tried.mutation_positions(node)]
        for occurrence, (node, ((first, _), (last, _))) in enumerate(places):
            if _is_annotation(node) or _is_declaration(node) or _is_of_a_protocol(node):
                continue
            function = ASTQuery(node).get_definition_name() or ""
            key = f"{path.relative_to(ROOT)} {function} {name} {lines[first - 1].strip()}"
            same[key] += 1
            found.append(Mutant(path, name, occurrence, first, last, f"{key} #{same[key]}"))
    return found


def changed_lines(mutant: Mutant, mutated: str) -> tuple[str, str]:
    """Return the line that changed, before and after."""
    before, after = mutant.path.read_text().splitlines(), mutated.splitlines()
    if len(after) == len(before):
        for old, new in zip(before, after, strict=True):
            if old != new:
                return old.strip(), " ".join(new.split())
    return before[mutant.first - 1].strip(), "(removed)"


def _is_declaration(node: Node) -> bool:
    return node.parent is not None and node.parent.type == "argument" and _text(node.parent.children[0]) in DECLARED


def _is_of_a_protocol(node: Node) -> bool:
    """Return whether a node is a decorator in a class that says no more than types."""
    parent = node.parent
    while parent is not None and parent.type != "classdef":
        parent = parent.parent
    return node.type == "decorator" and parent is not None and "Protocol" in _text(parent).partition(":")[0]


def _is_annotation(node: Node) -> bool:
    child, parent = node, node.parent
    while parent is not None:
        if (
            parent.type == "tfpdef"
            or (parent.type == "funcdef" and child is parent.annotation)
            or (parent.type == "annassign" and child is parent.children[1])
        ):
            return True
        child, parent = parent, parent.parent
    return False
