"""The list of tests that only `make thorough` runs, checked against what pytest has collected."""

import pytest

from tests.conftest import NO_TESTS


def test_every_name_in_thorough_txt_is_a_test(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.stash[NO_TESTS] == [], "rename them in tests/thorough.txt, too, or take them out"
