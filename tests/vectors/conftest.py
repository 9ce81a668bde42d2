"""Scripts that write vectors, and the third verifier: no tests."""

collect_ignore_glob = ["independent_*.py", "written_*.py"]
