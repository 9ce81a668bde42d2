"""A quarrel about one round: what each file that somebody holds proves, who can have done it, what nobody can prove.

Every fault is a finding of the audit, and ``findings.toml`` says who can have caused it; nothing is judged a second
time here. ``held`` reads files, ``case`` reads the round from its bundle or its log, ``exhibit`` compares the two,
``limits`` has the conditions under which something cannot be proved, ``dispute`` puts the answer together, ``words``
has the texts of ``dispute.toml``, ``lines`` writes an answer as plain text and ``page`` as HTML.
"""
