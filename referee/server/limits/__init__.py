"""Limits on what callers take: calls a second, concurrent calls, and advice."""
