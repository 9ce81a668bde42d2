"""Mutation testing of rooms: run ``make mutants ROOM=transcript``; a run that was stopped goes on where it was.

Cosmic Ray tries the mutants in a copy of the tree and in random order. ``--survivors`` prints
those that nothing explains, and ``--score`` writes SCORE.md.
"""

# ruff: noqa: T201 - a command that prints

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from cosmic_ray.config import serialize_config

from tests.mutation.choice import skip_others
from tests.mutation.rooms import ROOMS, ROOT, Room
from tests.mutation.score import open_survivors, write_score


def run(room: Room) -> None:
    """Try the mutants of a room that have no result yet."""
    tree, config = room.folder / "tree", room.folder / "config.toml"

    def cosmic_ray(*command: str) -> None:
        environment = {
            **os.environ,
            "PYTHONPATH": str(tree),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }
        subprocess.run([sys.executable, "-m", *command], cwd=tree, env=environment, check=True)

    if not room.session.exists():
        shutil.rmtree(room.folder, ignore_errors=True)
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout  # noqa: S607 - the checkout's own git
        for name in filter(None, listed.split("\0")):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / name).is_file():
                shutil.copy2(ROOT / name, tree / name)
        config.write_text(serialize_config(room.config), "utf-8")
        made = room.session.with_suffix(".new")
        cosmic_ray("cosmic_ray.cli", "baseline", str(config))
        cosmic_ray("cosmic_ray.cli", "init", str(config), str(made))
        cosmic_ray("cosmic_ray.tools.filters.operators_filter", str(made), str(config))
        skip_others(made)
        made.rename(room.session)
    cosmic_ray("cosmic_ray.cli", "exec", str(config), str(room.session))


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("room", nargs="*", choices=[*ROOMS, []], help="the rooms; none: all of them")
    parser.add_argument("--survivors", action="store_true", help="print survivors that nothing explains")
    parser.add_argument("--score", action="store_true", help="write SCORE.md")
    asked = parser.parse_args()
    os.chdir(ROOT)
    rooms = [ROOMS[name] for name in asked.room or ROOMS]
    if asked.score:
        write_score(rooms)
    for room in rooms:
        if not (asked.survivors or asked.score):
            run(room)
        for one in open_survivors(room):
            print(f"{one.path}:{one.line}\n  {one.before}\n  {one.after}")


main()
