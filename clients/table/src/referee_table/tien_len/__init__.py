"""Tiến Lên at the table."""
