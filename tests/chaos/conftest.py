"""What is not looked into for tests here."""

collect_ignore = ["guided.py"]  # needs a fuzzer that is no development tool
