"""What lives at the start is not walked again by the garbage collector; what calls leave behind is."""

import gc
import weakref

from referee.server.app import freeze_heap


class Leaf:
    """Something that can be part of a cycle."""

    itself: "Leaf"


def test_objects_of_the_start_are_left_out_and_what_comes_later_is_collected():
    early = [Leaf() for _ in range(1000)]
    try:
        assert freeze_heap() >= len(early)
        assert len(gc.get_objects()) < len(early)
        later = Leaf()
        later.itself = later
        gone = weakref.ref(later)
        del later
        gc.collect()
        assert gone() is None
    finally:
        gc.unfreeze()
