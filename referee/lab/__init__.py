"""Exact counts and measurements: ``odds`` of the games under a ruleset, ``fairness`` of the shuffle."""
