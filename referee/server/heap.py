"""What a started process holds for good is left out of garbage collection.

The law: after the start, everything that stands (modules, rulesets, descriptors, servicers) is moved out of the
collector's sight once, so that each later collection walks only what calls have made since.

It refuses to know what is garbage; what a call leaves behind is collected as ever.
"""

import gc


def freeze_heap() -> int:
    """How many objects the collector will no longer walk."""
    gc.collect()
    gc.freeze()
    return gc.get_freeze_count()
