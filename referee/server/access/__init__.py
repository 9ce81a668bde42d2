"""Access control: callers, their roles and their tables."""
