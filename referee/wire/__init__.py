"""Messages read into domain values and written from them: the trust boundary.

Nothing is trusted here: a message that has no meaning is refused with the path of the field at fault, so that the rooms
below work on valid values.
"""
