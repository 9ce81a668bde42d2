"""The audit's report as one HTML page in Vietnamese and English, which needs nothing but a browser.

The page is made of a finished report and the leaves of a few rounds, and judges nothing. It loads nothing from
anywhere, everything in it that came from a log is escaped, and its size is bounded however long the log is.

``page`` renders it with ``page.html.j2``, ``macros.html.j2`` and ``page.css``; ``rendering`` has the template engine,
for the page of ``referee dispute`` as well. ``faults`` has the findings by cause, ``played`` rulesets
and money, ``story`` the course of a round, ``chart`` the data of the charts, ``words`` the texts of ``words.toml``.
``text`` is the report as lines for a terminal. Only ``rendering`` needs a template engine.
"""
