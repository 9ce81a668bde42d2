"""Edits of a tree of plain values, small enough to be kept as JSON.

======================  ===================================================================
``["set", path, v]``    put a value at a path, whatever is there
``["del", path]``       leave a member or item out
``["dup", path]``       put an item in again behind itself
``["swap", a, b]``      let two values change places
``["copy", a, b]``      put the value of one path at another
``["move", a, b]``      take an item out and put it in at another place of the same list
======================  ===================================================================

An edit whose path is not there changes nothing, so that kept edits outlive a change of their base.
"""

import copy
from collections.abc import Sequence
from typing import Any

Path = list[Any]
Edit = list[Any]
Tree = dict[str, Any]


def apply(tree: Tree, edits: Sequence[Edit]) -> Tree:
    """Return the tree after these edits."""
    tree = copy.deepcopy(tree)
    for edit in edits:
        try:
            _apply(tree, edit)
        except (KeyError, IndexError, TypeError, AttributeError):
            continue
    return tree


def _apply(tree: Tree, edit: Edit) -> None:
    match edit:
        case ["set", [*path, name], value]:
            holder = at(tree, path)
            if isinstance(holder, list) and name == len(holder):
                holder.append(copy.deepcopy(value))
            else:
                holder[name] = copy.deepcopy(value)
        case ["del", [*path, name]]:
            del at(tree, path)[name]
        case ["dup", [*path, name]]:
            at(tree, path).insert(name + 1, copy.deepcopy(at(tree, path)[name]))
        case ["swap", [*path, name], [*other, again]]:
            one, two = at(tree, path), at(tree, other)
            one[name], two[again] = two[again], one[name]
        case ["copy", path, [*other, again]]:
            at(tree, other)[again] = copy.deepcopy(at(tree, path))
        case ["move", [*path, name], [*_, again]]:
            items = at(tree, path)
            items.insert(again, items.pop(name))


def at(tree: Any, path: Path) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value at a path; raise KeyError, IndexError or TypeError where there is none."""
    for name in path:
        tree = tree[name]
    return tree


def places(value: object, path: tuple[Any, ...] = ()) -> list[Path]:
    """List the paths of all members and items in a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found: list[Path] = []
    for name, member in items:
        found.append([*path, name])
        found += places(member, (*path, name))
    return found
