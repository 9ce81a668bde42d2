"""stub"""


def replay(): ...
