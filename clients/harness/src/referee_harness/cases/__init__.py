"""Cases: rounds and calls as data, with what must come of them; any client's program can be asked the same.

A case is some lines of a file of JSON lines: a line with its head, and a line for each step. ``tests/cases/README.md``
shows how to write one. ``rows`` reads them, ``engine`` runs a case by a driver, and ``wire`` is the driver that makes
calls.
"""
