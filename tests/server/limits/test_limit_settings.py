"""Settings of limits: their ranges, and how they reach the transport."""

import itertools

import pytest

from referee.server.settings.limits import LimitSettings


@pytest.mark.parametrize("name", LimitSettings.__struct_fields__)
def test_setting_out_of_its_range_is_reported(name):
    """Both ends of every range; the values that stand there are lawful."""
    assert LimitSettings().problems() == ()
    for value in (-1, 10**15):
        problems = LimitSettings(**{name: value}).problems()
        assert [problem.key for problem in problems][:1] == [f"limits.{name}"]


def test_numbers_of_settings_stay_numbers():
    """Each default lies within its range, and reaches the transport in milliseconds."""
    options = dict(LimitSettings(connections=7, idle_seconds=1.5, age_seconds=2, age_grace_seconds=3).transport)
    assert options["grpc.max_allowed_incoming_connections"] == 7
    assert options["grpc.max_connection_idle_ms"] == 1500
    assert (options["grpc.max_connection_age_ms"], options["grpc.max_connection_age_grace_ms"]) == (2000, 3000)
    assert not {name for name in dict(LimitSettings().transport) if "idle" in name or "_age" in name}
    assert all(
        type(value) is int for value in itertools.chain(options.values(), dict(LimitSettings().transport).values())
    )
