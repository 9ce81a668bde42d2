"""Commands that succeed, for tests that read what they print."""

from tests.command import referee


def printed(*arguments: object, **environment: str) -> str:
    """Run a command that ends with exit code 0; return what it prints."""
    done = referee(*arguments, **environment)
    assert done.returncode == 0, (arguments, done.stdout, done.stderr)
    return done.stdout
