"""placeholder."""


def main(sizes):
    return
