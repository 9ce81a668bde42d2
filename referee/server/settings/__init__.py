"""Settings of a server: the sections of its configuration, and how they are read from a file, variables and flags."""
