"""Wiring: builds the clock, the entropy, the keys, the store and the services, and serves them."""
