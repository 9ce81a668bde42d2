"""Settings of advice: where it is computed, and for how long."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from referee.server.settings.problem import SettingProblem

OFF: Final = "off"


class AdviceSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Section ``[advice]``: the process that computes what AdviceService is asked."""

    address: str = ""
    """Address of a process that advises (`referee advise`), as 10.0.0.7:50061 or unix:/path; empty for one that each
    server process starts with the first question; off for no advice."""
    seconds: Annotated[float, Meta(ge=0.1, le=3600)] = 20
    """Seconds that a call for advice may take, waiting included; then its computation is stopped."""
    token: str = ""
    """File with the token that the process at the address asks for; needed unless the address is a Unix socket."""
    ca: str = ""
    """PEM file with the authorities of that process's certificate; empty for no TLS."""
    certificate: str = ""
    """PEM file with this server's client certificate for that process; empty for none."""
    key: str = ""
    """PEM file with its private key."""

    @property
    def has_address(self) -> bool:
        """Whether another command runs the process."""
        return bool(self.address) and self.address != OFF

    def problems(self) -> Iterator[SettingProblem]:
        """Yield what prevents serving with these settings."""
        for name in ("token", "ca", "certificate", "key"):
            path = getattr(self, name)
            if path and not self.has_address:
                yield SettingProblem(f"advice.{name}", "is set without a process at advice.address", "leave it out")
            elif path and not Path(path).is_file():
                yield SettingProblem(f"advice.{name}", f"is {path}, which is no file", "name a file")
        if self.has_address and not (self.token or self.certificate or self.address.startswith("unix:")):
            what = "is empty, but advice.address is open to others"
            yield SettingProblem("advice.token", what, "name a file with a token")
        if self.has_address and (bool(self.certificate) != bool(self.key) or (self.certificate and not self.ca)):
            yield SettingProblem("advice.certificate", "goes with advice.key and advice.ca", "set all three")
