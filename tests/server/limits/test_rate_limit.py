"""Token buckets against a count by fractions, the address that identifies an unnamed caller, and settings of limits."""

import itertools
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.server.limits import rate_limit
from referee.server.limits.rate_limit import ConcurrencyLimit, TokenBuckets, address_of
from referee.server.settings.limits import LimitSettings
from referee.server.settings.reading import SettingsError, read_settings

steps = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 64)), max_size=60)


@given(rate=st.sampled_from([1, 2, 4, 8]), burst=st.integers(1, 8), steps=steps)
def test_bucket_lets_through_what_an_exact_count_lets_through(rate, burst, steps):
    """Times are sixteenths of a second and rates powers of two, so that floats are exact; each caller by itself."""
    now = 0.0
    buckets = TokenBuckets(rate=rate, burst=burst, monotonic=lambda: now)
    held = {"a": Fraction(burst), "b": Fraction(burst)}
    for caller, sixteenths in steps:
        now += sixteenths / 16
        held = {name: min(Fraction(burst), one + Fraction(sixteenths, 16) * rate) for name, one in held.items()}
        wait = buckets.wait(caller)
        assert (wait == 0) == (held[caller] >= 1)
        if wait:
            exact = (1 - held[caller]) / rate
            assert exact <= Fraction(wait) < exact + Fraction(1, 500_000)
        else:
            held[caller] -= 1


def test_after_the_reported_wait_the_caller_may_call():
    now = 0.0
    buckets = TokenBuckets(rate=3, burst=1, monotonic=lambda: now)
    for _ in range(100):
        assert buckets.wait("an") == 0
        now += buckets.wait("an")


@pytest.mark.parametrize(("rate", "expected"), [(0.1, 1), (1, 2), (50, 100)])
def test_burst_is_twice_the_rate_where_none_is_reported(rate, expected):
    buckets = TokenBuckets(rate=rate, monotonic=lambda: 0.0)
    assert [buckets.wait("an") for _ in range(expected + 1)].index(1 / rate) == expected


def test_memory_of_callers_is_bounded(monkeypatch):
    """Who was silent longest is forgotten, and begins anew."""
    monkeypatch.setattr(rate_limit, "REMEMBERED", 2)
    buckets = TokenBuckets(rate=1, burst=1, monotonic=lambda: 0.0)
    assert [buckets.wait(caller) for caller in "abab"] == [0, 0, 1, 1]
    assert buckets.wait("c") == 0
    assert (buckets.wait("b") > 0, buckets.wait("a")) == (True, 0)


def test_calls_under_way_are_counted_by_caller_and_forgotten_when_over():
    at_once = ConcurrencyLimit(most=2)
    assert [at_once.begin(caller) for caller in "aaab"] == [True, True, False, True]
    at_once.end("a")
    assert [at_once.begin(caller) for caller in "aa"] == [True, False]
    for caller in "aab":
        at_once.end(caller)
    assert not at_once._under_way  # noqa: SLF001 - what is left would be a leak


@pytest.mark.parametrize(
    ("peer", "expected"),
    [
        ("ipv4:10.0.0.7:4711", "10.0.0.7"),
        ("ipv6:%5B2001:db8:1:2:3:4:5:6%5D:4711", "2001:db8:1:2::/64"),
        ("ipv6:[2001:db8:1:2:ffff::1]:4712", "2001:db8:1:2::/64"),
        ("ipv6:%5B::ffff:10.0.0.7%5D:4711", "10.0.0.7"),
        ("ipv6:%5Bfe80::1%25eth0%5D:4711", "fe80::/64"),
        ("unix:/run/referee", "unix:/run/referee"),
        ("unix:", "unix:"),
        ("unknown", "unknown"),
        ("", ""),
    ],
)
def test_address_identifies_a_caller_without_the_bits_it_chooses(peer, expected):
    """Callers choose the port freely, and so is the lower half of an IPv6 address."""
    assert address_of(peer) == expected


@given(burst=st.integers(1, 8), sizes=st.lists(st.integers(1, 20), max_size=30), pause=st.integers(0, 16))
def test_batches_together_are_held_to_the_rate(burst, sizes, pause):
    """Each is let through after the reported wait, and of all that were, but for the last, the rate allows as many."""
    now = 0.0
    buckets = TokenBuckets(rate=1, burst=burst, monotonic=lambda: now)
    through = 0
    for size in sizes:
        now += pause
        for calls, counted in ((1, 0), (size - 1, 1)):
            wait = buckets.wait("an", calls=calls, counted=counted)
            if wait:
                now += wait
                assert buckets.wait("an", calls=calls, counted=counted) == 0
        assert through <= burst + now
        through += size


@pytest.mark.parametrize("name", LimitSettings.__struct_fields__)
def test_setting_out_of_its_range_is_reported(name):
    """Both ends of every range; the values that stand there are lawful."""
    assert list(LimitSettings().problems()) == []
    for value in (-1, 10**15):
        with pytest.raises(SettingsError, match=f"limits.{name} is {value}"):
            read_settings(flags={f"limits.{name}": value})


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
