"""Bài Cào: each seat has three cards and plays against the dealer, seat 0, for the stake.

| here | Vietnamese | what it is |
|---|---|---|
| dealer | nhà cái | seat 0, with whom every other seat compares |
| three faces | *ba tiên* | three of J, Q and K, which beat every other hand |
| points | *nút* | the last digit of the sum of a hand's cards |
| show | *lật bài* | a seat turns its cards up |
"""
