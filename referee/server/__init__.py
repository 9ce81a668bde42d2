"""The server: one process, its settings, keys, limits and checks."""
