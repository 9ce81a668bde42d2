"""Code generated from protos/, never edited: ``make protos`` writes it and a test compares."""
