"""Mutation testing runs in an environment of its own: nothing here is imported by the tests."""

collect_ignore_glob = ["[!t]*.py", "trial.py"]
