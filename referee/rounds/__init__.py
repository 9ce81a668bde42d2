"""Rounds as tables: one row a round, seat, event, transfer and abort, read from a log's leaves and kept as Parquet.

Every leaf belongs to the log's signed checkpoint before a row of it is written. Only rounds that ended have rows.
"""
