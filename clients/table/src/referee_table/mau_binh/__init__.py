"""Mậu Binh at the table."""
