"""Layouts known from earlier batches are used for records that are laid out so, and for no other."""

import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

import stratagem as tf

# The tests compare with parsing without columns, and begin with no known layout; no public name does either.
from stratagem._data.files import _columns, _parse
from stratagem._data.files._layout import KnownLayouts, layout_of
from tests.data.files.test_columns import answer, block, varint

FLOAT, INTEGER = b"\x00\x00\x80\x3f", b"\x07"
WANTED = {
    "a": tf.io.VarLenFeature(tf.float32),
    "b": tf.io.FixedLenFeature([], tf.int64, 5),
    "c": tf.io.VarLenFeature(tf.string),
}


def feature(key: str, field: int, content: bytes) -> bytes:
    """An entry of Features whose list is the given field of a Feature."""
    return block(1, block(1, key.encode()) + block(2, block(field, block(1, content))))


def example(*entries: bytes) -> bytes:
    """A serialized Example."""
    return block(1, b"".join(entries))


WHOLE = example(feature("a", 2, FLOAT), feature("b", 3, INTEGER), feature("c", 1, b"text"))
TURNED = example(feature("c", 1, b"text"), feature("b", 3, INTEGER), feature("a", 2, FLOAT))
OTHER = example(feature("a", 2, FLOAT), feature("x", 3, INTEGER), feature("c", 1, b"text"))  # without b
WITHOUT = example(feature("a", 2, FLOAT), feature("c", 1, b"text" + bytes(8)))  # without b, and of another length


@pytest.fixture(autouse=True)
def layouts(monkeypatch: pytest.MonkeyPatch) -> KnownLayouts:
    """The known layouts of a test, at first none."""
    known = KnownLayouts()
    monkeypatch.setattr(_columns, "_LAYOUTS", known)
    return known


