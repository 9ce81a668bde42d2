"""The law of each game, in a package of its own. None knows another, and none knows a network, a clock or a disk."""
