"""The checksum of parts, one behind the other, is that of all of them."""

import google_crc32c
from hypothesis import given
from hypothesis import strategies as st

# Private: what a user sees of it is that checkpoints are intact.
from stratagem._checkpoints._joined_checksum import joined_checksum


@given(st.binary(), st.binary())
def test_the_checksum_of_two_parts_is_that_of_both(first: bytes, second: bytes) -> None:
    parts = google_crc32c.value(first), google_crc32c.value(second)
    assert joined_checksum(*parts, len(second)) == google_crc32c.value(first + second)


def test_a_part_may_be_long() -> None:
    second = bytes(range(256)) * 5000
    whole = google_crc32c.value(b"first" + second)
    assert joined_checksum(google_crc32c.value(b"first"), google_crc32c.value(second), len(second)) == whole
