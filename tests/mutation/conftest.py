"""Files that run in an environment of their own, which the tests' one lacks."""

collect_ignore = ["__main__.py", "choice.py", "mutants.py", "trial.py"]
