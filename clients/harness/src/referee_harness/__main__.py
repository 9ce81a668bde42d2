"""``python -m referee_harness``."""

from referee_harness.command import main

main()
