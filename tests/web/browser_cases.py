"""What a browser must be able to do by whichever way it reaches the service; the client is the same for all.

Each case is JavaScript run in a page of another origin, given ``connect``, which makes clients, and ``keys``; what it
returns is compared. A way is a base address, so that the cases run before the gateway, before Envoy, and before
whatever an operator puts there.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

PRELUDE: Final = """async ({ base, keys, options }) => {
  const client = await import("referee-client");
  const { connectWeb } = await import("referee-client/web");
  const { Code, refusalOf } = client;
  const referee = connectWeb({ baseUrl: base, ...options });
  const refused = async (call) => {
    try {
      await call;
    } catch (error) {
      const { code, reason, fields, requestId } = refusalOf(error);
      return { code: Code[code], reason, fields: fields.map((one) => one.path), requestId };
    }
    return "answered";
  };
"""


@dataclass(frozen=True)
class Case:
    """A name, a script, and what it is to return."""

    name: str
    script: str
    expected: Any

    @property
    def whole(self) -> str:
        """The script as a page runs it."""
        return PRELUDE + self.script + "}"


CASES: Final = (
    Case(
        "unary",
        """
  const { rulesets } = await referee.rulesets.listRulesets({});
  return rulesets.map((one) => one.rulesetId).includes("mau_binh.classic");
""",
        expected=True,
    ),
    Case(
        "stream",
        """
  const seen = [];
  const leaving = new AbortController();
  try {
    for await (const { status } of referee.health.watch({}, { signal: leaving.signal })) {
      seen.push(status);
      leaving.abort();
    }
  } catch (error) {
    seen.push(Code[refusalOf(error).code]);
  }
  return seen;
""",
        expected=[1, "Canceled"],
    ),
    Case(
        "refusal with code, reason, field and request id",
        """
  return refused(referee.log.getTableRound(
    { round: { tableId: "nobody", roundNumber: 1n } },
    { headers: { "x-request-id": "from-the-page" } },
  ));
""",
        expected={
            "code": "FailedPrecondition",
            "reason": "NOT_OPENED",
            "fields": ["round.round_number"],
            "requestId": "from-the-page",
        },
    ),
    Case(
        "large question",
        """
  const rulesetId = "x".repeat(900_000);
  const { code, reason } = await refused(referee.rulesets.getRuleset({ rulesetId }));
  return [code, reason];
""",
        expected=["NotFound", "UNKNOWN_RULESET"],
    ),
    Case(
        "question that is too large",
        """
  const rulesetId = "x".repeat(1_200_000);
  const { code, reason } = await refused(referee.rulesets.getRuleset({ rulesetId }));
  return [code, reason];
""",
        expected=["ResourceExhausted", "MESSAGE_TOO_LARGE"],
    ),
    Case(
        "deadline",
        """
  const watching = async () => {
    for await (const _ of referee.health.watch({}, { timeoutMs: 1500 })) {}
  };
  return (await refused(watching())).code;
""",
        expected="DeadlineExceeded",
    ),
    Case(
        "round that is dealt, settled, revealed and verified in the page",
        """
  const { verifyReceipt, verifyRound } = await import("referee-client/verify");
  const tableId = `page-${crypto.randomUUID()}`;
  const terms = {
    tableId, rulesetId: "mau_binh.classic", seatCount: 2, currency: "CHIP", stakeMinor: 10n,
  };
  const opened = await referee.shuffler.openRound({ round: { case: "terms", value: terms } });
  const { round } = opened.header;
  const clientSeeds = [1, 2].map(() => crypto.getRandomValues(new Uint8Array(32)));
  const dealt = await referee.shuffler.dealRound({ round, clientSeeds });
  const played = { header: opened.header, certificates: [dealt.certificate] };
  const { violations } = await referee.mauBinh.previewRound({ round: played });
  const events = violations.length === 0 ? [] : dealt.hands.map(({ seat, cards }) => ({
    time: dealt.dealtTime,
    seat,
    choice: {
      case: "arrange",
      value: { back: cards.slice(0, 5), middle: cards.slice(5, 10), front: cards.slice(10) },
    },
  }));
  const { logReceipt, outcome } = await referee.mauBinh.settleRound({ round: { ...played, events } });
  await referee.shuffler.revealRound({ round });
  const receipt = verifyReceipt(logReceipt, keys);
  const foreign = verifyReceipt({ ...logReceipt, leaf: new Uint8Array(3) }, keys);
  const whole = await verifyRound(referee, keys, { tableId, roundNumber: 1n }, { now: Date.now() });
  const sum = outcome.seats.reduce((all, one) => all + one.netMinor, 0n);
  return { receipt: receipt.passed, foreign: foreign.passed, round: whole.passed, sum: String(sum) };
""",
        expected={"receipt": True, "foreign": False, "round": True, "sum": "0"},
    ),
    Case(
        "header that is not allowed, which the browser keeps back",
        """
  const elsewhere = await fetch(base + "/referee.v1.LogService/GetKeys", {
    method: "POST",
    headers: { "content-type": "application/grpc-web+proto", "x-never-allowed": "1" },
    body: new Uint8Array(5),
  }).then(() => "asked", () => "kept back by the browser");
  return elsewhere;
""",
        expected="kept back by the browser",
    ),
)


def script_of(case: Case, base: str, keys: Mapping[str, str], **options: Any) -> list[Any]:  # noqa: ANN401 - the client's own options
    """Return the argument of ``page.evaluate``."""
    return [case.whole, {"base": base, "keys": dict(keys), "options": options}]
