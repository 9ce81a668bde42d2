"""Which changes of Cosmic Ray's operators are mutants."""

import ast
import itertools
from functools import cache
from pathlib import Path
from typing import Final

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator
from cosmic_ray.work_db import use_db
from cosmic_ray.work_item import MutationSpec, WorkerOutcome, WorkResult

from tests.mutation.operators import Node, text_of

_DECLARED: Final = ("frozen", "kw_only", "slots")
"""Arguments of classes that mypy checks wherever the class is used."""


def skip_others(session: Path) -> None:
    """Mark the changes of a session that are no mutants as skipped."""
    with use_db(str(session)) as db:
        others = [item.job_id for item in db.pending_work_items if not is_mutant(item.mutations[0])]
        db.set_multiple_results(others, WorkResult(worker_outcome=WorkerOutcome.SKIPPED))


@cache
def nodes_of(source: str) -> list[Node]:
    """Return the nodes of a source."""
    return list(ast_nodes(get_ast(source)))


def is_mutant(change: MutationSpec) -> bool:
    """Say whether a change compiles, and is not of an annotation, a ``Protocol`` or how a class is declared."""
    source, operator = Path(change.module_path).read_text("utf-8"), get_operator(change.operator_name)()
    try:
        ast.parse(mutate_code(source, operator, change.occurrence))
    except SyntaxError:
        return False
    positions = (one for one in nodes_of(source) for _ in operator.mutation_positions(one))
    node = next(itertools.islice(positions, change.occurrence, None))
    return not (_is_annotation(node) or _is_declaration(node) or _is_of_a_protocol(node))


def _is_declaration(node: Node) -> bool:
    return node.parent is not None and node.parent.type == "argument" and text_of(node.parent.children[0]) in _DECLARED


def _is_of_a_protocol(node: Node) -> bool:
    """Return whether a node is a decorator in a class that says no more than types."""
    parent = node.search_ancestor("classdef") if node.type == "decorator" else None
    return parent is not None and "Protocol" in text_of(parent).partition(":")[0]


def _is_annotation(node: Node) -> bool:
    child, parent = node, node.parent
    while parent is not None:
        of_function = parent.type == "funcdef" and child is parent.annotation
        of_variable = parent.type == "annassign" and child is parent.children[1]
        if parent.type == "tfpdef" or of_function or of_variable:
            return True
        child, parent = parent, parent.parent
    return False
