"""What the commands count beforehand: ``odds`` of the games under a ruleset, and ``fairness`` of the shuffle."""
