"""Functions that parse without a reader of bytes from outside, each under the reason why that is safe."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

PARSING: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "they are the readers themselves": (
            "referee.evidence.canonical:Form.__init__",
            "referee.evidence.dsse:",
            "referee.evidence.outside:_decoder",
            "referee.evidence.outside:read_toml",
            "referee.games.codec:EventCodec.__init__",
            "referee.transcript.inputs:",
        ),
        "the caller refuses their OutsideError, a ValueError, as it refuses others": (
            "referee.rounds.reading:_events",
            "referee.rounds.reading:_settled",
            "referee_client.playing:PlayedRound._sent_event",
            "referee_client.resuming:ResumableRound._take_recorded",
        ),
        "the bytes are files of the package": (
            "referee.audit.dispute.words:dispute_words",
            "referee.audit.explanation:_explanations",
            "referee.log.installed:_is_checkout",
            "referee.audit.page.words:load_words",
            "referee.rulesets.texts:_read",
            "referee_client.channel:service_config",
            "referee_harness.vectors:rows",
            "referee_table.words:read_words",
        ),
        "the bytes are of a process of this program that it started, or that started it": (
            "referee.cli.demo:running_server",
            "referee.server.process.workers:ParentLines._read",
            "referee.server.process.workers:_announce",
            "referee.server.process.workers:_pass_on",
            "referee.server.process.workers:verified_before",
            "referee.server.process.workers:worker_configuration",
            "referee.server.process.log_check:LogCheck._check",
            "referee.server.process.log_check:main",
            "referee.service.charter:Charter.read",
            "referee_table.launch:_started",
        ),
        "the message or leaf was read and verified before": (
            "referee.service.listing:RoundList._revealed",
            "referee.service.round_service:RoundService._accept",
            "referee.web.codec:Json.encode",
            "referee_client.playing:_signer_of",
            "referee_client.receipts:_name",
            "referee_table.loading:_law",
        ),
        "the reader of the place above reads the same bytes first": ("referee.server.access.provider_token:_claims",),
    }
)
"""Functions that parse, by the reason."""

COUNTING: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "a pattern or a length bounds the digits first": (
            "referee.cli.audit:_rounds",
            "referee.cli.options:read_time",
            "referee.cli.served_log:ServedLog.cosigned",
            "referee.cli.witness:witness",
            "referee.evidence.outside:read_toml",
            "referee.money:Odds.parse",
            "referee.rulesets.ruleset:Ruleset.version_numbers",
            "referee.rulesets.ruleset:_line_of_table",
            "referee.server.settings.port:is_port",
            "referee.service.listing:_before",
            "referee.web.bodies:_length_of",
            "referee.wire.page:read_page",
            "referee.witness.server:_Handler._body",
            "referee_harness.control:_Handler._read",
            "referee_table.launch:_once_free",
            "referee_table.site:site.bundle",
            "referee_table.words:with_names.name_of",
        ),
        "a setting with this port was checked, or the text is an address that the system gave": (
            "referee.server.process.address:bound_socket",
            "referee.server.process.app:Application._measure",
            "referee.server.settings.configuration:_next_port",
            "referee.server.settings.web:WebSettings.address",
            "referee.web.forwarder:_peer",
        ),
        "the number is of the server in front, which showed that it is this process's parent": (
            "referee.adviser.serving:AdviserServer._finder.find",
        ),
        "the error is caught and refused": (
            "referee.server.keys.private_key:Passphrase.decrypt",
            "referee_table.__main__:table",
        ),
        "the argument is a number already": (
            "referee.audit.course:examine_course",
            "referee.audit.dispute.exhibit:_facts",
            "referee.audit.log_receipts:LogReceiptCheck.__init__",
            "referee.audit.page.rendering:_chance",
            "referee.audit.settlement:_examine_seal",
            "referee.cli.demo_mau_binh:_showdown",
            "referee.dealing.certificate:Certificate.hand",
            "referee.server.access.provider_token:_seconds",
            "referee.server.process.app:Application._make_server",
            "referee.server.process.metrics_port:MetricsPort.__init__",
            "referee.server.process.start_leaf:settings_of",
            "referee.server.settings.limits:_ms",
            "referee.server.settings.problem:_digits",
            "referee.service.interceptor:_ms",
            "referee.service.log:LogService._leaves",
            "referee.storage.bundle:_place",
            "referee.storage.bundle:last_leaf",
            "referee.storage.reader:Reader.cosigned",
            "referee.storage.reader:Reader.newest_cosigned",
            "referee.storage.schema:open_schema",
            "referee.storage.store:Store.keep_cosigned",
            "referee.storage.store:Transaction.write",
            "referee.storage.store:_moving",
            "referee.storage.upgrade:_list_rounds",
            "referee_client.bundle:fetch_bundle",
            "referee_harness.script:_by_seat",
            "referee_table.law:Law.clock_ms",
        ),
    }
)
"""Functions that make integers, by the reason."""
