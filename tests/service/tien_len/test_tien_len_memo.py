"""The memo behind the service holds what it says, and no more than its size."""

from concurrent.futures import ThreadPoolExecutor

from referee.service.memo import Memo


def test_memo_forgets_what_was_put_first() -> None:
    memo: Memo[int, str] = Memo(3)
    for number in range(5):
        memo.put(number, str(number))
    assert [memo.get(number) for number in range(5)] == [None, None, "2", "3", "4"]


def test_memo_holds_one_value_a_key() -> None:
    memo: Memo[str, int] = Memo(2)
    for value in range(10):
        memo.put("key", value)
    memo.put("other", 1)
    assert (memo.get("key"), memo.get("other")) == (9, 1)


def test_memo_is_bounded_by_bytes() -> None:
    memo: Memo[int, str] = Memo(100, max_bytes=30)
    for number in range(5):
        memo.put(number, str(number), size=10)
    memo.put(4, "again", size=20)
    assert [memo.get(number) for number in range(5)] == [None, None, None, "3", "again"]
    memo.put(5, "too large", size=31)
    assert [memo.get(number) for number in (3, 4, 5)] == ["3", "again", None]


def test_memo_keeps_its_size_under_many_threads() -> None:
    memo: Memo[int, int] = Memo(16)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: memo.put(number, number), range(10_000)))
    known = [number for number in range(10_000) if memo.get(number) is not None]
    assert len(known) == 16
    assert all(memo.get(number) == number for number in known)
