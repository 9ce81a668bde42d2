"""What is wrong with a setting: which one, what it says, and what to do about it.

The law: a problem names its key as it is written in the configuration, such as ``tls.certificate``, so that whoever
reads the files, variables and flags can say where it came from. It never quotes a secret.

>>> print(SettingProblem("serve.threads", "is 0, but at least one thread must answer", "give a number from 1 to 256"))
serve.threads is 0, but at least one thread must answer; give a number from 1 to 256
"""

import msgspec


class SettingProblem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that cannot be served with. ``what`` goes on after the key; ``remedy`` is an instruction."""

    key: str
    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.key} {self.what}; {self.remedy}"
