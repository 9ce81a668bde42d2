"""A problem with a setting."""

import msgspec


class SettingProblem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is wrong with one key, such as ``tls.certificate``; secrets are never quoted.

    ``what`` continues after the key; ``remedy`` is an instruction.

    >>> print(SettingProblem("serve.threads", "is 0, but at least one thread is needed", "give a number from 1 to 256"))
    serve.threads is 0, but at least one thread is needed; give a number from 1 to 256
    """

    key: str
    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.key} {self.what}; {self.remedy}"
