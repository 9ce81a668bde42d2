"""The scripts here write vectors; they are no tests."""

collect_ignore_glob = ["dealing_*.py"]
