"""Messages to domain and back: the only place that trusts nothing it reads.

What a message may not say is refused here with the path of the field at fault, so that everything below works on
values that hold.
"""
