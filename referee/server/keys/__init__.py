"""Keys of a server: private keys in files or in a signing agent, the keys that the log names, and their changes."""
