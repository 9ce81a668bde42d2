"""The audit's report as one page for people: a file that needs nothing but a browser, in Vietnamese and English.

The law: the page is made of a finished report and a few rounds' leaves, and judges nothing. It loads nothing from
anywhere, everything in it that came from a log is escaped, and its size is bounded however long the log is; what is
left out is said.

==============  ==================================================================================
module          what it says
==============  ==================================================================================
``page``        the whole: a report and its log in, text out
``album``       the leaves of the rounds that are shown
``story``       a round as it went
``chart``       what the charts are drawn from
``words``       the words, in both languages
==============  ==================================================================================

``page`` alone takes a template engine, and is imported where a page is asked for. ``page.html.j2`` and ``page.css``
are what it looks like; ``words.toml`` and ``findings.vi.toml`` what it says.
"""
