"""A server whose callers' tokens expire when a test moves its clock: tokens of its own issuer, and of a provider."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import grpc

from referee.server.settings.access import AccessSettings, Issuer
from referee.server.settings.caller_role import CallerRole
from referee.server.settings.provider import Provider
from tests.driver.refusal import ending_of
from tests.server.access.identity_provider import ISSUER, IdentityProvider, token_of
from tests.server.access.mint import NOW, Mint
from tests.server.http_server import Answering, http_server
from tests.waiting import until

KINDS: Final = ("own", "provider")
_LASTS: Final = 5


class Expiring:
    """The server's clock, its access control, and tokens that count for five seconds of that clock."""

    def __init__(self, provider: IdentityProvider) -> None:
        self.now = NOW
        self.handed_out = dict.fromkeys(KINDS, 0)
        self._mint = Mint()
        roles = {"card-dealer": CallerRole.FRONTEND}
        self.access = AccessSettings(
            leeway_seconds=0,
            issuers=(Issuer(key=self._mint.key),),
            providers=(
                Provider(
                    issuer=ISSUER,
                    audience="referee",
                    jwks=provider.url,
                    role_claim="/realm_access/roles",
                    roles=roles,
                    tenant_claim="org",
                ),
            ),
        )

    @property
    def settings(self) -> dict[str, Any]:
        """What ``server_options`` takes."""
        return {"access": self.access, "clock": lambda: self.now, "sweep": False}

    def wait_for_provider(self, address: str) -> None:
        """Wait until the server has the provider's keys, which it fetches on a thread of its own."""
        shown = [("authorization", f"Bearer {self.token('provider')}")]
        with grpc.insecure_channel(address) as channel:
            call: Any = channel.unary_unary("/referee.v1.LogService/GetCheckpoint")
            until(lambda: ending_of(call, b"", metadata=shown, timeout=30) == ("OK", ""))
        self.handed_out["provider"] = 0

    def token(self, kind: str) -> str:
        """Hand out a new frontend's token of the tenant acme."""
        self.handed_out[kind] += 1
        seconds = self.now // 1000
        times: dict[str, Any] = {"exp": seconds + _LASTS, ("nbf" if kind == "own" else "iat"): seconds - 1}
        return self._mint.token("frontend", **times) if kind == "own" else token_of(**times)

    def expire(self) -> str:
        """Move the clock until every token that was handed out has expired; return a word for who asks over HTTP."""
        return self.move((_LASTS + 1) * 1000)

    def move(self, ms: int) -> str:
        """Move the clock; far enough behind the log's newest leaf the server cannot write until it is right again."""
        self.now += ms
        return str(self.now)


@contextmanager
def token_service(expiring: Expiring) -> Iterator[str]:
    """Hand out tokens over HTTP for the block, under the name of their kind; ``expire`` moves the clock."""

    class Handler(Answering):
        def do_GET(self) -> None:  # noqa: N802 - its name in http.server
            ways: dict[str, Callable[[], str]] = {
                "/own": lambda: expiring.token("own"),
                "/provider": lambda: expiring.token("provider"),
                "/expire": expiring.expire,
                "/behind": lambda: expiring.move(-60_000),
                "/right": lambda: expiring.move(60_000),
            }
            self.answer(ways[self.path]().encode(), kind="text/plain")

    with http_server(Handler) as address:
        yield address
