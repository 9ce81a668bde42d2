"""One server process: how it starts, what it serves and measures, and how it stops."""
