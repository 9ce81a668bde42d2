"""Ultimate Texas Hold'em at the table."""
