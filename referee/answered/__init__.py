"""Questions whether owners of seats arranged as if they knew other hands, exact under a fair shuffle.

Nothing of the judge imports this room. It needs numpy and the card tables of the advice; what an audit of the base
package knows of it are the answers' words (``referee.suspicion.answers``). [The page](README.md) is for operators.

================  ============================================================================
``reader``        ``Answered``: the questions of one audit
``choices``       what a round's seats held and chose, and the growth of stakes on that
``swap``          the e-value of one choice
``values``        values of arrangements if another hand were known
``tables``        the rulesets that can be valued
``work``          scoring in other processes
``stakes``        stakes of many pairs in little memory
``scored``        the file of scored rounds
``settings``      who may know whose cards
================  ============================================================================
"""
