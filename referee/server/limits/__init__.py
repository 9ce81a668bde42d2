"""Limits on what callers take: calls a second and concurrent calls."""