def by_messages(records: list[bytes], wanted: dict[str, Any]) -> Any:
    """What parsing gives without columns."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_parse, "columns_of", lambda *_: None)
        return answer(records, wanted)


def check(*records: bytes) -> None:
    assert answer(list(records), WANTED) == by_messages(list(records), WANTED)


def test_layouts_of_one_size_alternate() -> None:
    assert len({len(record) for record in (WHOLE, TURNED, OTHER)}) == 1
    for first, second in [(WHOLE, TURNED), (TURNED, WHOLE), (WHOLE, OTHER), (OTHER, WHOLE)]:
        for _ in range(2):
            for records in ([first] * 8, [second] * 8):
                assert _parse.columns_of(records, WANTED) is not None
                check(*records)
            check(*[first, second] * 8)
            check(*[second] * 5, *[first] * 11)
            check(*[first] * 20, second)


def test_features_that_a_known_layout_has_not_are_missing() -> None:
    for records in ([WHOLE] * 8, [WITHOUT] * 8, [WHOLE, WITHOUT] * 8, [OTHER] * 8, [WITHOUT, OTHER, WHOLE] * 8):
        check(*records)
    found = tf.io.parse_example([OTHER] * 8, WANTED)
    assert found["b"].tolist() == [5] * 8  # the default
    with pytest.raises(tf.errors.InvalidArgumentError, match="b"):
        tf.io.parse_example([OTHER] * 8, {"b": tf.io.FixedLenFeature([], tf.int64)})


def test_records_that_differ_in_any_byte_from_a_known_layout_are_what_their_bytes_say(layouts: KnownLayouts) -> None:
    differing = 0
    for place in range(len(WHOLE)):
        for byte in {0x0A, 0x12, 0x1A, 0x22, WHOLE[place] ^ 1, WHOLE[place] ^ 0x80, WHOLE[place] + 1} - {WHOLE[place]}:
            like = WHOLE[:place] + bytes([byte]) + WHOLE[place + 1 :]
            expected = by_messages([like] * 5, WANTED)
            mixed = by_messages([WHOLE] * 5 + [like] * 5, WANTED)
            layouts.layout_of(WHOLE)  # known, whatever was parsed before
            assert answer([like] * 5, WANTED) == expected, (place, byte)
            layouts.layout_of(WHOLE)
            assert answer([WHOLE] * 5 + [like] * 5, WANTED) == mixed, (place, byte)
            differing += expected != by_messages([WHOLE] * 5, WANTED)
    assert differing > 100


def test_a_known_layout_serves_records_with_other_values_and_is_not_worked_out_anew(
    layouts: KnownLayouts, monkeypatch: pytest.MonkeyPatch
) -> None:
    check(*[WHOLE] * 8)
    monkeypatch.setattr(layouts, "layout_of", lambda record: pytest.fail("The layout is known."))
    fresh = example(feature("a", 2, bytes(4)), feature("b", 3, b"\x09"), feature("c", 1, b"next"))
    check(*[fresh] * 8)
    check(*[WHOLE, fresh] * 4)


def test_few_layouts_are_known_and_none_of_long_names() -> None:
    known = KnownLayouts()
    long = example(feature("a" * KnownLayouts._MOST_FIXED, 2, FLOAT))
    assert known.layout_of(long) is not None
    assert known.of_size(len(long)) is None
    assert known.layout_of(b"no Example") is None
    assert known.of_size(10) is None
    texts = [example(feature("c", 1, b"x" * size)) for size in range(KnownLayouts._MOST_SIZES + 1)]
    sizes = {len(text) for text in texts}
    for text in texts:
        assert known.layout_of(text) is not None
    kept = [size for size in sizes if known.of_size(size) is not None]
    assert len(texts[-1]) in kept
    assert len(kept) <= KnownLayouts._MOST_SIZES < len(sizes)


def at_once(*jobs: Callable[[], None]) -> list[BaseException]:
    """Runs each job in a thread of its own, with many changes between them, and returns what they raised."""
    errors: list[BaseException] = []
    begin = threading.Barrier(len(jobs))

    def run(job: Callable[[], None]) -> None:
        begin.wait(60)
        try:
            job()
        except BaseException as error:  # for the caller, as a thread cannot fail the test itself
            errors.append(error)

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    return errors


def records_of_threads() -> list[bytes]:
    """Records of six layouts and four sizes."""
    numbers = [varint(1 << 7 * i) for i in (1, 2)]
    more = [example(feature("a", 2, FLOAT), feature("b", 3, number), feature("c", 1, b"")) for number in numbers]
    return [WHOLE, TURNED, OTHER, WITHOUT, *more]


def test_threads_that_parse_other_layouts_at_once_do_not_disturb_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KnownLayouts, "_MOST_SIZES", 2)  # so that layouts are forgotten while others look for them

    def job(records: list[bytes]) -> Callable[[], None]:
        expected = by_messages(records, WANTED)

        def parse() -> None:
            for _ in range(60):
                assert answer(records, WANTED) == expected

        return parse

    assert not at_once(*[job([record] * 6) for record in records_of_threads()])


def test_threads_get_the_layouts_of_their_own_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KnownLayouts, "_MOST_SIZES", 2)
    known = KnownLayouts()

    def job(record: bytes) -> Callable[[], None]:
        expected = layout_of(record)
        assert expected is not None

        def look() -> None:
            for _ in range(1000):
                found = known.layout_of(record)
                assert found is not None
                assert found.slots == expected.slots
                other = known.of_size(len(record))
                assert other is None or other.fixed[-1] < len(record)

        return look

    assert not at_once(*map(job, records_of_threads()))


def test_the_layout_has_every_byte_that_is_no_value() -> None:
    layout = layout_of(WHOLE)
    assert layout is not None
    inside = {i for slot in layout.slots.values() for begin, end in slot.places for i in range(begin, end)}
    assert set(layout.fixed.tolist()) | inside == set(range(len(WHOLE)))
    assert layout.fixed_bytes.tobytes() == bytes(WHOLE[i] for i in layout.fixed)
    assert bytes(WHOLE[i] for i in sorted(inside)) == FLOAT + INTEGER + b"text"
